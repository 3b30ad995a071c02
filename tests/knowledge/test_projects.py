"""The border between projects, on every engine."""

from __future__ import annotations

import pytest

from knowledge.errors import BadInputError, ConflictError
from knowledge.kinds import CASES, PROJECTS, SYSTEM
from knowledge.nights import Project
from knowledge.store import Query, Store
from tests.knowledge.making import NOW, case, cases


def test_no_call_sees_or_touches_another_project(store: Store) -> None:
    mine, theirs = store.collection("mine", CASES), store.collection("theirs", CASES)
    theirs.add_many([case("c1", user_intent="theirs alone"), case("c2")])
    assert mine.get("c1") is None
    assert mine.get_many(["c1", "c2"]) == {}
    assert mine.find(Query()).items == ()
    assert mine.find(Query(text="theirs alone")).items == ()
    assert mine.find(Query(where={"run_id": "run-1"})).items == ()
    assert list(mine.scan(Query(sort="occurred_at"))) == []
    assert mine.tally(Query(), "run_id") == []
    assert mine.remove_many(["c1", "c2"]) == 0
    assert mine.add_many([case("c1", user_intent="mine")]).created == ("c1",)
    mine.put_many([case("c2", user_intent="mine")])
    assert [stored.item.user_intent for stored in theirs.find(Query()).items] == [
        "theirs alone",
        "return an order",
    ]


def test_a_version_of_another_project_is_of_no_use(store: Store) -> None:
    mine, theirs = store.collection("mine", CASES), store.collection("theirs", CASES)
    mine.put(case("c1"), None)
    version = theirs.put(case("c1"), None).version
    with pytest.raises(ConflictError):
        mine.put(case("c1"), version)


def test_projects_whose_names_begin_alike_are_apart(store: Store) -> None:
    for project in ("a", "a-b", "a_b", "ab"):
        store.collection(project, CASES).add_many([case(project), case("b:c"), case("b/c"), case("/c")])
    assert [len(store.collection(project, CASES).find(Query()).items) for project in ("a", "a-b", "ab")] == [
        4,
        4,
        4,
    ]
    assert store.collection("a", CASES).get("a-b") is None


def test_kinds_are_apart(store: Store) -> None:
    store.collection("p", CASES).add_many(cases(2))
    assert store.collection("p", PROJECTS).find(Query()).items == ()


def test_the_system_has_a_place_of_its_own(store: Store) -> None:
    store.collection(SYSTEM, PROJECTS).put(Project(project_id="p", created_at=NOW), None)
    assert store.collection("p", PROJECTS).get("p") is None
    assert store.collection(SYSTEM, PROJECTS).get("p") is not None


@pytest.mark.parametrize(
    "project", ["", "A", "a b", "a/b", "*", "_other", "-a", "a" * 65, "中", "a\n", "..", "a:b"]
)
def test_a_project_id_that_is_none_is_refused(store: Store, project: str) -> None:
    with pytest.raises(BadInputError, match="no project id"):
        store.collection(project, CASES)


@pytest.mark.parametrize("project", ["a", "0", "a-b_c", "a" * 64, SYSTEM])
def test_a_project_id_is_taken(store: Store, project: str) -> None:
    assert store.collection(project, CASES).find(Query()).items == ()
