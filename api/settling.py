"""Beside the requests: traces that no span came for are made runs, and spans that are done with are forgotten."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from ingest.live.settling import forget, settle_quiet
from knowledge.errors import ErrataError
from wiring.build import Errata

log = logging.getLogger("api")

PERIOD_SECONDS = 5.0
KEPT_SECONDS = 3600.0
"""How long the spans of a trace stay after the last of them came."""


def settle_all(errata: Errata) -> int:
    """Once, for all projects; how many traces were made runs."""
    done = 0
    for project in errata.projects():
        shift = errata.shift(project.project_id)
        done += settle_quiet(shift, errata.settings.trace_quiet_seconds)
        forget(shift, KEPT_SECONDS)
    return done


def settling(errata: Errata) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """The app's lifespan: it settles traces every few seconds as long as the app runs."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        del app
        task = asyncio.create_task(_again_and_again(errata))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    return lifespan


async def _again_and_again(errata: Errata) -> None:
    while True:
        await asyncio.sleep(PERIOD_SECONDS)
        try:
            await run_in_threadpool(settle_all, errata)
        except ErrataError as error:
            log.warning("traces could not be settled: %s: %s", error.code, error)
