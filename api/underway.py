"""How much is taken in at once: what is beyond it is sent again later, so that it does not pile up in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from api.errors import BusyError


class Underway:
    """Places for requests whose bodies are being read and stored. Used by one event loop, so nothing is locked."""

    def __init__(self, places: int) -> None:
        self._places = self._free = places

    @contextmanager
    def place(self) -> Iterator[None]:
        """Take a place and give it back; BusyError where all are taken."""
        if self._free < 1:
            raise BusyError(
                f"{self._places} bodies are being taken in already: send this again in a moment, or raise ERRATA_MAX_INGESTS"
            )
        self._free -= 1
        try:
            yield
        finally:
            self._free += 1
