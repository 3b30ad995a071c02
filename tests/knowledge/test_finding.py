"""The contract of exact questions, order and pages, on every engine."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from errata_client.run import Agent
from knowledge.errors import BadInputError
from knowledge.kinds import ATTRIBUTIONS, CASES, PROBLEMS, PUBLICATIONS, REFERENCE_CALLS, Kind
from knowledge.store import MAX_PAGE, Collection, Query, Range, Store
from knowledge.strategies import Publication
from tests.knowledge.making import NOW, attribution, case, cases, problem, reference


def keys(collection: Collection[Any], kind: Kind[Any], query: Query) -> list[str]:
    """The ids in the order found; finding and scanning must agree."""
    found = [str(getattr(stored.item, kind.key)) for stored in collection.find(query, MAX_PAGE).items]
    assert [str(getattr(stored.item, kind.key)) for stored in collection.scan(query)] == found
    return found


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({}, ["a", "b", "c", "d"]),
        ({"run_id": "r1"}, ["a", "b"]),
        ({"run_id": ["r1", "r2"]}, ["a", "b", "c"]),
        ({"run_id": ("r2", "nothing")}, ["c"]),
        ({"run_id": []}, []),
        ({"task_id": None}, ["b", "d"]),
        ({"task_id": ["t1", None]}, ["a", "b", "d"]),
        ({"run_id": "r1", "task_id": None}, ["b"]),
        ({"decisive": True}, ["a"]),
        ({"decisive": False}, ["b", "c", "d"]),
        ({"trigger_step.tool": None}, ["d"]),
        ({"agent.name": "desk"}, ["c"]),
        ({"run_id": "R1"}, []),
        ({"run_id": ""}, ["d"]),
        ({"occurred_at": NOW}, ["a", "b", "c", "d"]),
        ({"occurred_at": NOW + timedelta(microseconds=1)}, []),
    ],
)
def test_where_finds_exact_values(store: Store, where: dict[str, Any], expected: list[str]) -> None:
    collection = store.collection("p", CASES)
    no_tool = case("x").trigger_step.model_copy(update={"tool": None})
    collection.add_many(
        [
            case("a", run_id="r1", task_id="t1", decisive=True),
            case("b", run_id="r1"),
            case("c", run_id="r2", task_id="t2", agent=Agent(name="desk")),
            case("d", run_id="", trigger_step=no_tool),
        ]
    )
    assert keys(collection, CASES, Query(where=where)) == expected


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"agents": "desk"}, ["a", "b"]),
        ({"agents": ["shop", "desk"]}, ["a", "b", "c"]),
        ({"agents": None}, ["d"]),
        ({"agents": [None, "shop"]}, ["b", "c", "d"]),
        ({"agents": "desk", "model_versions": "m2"}, ["b"]),
        ({"count": 3}, ["c"]),
    ],
)
def test_a_field_of_several_values_holds_if_any_does(
    store: Store, where: dict[str, Any], expected: list[str]
) -> None:
    collection = store.collection("p", PROBLEMS)
    collection.put_many(
        [
            problem("a", agents=("desk", "desk"), model_versions=("m1",)),
            problem("b", agents=("shop", "desk"), model_versions=("m2",)),
            problem("c", agents=("shop",), count=3),
            problem("d"),
        ]
    )
    assert keys(collection, PROBLEMS, Query(where=where)) == expected


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        (0, None, ["c0000", "c0001", "c0002", "c0003"]),
        (1, 3, ["c0001", "c0002"]),
        (None, 1, ["c0000"]),
        (3, 3, []),
        (4, None, []),
        (None, None, ["c0000", "c0001", "c0002", "c0003"]),
    ],
)
def test_a_range_of_dates_is_exact_to_the_microsecond(
    store: Store, since: int | None, until: int | None, expected: list[str]
) -> None:
    collection = store.collection("p", CASES)
    collection.add_many(cases(4))

    def moment(offset: int | None) -> datetime | None:
        shifted = timezone(timedelta(hours=8))
        return None if offset is None else (NOW + timedelta(microseconds=offset)).astimezone(shifted)

    query = Query(ranges={"occurred_at": Range(moment(since), moment(until))})
    assert keys(collection, CASES, query) == expected


def test_dates_of_all_centuries_sort_and_range(store: Store) -> None:
    collection = store.collection("p", CASES)
    years = (1, 1905, 1969, 1970, 2026, 2300, 9999)
    collection.add_many(
        case(f"y{year:04}", occurred_at=datetime(year, 12, 31, 23, 59, 59, 999999, tzinfo=UTC))
        for year in years
    )
    assert keys(collection, CASES, Query(sort="occurred_at")) == [f"y{year:04}" for year in years]
    late = Query(ranges={"occurred_at": Range(datetime(1970, 1, 1, tzinfo=UTC), None)})
    assert keys(collection, CASES, late) == ["y1970", "y2026", "y2300", "y9999"]


def test_large_whole_numbers_are_exact(store: Store) -> None:
    collection = store.collection("p", REFERENCE_CALLS)
    ranks = [2**62 - 1, 2**62 - 2, 2**53 + 1, 2**53, 0]
    collection.add_many(reference(f"r{position}", rank) for position, rank in enumerate(ranks))
    assert keys(collection, REFERENCE_CALLS, Query(sort="rank")) == ["r4", "r3", "r2", "r1", "r0"]
    assert keys(collection, REFERENCE_CALLS, Query(where={"rank": 2**53 + 1})) == ["r2"]
    assert keys(collection, REFERENCE_CALLS, Query(ranges={"rank": Range(2**62 - 1, None)})) == ["r0"]


def test_fractions_are_compared_as_they_are(store: Store) -> None:
    collection = store.collection("p", ATTRIBUTIONS)
    scores = {"a": 0.1 + 0.2, "b": 0.3, "c": None, "d": 1.0, "e": 0.0, "f": -0.0}
    collection.add_many(attribution(name, score) for name, score in scores.items())
    assert keys(collection, ATTRIBUTIONS, Query(sort="score")) == ["e", "f", "b", "a", "d", "c"]
    assert keys(collection, ATTRIBUTIONS, Query(where={"score": 0.1 + 0.2})) == ["a"]
    assert keys(collection, ATTRIBUTIONS, Query(where={"score": 1})) == ["d"]
    assert keys(collection, ATTRIBUTIONS, Query(where={"score": 0.0})) == ["e", "f"]
    assert keys(collection, ATTRIBUTIONS, Query(ranges={"score": Range(0.3, 1)})) == ["a", "b"]


@pytest.mark.parametrize(
    ("sort", "descending", "expected"),
    [
        ("", False, ["Z", "a", "b", "c", "é", "中"]),
        ("", True, ["中", "é", "c", "b", "a", "Z"]),
        ("task_id", False, ["é", "b", "c", "a", "Z", "中"]),
        ("task_id", True, ["a", "c", "b", "é", "中", "Z"]),
        ("decisive", False, ["Z", "b", "c", "é", "中", "a"]),
        ("decisive", True, ["a", "中", "é", "c", "b", "Z"]),
    ],
)
def test_order_is_by_value_then_by_key_and_absent_ones_come_last(
    store: Store, sort: str, descending: bool, expected: list[str]
) -> None:
    collection = store.collection("p", CASES)
    collection.add_many(
        [
            case("a", task_id="退", decisive=True),
            case("b", task_id="same"),
            case("c", task_id="same"),
            case("é", task_id="Upper"),
            case("中"),
            case("Z"),
        ]
    )
    query = Query(sort=sort, descending=descending)
    assert keys(collection, CASES, query) == expected
    assert paged(collection, query, 1) == expected
    assert paged(collection, query, 2) == expected


def test_a_field_of_several_values_sorts_by_its_least(store: Store) -> None:
    collection = store.collection("p", PROBLEMS)
    collection.add_many(
        [
            problem("x", agents=("z", "b")),
            problem("y", agents=("c",)),
            problem("z"),
            problem("w", agents=("y", "a")),
        ]
    )
    assert keys(collection, PROBLEMS, Query(sort="agents")) == ["w", "x", "y", "z"]
    assert keys(collection, PROBLEMS, Query(sort="agents", descending=True)) == ["y", "x", "w", "z"]


def test_the_newest_of_numbered_things_is_first_when_descending(store: Store) -> None:
    collection = store.collection("p", PUBLICATIONS)
    collection.add_many(
        Publication(revision=revision, at=NOW, rules=(), actor="a", reason="r") for revision in range(1, 13)
    )
    newest = collection.find(Query(sort="revision", descending=True), 1)
    assert [stored.item.revision for stored in newest.items] == [12]


def paged(collection: Collection[Any], query: Query, limit: int) -> list[str]:
    """All ids, page by page."""
    found: list[str] = []
    cursor = None
    while True:
        page = collection.find(query, limit, cursor)
        assert len(page.items) <= limit
        found.extend(stored.item.case_id for stored in page.items)
        cursor = page.cursor
        if cursor is None:
            return found
        assert len(page.items) == limit


@pytest.mark.parametrize(
    "query",
    [
        Query(),
        Query(sort="occurred_at", descending=True),
        Query(sort="task_id"),
        Query(sort="decisive", descending=True),
        Query(sort="run_id", where={"run_id": ["run-1", "run-2"]}, text="order"),
    ],
    ids=str,
)
def test_pages_never_overlap_and_lose_nothing(store: Store, query: Query) -> None:
    collection = store.collection("p", CASES)
    written = [
        case(
            f"c{n:04}",
            run_id=f"run-{1 + n % 2}",
            task_id=f"t{n % 5}" if n % 3 else None,
            decisive=n % 7 == 0,
            occurred_at=NOW + timedelta(microseconds=n % 11),
        )
        for n in range(1200)
    ]
    assert len(collection.add_many(written).created) == 1200
    scanned = [stored.item.case_id for stored in collection.scan(query)]
    assert sorted(scanned) == [item.case_id for item in written]
    for limit in (7, 500, 10_000):
        assert paged(collection, query, min(limit, MAX_PAGE)) == scanned
    assert len(collection.find(query, 10_000).items) == MAX_PAGE


def test_a_page_that_takes_the_last_item_has_no_cursor(store: Store) -> None:
    collection = store.collection("p", CASES)
    collection.add_many(cases(4))
    assert collection.find(Query(), 4).cursor is None
    assert collection.find(Query(), 3).cursor is not None
    assert collection.find(Query(where={"run_id": "none"}), 3).items == ()


def test_a_cursor_stays_good_while_items_come_and_go(store: Store) -> None:
    collection = store.collection("p", CASES)
    collection.add_many(cases(6))
    first = collection.find(Query(), 3)
    collection.remove_many(["c0001", "c0002", "c0004"])
    collection.add_many([case("c0000a"), case("c0009")])
    rest = collection.find(Query(), 10, first.cursor)
    assert [stored.item.case_id for stored in rest.items] == ["c0003", "c0005", "c0009"]


def test_a_cursor_is_good_for_its_query_only(store: Store) -> None:
    collection = store.collection("p", CASES)
    collection.add_many(cases(3))
    cursor = collection.find(Query(sort="run_id"), 1).cursor
    assert cursor is not None
    others = [
        (collection, Query()),
        (collection, Query(sort="run_id", descending=True)),
        (collection, Query(sort="run_id", where={"run_id": "run-1"})),
        (collection, Query(sort="run_id", text="order")),
        (store.collection("q", CASES), Query(sort="run_id")),
    ]
    for elsewhere, query in others:
        with pytest.raises(BadInputError, match="cursor"):
            elsewhere.find(query, 1, cursor)
    for broken in ("", "nonsense", "中文", cursor[:-8], cursor[4:], "bnVsbA==", "W10=", "\ud800"):
        with pytest.raises(BadInputError, match="cursor"):
            collection.find(Query(sort="run_id"), 1, broken)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (Query(where={"nonsense": "x"}), "no field 'nonsense'"),
        (Query(where={"error_message": "x"}), "is text"),
        (Query(where={"run_id": 5}), "keyword"),
        (Query(where={"run_id": ["a", 5]}), "keyword"),
        (Query(where={"run_id": "\ud800"}), "surrogate"),
        (Query(where={"decisive": 1}), "boolean"),
        (Query(where={"occurred_at": "2026-01-01"}), "date"),
        (Query(where={"occurred_at": datetime(2026, 1, 1)}), "time zone"),  # noqa: DTZ001 - what is refused
        (Query(where={"run_id": ["x"] * 10_001}), "at most"),
        (Query(ranges={"run_id": Range(1, 2)}), "ranges"),
        (Query(ranges={"nonsense": Range(1, 2)}), "no field"),
        (Query(ranges={"occurred_at": Range(1, 2)}), "no time"),
        (Query(sort="nonsense"), "no field"),
        (Query(sort="error_message"), "is text"),
        (Query(sort="case_id"), "no field"),
        (Query(text="half \ud800"), "surrogate"),
        (Query(text=" ".join(f"w{n}" for n in range(1000))), "at most"),
    ],
    ids=lambda value: str(value)[:60] if isinstance(value, str) else None,
)
def test_a_question_that_cannot_be_asked_says_why(store: Store, query: Query, said: str) -> None:
    collection = store.collection("p", CASES)
    for ask in (collection.find, collection.scan, lambda query: collection.tally(query, "run_id")):
        with pytest.raises(BadInputError, match=said):
            ask(query)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**63, NOW, "1", True])
def test_a_number_that_is_none_cannot_be_asked_for(store: Store, value: Any) -> None:
    collection = store.collection("p", ATTRIBUTIONS)
    with pytest.raises(BadInputError):
        collection.find(Query(where={"score": value}))
    with pytest.raises(BadInputError):
        collection.find(Query(ranges={"score": Range(value, None)}))


def test_a_page_of_no_items_is_bad_input(store: Store) -> None:
    with pytest.raises(BadInputError, match="ask for 1 to 500"):
        store.collection("p", CASES).find(Query(), 0)


def test_many_values_may_be_asked_for_at_once(store: Store) -> None:
    collection = store.collection("p", CASES)
    collection.add_many(cases(3, run_id="r7"))
    assert len(collection.find(Query(where={"run_id": [f"r{n}" for n in range(10_000)]})).items) == 3
    many = collection.get_many(f"c{n:04}" for n in range(2000))
    assert sorted(many) == ["c0000", "c0001", "c0002"]
