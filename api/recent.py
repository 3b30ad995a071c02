"""What was found a moment ago: a bounded memory whose entries go stale by the caller's clock."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timedelta
from typing import Generic, TypeVar

V = TypeVar("V")


class Recent(Generic[V]):
    """Values by key, good for `seconds` after they were put; the oldest leave when there are more than `size`.

    A clock that was set back makes entries stale, never young for longer.
    """

    def __init__(self, seconds: float, size: int) -> None:
        self._span = timedelta(seconds=seconds)
        self._size = size
        self._entries: OrderedDict[str, tuple[datetime, V]] = OrderedDict()

    def get(self, key: str, now: datetime) -> V | None:
        """The value, if it is still good."""
        entry = self._entries.get(key)
        if entry is None or not timedelta(0) <= now - entry[0] < self._span:
            return None
        return entry[1]

    def put(self, key: str, value: V, now: datetime) -> None:
        """Keep the value from `now` on."""
        self._entries.pop(key, None)
        self._entries[key] = (now, value)
        while len(self._entries) > self._size:
            self._entries.popitem(last=False)

    def forget(self, key: str) -> None:
        """Look it up anew the next time."""
        self._entries.pop(key, None)
