"""The contract of writing, on every engine."""

from __future__ import annotations

import pytest

from knowledge.errors import BadInputError, ConflictError, NotFoundError, StaleError
from knowledge.kinds import CASES, PUBLICATIONS, STAGES, STRATEGIES
from knowledge.nights import StageRecord
from knowledge.store import Query, Store
from knowledge.strategies import Publication
from tests.knowledge.making import NOW, case, cases, strategy


def test_what_was_added_is_read_back_whole(store: Store) -> None:
    written = case(
        "c1", error_message="查不到订单 №7 🙂", evidence={"a": [1, None, {"b": 2.5}], "": {"x.y": ""}}
    )
    store.collection("p", CASES).add_many([written])
    stored = store.collection("p", CASES).get("c1")
    assert stored is not None
    assert stored.item == written


def test_adding_again_says_exists_and_leaves_the_item_as_it_was(store: Store) -> None:
    collection = store.collection("p", CASES)
    first = collection.add_many([case("c1", user_intent="first")])
    again = collection.add_many([case("c1", user_intent="second"), case("c2")])
    assert [result.status for result in first.results] == ["created"]
    assert [(result.key, result.status) for result in again.results] == [("c1", "exists"), ("c2", "created")]
    assert again.created == ("c2",)
    assert collection.get_many(["c1"])["c1"].item.user_intent == "first"


def test_the_same_key_twice_in_one_call_is_created_once(store: Store) -> None:
    report = store.collection("p", CASES).add_many([case("c1"), case("c1")])
    assert [result.status for result in report.results] == ["created", "exists"]


def test_put_many_creates_and_replaces(store: Store) -> None:
    collection = store.collection("p", CASES)
    collection.add_many([case("c1", user_intent="old")])
    report = collection.put_many([case("c1", user_intent="new"), case("c2"), case("c2", user_intent="last")])
    assert [result.status for result in report.results] == ["replaced", "created", "replaced"]
    assert {
        key: stored.item.user_intent for key, stored in collection.get_many(["c1", "c2", "c3"]).items()
    } == {
        "c1": "new",
        "c2": "last",
    }


def test_a_replaced_item_is_found_by_its_new_values_only(store: Store) -> None:
    collection = store.collection("p", CASES)
    collection.add_many([case("c1", run_id="old", user_intent="alpha")])
    collection.put_many([case("c1", run_id="new", user_intent="beta")])
    found = [
        len(collection.find(query).items)
        for query in (
            Query(where={"run_id": "old"}),
            Query(text="alpha"),
            Query(where={"run_id": "new"}),
            Query(text="beta"),
        )
    ]
    assert found == [0, 0, 1, 1]


def test_a_report_has_one_result_per_item_in_order_and_the_good_ones_are_written(store: Store) -> None:
    broken = [case("c1"), case("c2", error_message="half \ud83d of it"), case("bad \udc00 id"), case("c3")]
    collection = store.collection("p", CASES)
    for report in (collection.add_many(broken), collection.put_many(broken)):
        assert [result.status == "refused" for result in report.results] == [False, True, True, False]
        assert [result.key for result in report.refused] == ["c2", "bad \\udc00 id"]
        assert all("surrogate" in (result.reason or "") for result in report.refused)
        for result in report.results:
            f"{result.key} {result.reason}".encode()
    assert set(collection.get_many(["c1", "c2", "c3", "bad \udc00 id"])) == {"c1", "c3"}


def test_names_are_kept_as_they_are_or_refused(store: Store) -> None:
    collection = store.collection("p", CASES)
    report = collection.add_many(
        [
            case("c1", evidence={"half": [{"\ud800": 1}]}),
            case("c2", evidence={"\ufffd": "\ufffd"}),
            case("c3", evidence={"half": ["\udfff"]}),
        ]
    )
    assert [result.status for result in report.results] == ["refused", "created", "refused"]
    assert all("surrogate" in (result.reason or "") for result in report.refused)
    assert collection.get_many(["c2"])["c2"].item.evidence == {"\ufffd": "\ufffd"}


def test_an_id_that_is_too_long_is_refused_and_a_long_one_is_kept(store: Store) -> None:
    collection = store.collection("p", CASES)
    long = "长" * 1000
    report = collection.add_many([case(long), case(long + "a"), case("x" * 5000)])
    assert [result.status for result in report.results] == ["created", "created", "refused"]
    assert set(collection.get_many([long, long + "a", "x" * 5000])) == {long, long + "a"}
    assert [stored.item.case_id for stored in collection.find(Query()).items] == [long, long + "a"]


@pytest.mark.parametrize(
    "name", ["", "a/b", "a b", "..", "a\x00b", "a\nb", "_x", "50%", "#1?x=y", "中文", "a:b"]
)
def test_any_text_may_be_an_id(store: Store, name: str) -> None:
    collection = store.collection("p", CASES)
    made = collection.put(case(name), None)
    collection.put(case(name, user_intent="again"), made.version)
    assert collection.get_many([name])[name].item.user_intent == "again"
    assert collection.find(Query()).items[0].item.case_id == name
    assert collection.remove_many([name]) == 1
    assert collection.get(name) is None


def test_texts_of_any_length_and_kind_are_kept(store: Store) -> None:
    odd = "a\x00b \u2028 ١٢ é \U0001f9d1‍🔧 " + "x" * 300_000 + " 字" * 20_000
    collection = store.collection("p", CASES)
    written = case("c1", error_message=odd, run_id=odd, evidence={"nested": _nested(40), "big": 10**30})
    assert collection.add_many([written]).refused == ()
    assert collection.get_many(["c1"])["c1"].item == written
    assert len(collection.find(Query(where={"run_id": odd})).items) == 1
    assert collection.find(Query(where={"run_id": odd[:-1]})).items == ()
    assert [tally.count for tally in collection.tally(Query(), "run_id")] == [1]


