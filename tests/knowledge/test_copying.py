"""Copying a store, from each engine into SQLite and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge.copying import copy_store
from knowledge.errors import ConflictError
from knowledge.kinds import CASES, PROJECTS, STRATEGIES, SYSTEM
from knowledge.nights import Project
from knowledge.sqlite import SqliteStore
from knowledge.store import Query, Store
from tests.knowledge.making import NOW, cases, strategy


def test_a_copy_has_every_item_of_every_project(store: Store, tmp_path: Path) -> None:
    source = SqliteStore(tmp_path / "source.db")
    source.prepare()
    source.collection(SYSTEM, PROJECTS).add_many(Project(project_id=name, created_at=NOW) for name in "pq")
    source.collection("p", CASES).add_many(cases(700))
    source.collection("q", CASES).add_many(cases(3))
    source.collection("q", STRATEGIES).add_many([strategy("ST-1", ("filed", "approved"))])
    back = SqliteStore(tmp_path / "back.db")
    back.prepare()
    for _ in range(2):
        for one, other in ((source, store), (store, back)):
            counts = copy_store(one, other)
            assert (counts["projects"], counts["cases"], counts["strategies"]) == (2, 703, 1)
    for project, kind in (("p", CASES), ("q", CASES), ("q", STRATEGIES), (SYSTEM, PROJECTS)):
        before = [stored.item for stored in source.collection(project, kind).scan(Query())]
        assert [stored.item for stored in back.collection(project, kind).scan(Query())] == before
    source.close()
    back.close()


def test_a_copy_that_would_lose_something_stops(store: Store, tmp_path: Path) -> None:
    source = SqliteStore(tmp_path / "source.db")
    source.prepare()
    for target, reasons in ((source, ("filed",)), (store, ("filed", "approved"))):
        target.collection(SYSTEM, PROJECTS).add_many([Project(project_id="p", created_at=NOW)])
        target.collection("p", STRATEGIES).add_many([strategy("ST-1", reasons)])
    with pytest.raises(ConflictError, match="strategies ST-1 of p was not copied: history only grows"):
        copy_store(source, store)
    source.close()
