"""The bundles as they are served: encoded once per revision, looked up at most every `FRESH_SECONDS` per project.

So an agent may see a new revision that much later than it was published by another process; what this process
publishes itself is seen at once (`forget`). Waiting clients share one look-up, and none of them holds a thread.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from starlette.concurrency import run_in_threadpool

from errata_client.bundle import Bundle
from errata_client.engine import Engine
from knowledge.kinds import PUBLICATIONS
from knowledge.store import Query
from strategies.bundles import current_bundle
from wiring.build import Errata

FRESH_SECONDS = 0.25


@dataclass(frozen=True)
class Edition:
    """A bundle, its bytes and its entity tag (`"<revision>-<digest[:16]>"`), and what it was made from."""

    made_from: tuple[object, ...]
    bundle: Bundle
    body: bytes
    etag: str
    engine: Engine


@dataclass
class _Shelf:
    """What is remembered of one project; touched on the event loop only."""

    edition: Edition | None = None
    looked_at: datetime | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    forgotten: int = 0


class Published:
    """The newest edition of each project's bundle."""

    def __init__(self, errata: Errata) -> None:
        self._errata = errata
        self._shelves: dict[str, _Shelf] = {}

    def fresh(self, project: str, now: datetime) -> Edition | None:
        """The edition, if it was looked up a moment ago; never reads the store."""
        shelf = self._shelves.get(project)
        if shelf is None or shelf.looked_at is None:
            return None
        good = timedelta(0) <= now - shelf.looked_at < timedelta(seconds=FRESH_SECONDS)
        return shelf.edition if good else None

    async def current(self, project: str) -> Edition:
        """The newest edition. The project must exist: for each that is asked for, something is kept."""
        shelf = self._shelves.setdefault(project, _Shelf())
        async with shelf.lock:
            now = self._errata.clock()
            fresh = self.fresh(project, now)
            if fresh is not None:
                return fresh
            forgotten = shelf.forgotten
            edition = await run_in_threadpool(self._look_up, project, shelf.edition, now)
            shelf.edition = edition
            shelf.looked_at = now if shelf.forgotten == forgotten else None
            return edition

    async def differing(self, project: str, etag: str, seconds: float) -> Edition:
        """The edition as soon as its tag is not `etag`, or else the same one after `seconds`."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while True:
            edition = await self.current(project)
            left = deadline - loop.time()
            if edition.etag != etag or left <= 0:
                return edition
            await asyncio.sleep(min(FRESH_SECONDS, left))

    def forget(self, project: str) -> None:
        """Look the project up anew the next time: something was published just now. Safe from any thread."""
        shelf = self._shelves.get(project)
        if shelf is not None:
            shelf.forgotten += 1
            shelf.looked_at = None

    def editions(self) -> dict[str, Edition]:
        """What was served last, by project."""
        return {
            project: shelf.edition
            for project, shelf in tuple(self._shelves.items())
            if shelf.edition is not None
        }

    def _look_up(self, project: str, before: Edition | None, now: datetime) -> Edition:
        made_from = self._signs(project, now)
        if before is not None and before.made_from == made_from:
            return before
        bundle = current_bundle(self._errata.store, project, now)
        etag = f'"{bundle.revision}-{bundle.digest[:16]}"'
        return Edition(made_from, bundle, bundle.model_dump_json().encode(), etag, Engine(bundle.rules))

    def _signs(self, project: str, now: datetime) -> tuple[object, ...]:
        """All that a bundle depends on: the newest revision, the project's holdout, and the day (rules expire)."""
        publications = self._errata.store.collection(project, PUBLICATIONS)
        newest = publications.find(Query(sort="revision", descending=True), limit=1).items
        revision = newest[0].item.revision if newest else 0
        return revision, self._errata.require_project(project).holdout, now.date()
