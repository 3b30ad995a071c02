"""What can be asked of the problems of a project: one question for the command line and for HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from knowledge.store import Query, Range

FILTERS: Mapping[str, str] = {
    "error_code": "error_code",
    "error_kind": "error_kind",
    "tool": "tool",
    "step_id": "step_id",
    "agent": "agents",
    "model_version": "model_versions",
    "status": "status",
    "state": "state",
}
"""What is asked by, and the field of a problem that says it."""


@dataclass(frozen=True)
class ProblemSearch:
    """All of it holds; of several values for one filter any does. `since` <= last seen < `until`. Words of failure in
    `text` stand for all that mean the same, unless `exact`."""

    text: str | None = None
    exact: bool = False
    since: datetime | None = None
    until: datetime | None = None
    sort: str = "count"
    descending: bool = True

    def query(self, filters: Mapping[str, Sequence[str]]) -> Query:
        """The store's query; a filter without values asks nothing."""
        seen = {"last_seen": Range(self.since, self.until)} if self.since or self.until else {}
        where = {FILTERS[name]: tuple(values) for name, values in filters.items() if values}
        return Query(where, seen, self.text, alike=not self.exact, sort=self.sort, descending=self.descending)
