"""Copying one store into another: from SQLite to Elasticsearch, back, or to another place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from knowledge.errors import ConflictError
from knowledge.kinds import KINDS, PROJECTS, SYSTEM, Kind
from knowledge.store import Query, Store


def copy_store(source: Store, target: Store, *, kinds: Iterable[Kind[Any]] = KINDS) -> dict[str, int]:
    """Write every item of every project into `target`, and say how many there were of each kind.

    Both are prepared, and nobody writes to `source` meanwhile. Run again it goes on where it was cut short. Leases stay
    behind, and so do vectors: the next night computes them anew. ConflictError where an item is refused.
    """
    projects = [stored.item.project_id for stored in source.collection(SYSTEM, PROJECTS).scan(Query())]
    return {
        kind.name: sum(_copy(source, target, project, kind) for project in (SYSTEM, *projects))
        for kind in kinds
    }


def _copy(source: Store, target: Store, project: str, kind: Kind[Any]) -> int:
    items = (stored.item for stored in source.collection(project, kind).scan(Query()))
    report = target.collection(project, kind).put_many(items)
    if report.refused:
        first = report.refused[0]
        raise ConflictError(f"{kind.name} {first.key} of {project} was not copied: {first.reason}")
    return len(report.results)
