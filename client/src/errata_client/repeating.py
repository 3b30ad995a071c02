"""A background thread that does one thing again and again until it is told to end."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

from errata_client.saying import LOGGER


class Repeating:
    """Calls `work` at once and then every `seconds`, on a daemon thread."""

    def __init__(self, name: str, work: Callable[[], object], seconds: float) -> None:
        self._work, self._seconds = work, seconds
        self._ending = Event()
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def end(self, timeout: float) -> None:
        """No further round; wait at most `timeout` seconds for the one that runs."""
        self._ending.set()
        self._thread.join(timeout)

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                self._work()
            except Exception:  # noqa: BLE001 - the edge of a background thread: the next round may succeed
                LOGGER.exception("a round of %s failed", self._thread.name)
            self._ending.wait(self._seconds)
