"""The run that is going on, for code that is not handed its context."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from errata_client.context import RunContext

_CURRENT: ContextVar[RunContext | None] = ContextVar("errata_current_run", default=None)


def current_run() -> RunContext | None:
    """The context of the run that goes on in this thread or task, or None."""
    return _CURRENT.get()


@contextmanager
def running(context: RunContext) -> Iterator[RunContext]:
    """`current_run` answers `context` inside, also in the tasks that are begun there."""
    token = _CURRENT.set(context)
    try:
        yield context
    finally:
        _CURRENT.reset(token)
