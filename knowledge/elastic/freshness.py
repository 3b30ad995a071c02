"""Searches see what was written only after a refresh; this knows when one is due."""

from __future__ import annotations

import threading
from collections import defaultdict

from knowledge.elastic.connection import Connection


class Freshness:
    """Refreshes an index before it is searched, where this process wrote to it since, or never searched it yet."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._fresh: set[str] = set()
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def written(self, alias: str) -> None:
        """The next search must refresh. To be called after the write, also where it failed half-way."""
        self._fresh.discard(alias)

    def ensure(self, alias: str) -> None:
        """Return once every write that came before is visible.

        The mark is set before the refresh: a write that comes meanwhile takes it away again. Whoever else searches
        meanwhile waits for the lock, as its own write may be in this refresh.
        """
        with self._locks[alias]:
            if alias in self._fresh:
                return
            self._fresh.add(alias)
            try:
                self._connection.refresh(alias)
            except BaseException:
                self._fresh.discard(alias)
                raise
