"""Telling the operator: each trouble once, until it has passed."""

from __future__ import annotations

import logging
from threading import Lock

LOGGER = logging.getLogger("errata_client")


class Saying:
    """Logs a trouble when it begins, not each time it is met."""

    def __init__(self) -> None:
        self._open: set[str] = set()
        self._lock = Lock()

    def once(self, trouble: str, text: str) -> None:
        """Warn with `text`, unless `trouble` was said already and has not passed."""
        with self._lock:
            known = trouble in self._open
            self._open.add(trouble)
        if not known:
            LOGGER.warning("%s", text)

    def over(self, *families: str) -> None:
        """Every trouble of `families` ("service" has "service 401") has passed; the next time it is said again."""
        with self._lock:
            self._open = {trouble for trouble in self._open if trouble.split(" ")[0] not in families}