def _nested(depth: int) -> object:
    value: object = "deep"
    for _ in range(depth):
        value = {"a.b": [value]}
    return value


def test_put_creates_once(store: Store) -> None:
    collection = store.collection("p", CASES)
    collection.put(case("c1"), None)
    with pytest.raises(ConflictError, match="c1 exists already"):
        collection.put(case("c1"), None)


def test_put_replaces_only_the_version_that_was_read(store: Store) -> None:
    collection = store.collection("p", CASES)
    first = collection.put(case("c1"), None)
    second = collection.put(case("c1", user_intent="edited"), first.version)
    assert second.version != first.version
    assert collection.get_many(["c1"])["c1"] == second
    for stale in (first.version, "", "nonsense", "1.2.3"):
        with pytest.raises(StaleError, match="changed since it was read"):
            collection.put(case("c1", user_intent="lost"), stale)
    assert collection.get_many(["c1"])["c1"].item.user_intent == "edited"


def test_every_way_of_reading_gives_the_same_version(store: Store) -> None:
    collection = store.collection("p", CASES)
    made = collection.put(case("c1"), None)
    assert collection.get("c1") == made
    assert collection.find(Query()).items == (made,)
    assert list(collection.scan(Query())) == [made]


def test_every_write_changes_the_version(store: Store) -> None:
    collection = store.collection("p", CASES)
    versions = [collection.put(case("c1"), None).version]
    collection.put_many([case("c1")])
    versions.append(collection.get_many(["c1"])["c1"].version)
    collection.remove_many(["c1"])
    versions.append(collection.put(case("c1"), None).version)
    assert len(set(versions)) == 3
    with pytest.raises(StaleError):
        collection.put(case("c1"), versions[0])


def test_put_over_an_item_that_was_removed_is_not_found(store: Store) -> None:
    collection = store.collection("p", CASES)
    made = collection.put(case("c1"), None)
    collection.remove_many(["c1"])
    with pytest.raises(NotFoundError, match="c1 is gone"):
        collection.put(case("c1"), made.version)


def test_put_of_what_cannot_be_written_is_bad_input(store: Store) -> None:
    with pytest.raises(BadInputError, match="surrogate"):
        store.collection("p", CASES).put(case("c1", user_intent="\ud800"), None)


def test_a_history_only_grows(store: Store) -> None:
    collection = store.collection("p", STRATEGIES)
    made = collection.put(strategy("ST-0001", ("filed", "approved")), None)
    for lossy in (("filed",), ("approved", "filed"), (), ("filed", "rewritten", "more")):
        with pytest.raises(BadInputError, match="history only grows"):
            collection.put(strategy("ST-0001", lossy), made.version)
        refused = collection.put_many([strategy("ST-0001", lossy), strategy("ST-0002")])
        assert refused.results[0].status == "refused"
        assert "history only grows" in (refused.results[0].reason or "")
        assert refused.results[1].status in ("created", "replaced")
    assert collection.get("ST-0001") == made
    grown = collection.put(strategy("ST-0001", ("filed", "approved", "retired")), made.version)
    again = collection.put_many([strategy("ST-0001", ("filed", "approved", "retired", "back"))])
    assert again.results[0].status == "replaced"
    assert len(grown.item.history) == 3


def test_a_history_grows_within_one_call(store: Store) -> None:
    collection = store.collection("p", STRATEGIES)
    report = collection.put_many(
        [strategy("ST-1", ("a",)), strategy("ST-1", ("a", "b")), strategy("ST-1", ("b",))]
    )
    assert [result.status for result in report.results] == ["created", "replaced", "refused"]
    assert [entry.reason for entry in collection.get_many(["ST-1"])["ST-1"].item.history] == ["a", "b"]


def test_keys_may_be_numbers_or_several_fields(store: Store) -> None:
    publication = Publication(revision=7, at=NOW, rules=(), actor="ann", reason="r")
    stage = StageRecord(
        night_id="n1", position=0, stage="collect", status="done", started_at=NOW, fencing_token=1
    )
    store.collection("p", PUBLICATIONS).put(publication, None)
    store.collection("p", STAGES).put(stage, None)
    assert store.collection("p", PUBLICATIONS).get("7") is not None
    assert store.collection("p", STAGES).get("n1:collect") is not None


def test_removing_counts_what_was_there(store: Store) -> None:
    collection = store.collection("p", CASES)
    collection.add_many(cases(5))
    assert collection.remove_many(["c0000", "c0001", "c0001", "nothing", "\ud800"]) == 2
    assert [stored.item.case_id for stored in collection.find(Query()).items] == ["c0002", "c0003", "c0004"]
    assert collection.find(Query(text="order")).items[0].item.case_id == "c0002"


def test_a_scan_that_feeds_its_own_writes_ends(store: Store) -> None:
    collection = store.collection("p", CASES)
    collection.add_many(cases(600))
    copies = (
        stored.item.model_copy(update={"case_id": f"x{stored.item.case_id}"})
        for stored in collection.scan(Query())
    )
    assert len(collection.add_many(copies).created) == 600
    assert collection.add_many(iter(())).results == ()


def test_numbers_out_of_range_are_refused(store: Store) -> None:
    publications = [
        Publication(revision=n, at=NOW, rules=(), actor="a", reason="r") for n in (2**62, 2**63, 2**80)
    ]
    report = store.collection("p", PUBLICATIONS).add_many(publications)
    assert [result.status for result in report.results] == ["created", "refused", "refused"]
    assert "out of range" in (report.results[1].reason or "")
