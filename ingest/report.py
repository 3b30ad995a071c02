"""What an ingest answers."""

from __future__ import annotations

from pydantic import Field

from errata_client.model import Model
from ingest.adapters.port import NotAnalysed

MAX_LISTED = 1_000
MAX_TOLD = 500
"""Characters of a position or a reason: they quote what a source holds. Cut only once masked: half a secret is not known
as one."""


class IngestReport(Model):
    """What one source gave. `cases` and `by_error_code` count all failures seen, `new_cases` the ones that were not known;
    `calls` all calls of tools, of both sides; `reference_calls` what the reservoirs of the touched scopes now hold;
    `problems` the problems that the cases belong to; `masked` values by kind; `not_analysed` what was left out."""

    source: str
    why: str = ""
    runs: int = 0
    calls: int = 0
    cases: int = 0
    new_cases: int = 0
    by_error_code: dict[str, int] = Field(default_factory=dict)
    reference_calls: int = 0
    problems: int = 0
    masked: dict[str, int] = Field(default_factory=dict)
    not_analysed: tuple[NotAnalysed, ...] = ()


class LeftOut:
    """Collects what was not analysed: the first MAX_LISTED items, and how many more there were."""

    def __init__(self) -> None:
        self._items: list[NotAnalysed] = []
        self._more = 0

    def add(self, item: NotAnalysed) -> None:
        """One more, masked already."""
        if len(self._items) < MAX_LISTED:
            short = {"position": item.position[:MAX_TOLD], "reason": item.reason[:MAX_TOLD]}
            self._items.append(item.model_copy(update=short))
        else:
            self._more += 1

    def items(self) -> tuple[NotAnalysed, ...]:
        """All that is listed; the last item says what is not."""
        if not self._more:
            return tuple(self._items)
        rest = NotAnalysed(position="further on", reason=f"{self._more} more of these are not listed")
        return (*self._items, rest)
