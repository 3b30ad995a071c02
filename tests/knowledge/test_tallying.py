"""The contract of counting, on every engine."""

from __future__ import annotations

import pytest

from knowledge.errors import BadInputError
from knowledge.kinds import CASES, PROBLEMS
from knowledge.store import Query, Store, Tally
from tests.knowledge.making import case, cases, problem


def test_all_values_are_counted_however_many_there_are(store: Store) -> None:
    collection = store.collection("p", CASES)
    collection.add_many(
        item.model_copy(update={"run_id": f"r{n % 1100}"}) for n, item in enumerate(cases(1200))
    )
    tallies = collection.tally(Query(), "run_id")
    assert len(tallies) == 1100
    assert sum(tally.count for tally in tallies) == 1200
    assert tallies[0] == Tally("r0", 2)
    assert tallies == sorted(tallies, key=lambda tally: (-tally.count, tally.value))


def test_counts_come_largest_first_then_by_value_and_without_a_value_last(store: Store) -> None:
    collection = store.collection("p", CASES)
    values = ["b", "b", "a", None, None, "中", "Z", None]
    collection.add_many(case(f"c{n}", task_id=value) for n, value in enumerate(values))
    assert collection.tally(Query(), "task_id") == [
        Tally(None, 3),
        Tally("b", 2),
        Tally("Z", 1),
        Tally("a", 1),
        Tally("中", 1),
    ]


def test_an_item_counts_once_under_each_of_its_values(store: Store) -> None:
    collection = store.collection("p", PROBLEMS)
    collection.add_many(
        [
            problem("a", agents=("x", "y", "x")),
            problem("b", agents=("x",)),
            problem("c"),
            problem("d", tool=None),
        ]
    )
    assert collection.tally(Query(), "agents") == [Tally("x", 2), Tally(None, 2), Tally("y", 1)]
    assert collection.tally(Query(where={"agents": "y"}), "agents") == [Tally("x", 1), Tally("y", 1)]
    assert collection.tally(Query(), "tool") == [Tally("get_order", 3), Tally(None, 1)]


def test_nothing_found_is_nothing_counted(store: Store) -> None:
    assert store.collection("p", CASES).tally(Query(), "run_id") == []
    assert store.collection("p", PROBLEMS).tally(Query(), "agents") == []


@pytest.mark.parametrize("by", ["occurred_at", "decisive", "error_message", "nonsense", "case_id", ""])
def test_only_keywords_are_counted_by(store: Store, by: str) -> None:
    with pytest.raises(BadInputError):
        store.collection("p", CASES).tally(Query(), by)
