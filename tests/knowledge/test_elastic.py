"""What is special to Elasticsearch: busy nodes, strict mappings, refreshes, points in time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from elasticsearch import BadRequestError, Elasticsearch

from knowledge.elastic import ElasticStore
from knowledge.elastic.bulk import MAX_BYTES
from knowledge.elastic.connection import PAUSES
from knowledge.errors import StoreUnavailableError
from knowledge.kinds import CASES, KINDS
from knowledge.store import Query
from tests.knowledge.making import NOW, case, cases
from tests.knowledge.wire import Answer, Wire, wired


@pytest.fixture
def wire(node: Any, elastic_prefix: str) -> Iterator[Wire]:
    made = Wire(node.url, elastic_prefix)
    yield made
    for store in made.stores:
        store.close()
    node.empty(elastic_prefix)


@pytest.fixture
def client(node: Any) -> Iterator[Elasticsearch]:
    made = Elasticsearch(node.url)
    yield made
    made.close()


def busy(times: int, part: str, status: int = 429) -> Answer:
    """Turn the first `times` requests whose path has `part` away."""
    left = [times]

    def answer(_method: str, target: str, _body: bytes) -> tuple[int, Any] | None:
        if part not in target or not left[0]:
            return None
        left[0] -= 1
        return status, {"error": {"root_cause": [{"reason": "queue is full"}]}, "status": status}

    return answer


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("part", ["_bulk", "_search", "_mget", "_refresh", "_doc"])
def test_a_busy_node_is_asked_again_after_a_pause(wire: Wire, part: str, status: int) -> None:
    store = wire.open(busy(3, part, status))
    collection = store.collection("p", CASES)
    assert len(collection.add_many(cases(3)).created) == 3
    collection.put(case("c9"), None)
    assert collection.get("c0000") is not None
    assert len(collection.find(Query()).items) == 4
    assert wire.slept == list(PAUSES[:3])


def test_a_node_that_stays_busy_is_given_up(wire: Wire) -> None:
    store = wire.open(busy(100, "_bulk"))
    with pytest.raises(StoreUnavailableError, match=r"overloaded.*queue is full"):
        store.collection("p", CASES).add_many(cases(3))
    assert wire.slept == list(PAUSES)


def per_item(refuse: Callable[[int, str], dict[str, Any] | None]) -> Answer:
    """Answer bulk requests item by item: `refuse` gives an error (attempt, id) or None for written."""
    attempts: dict[str, int] = {}

    def answer(_method: str, target: str, body: bytes) -> tuple[int, Any] | None:
        if "_bulk" not in target:
            return None
        heads = [json.loads(line) for line in body.splitlines()[::2]]
        items = []
        for head in heads:
            ((verb, about),) = head.items()
            doc_id = about["_id"]
            attempts[doc_id] = attempts.get(doc_id, 0) + 1
            error = refuse(attempts[doc_id], doc_id)
            said = {"status": 201, "result": "created"} if error is None else error
            items.append({verb: {"_id": doc_id, **said}})
        return 200, {"took": 1, "errors": True, "items": items}

    return answer


def test_only_the_items_that_were_turned_away_are_sent_again(wire: Wire) -> None:
    def refuse(attempt: int, doc_id: str) -> dict[str, Any] | None:
        turned_away = doc_id.endswith(("1", "3")) and attempt < 3
        return {"status": 429, "error": {"type": "rejected", "reason": "full"}} if turned_away else None

    report = wire.open(per_item(refuse)).collection("p", CASES).add_many(cases(5))
    assert [result.status for result in report.results] == ["created"] * 5
    assert [result.key for result in report.results] == [item.case_id for item in cases(5)]
    sent = [body.count(b'"create"') for _, target, body in wire.requests if "_bulk" in target]
    assert sent == [5, 2, 2]
    assert wire.slept == list(PAUSES[:2])


def test_an_item_that_is_refused_has_its_reason_and_the_others_are_written(wire: Wire) -> None:
    def refuse(_attempt: int, doc_id: str) -> dict[str, Any] | None:
        error = {"type": "document_parsing_exception", "reason": "field is odd"}
        return {"status": 400, "error": error} if doc_id.endswith("1") else None

    report = wire.open(per_item(refuse)).collection("p", CASES).add_many(cases(3))
    assert [result.status for result in report.results] == ["created", "refused", "created"]
    assert report.refused[0].reason == "document_parsing_exception: field is odd"


def test_items_that_stay_turned_away_end_in_an_error(wire: Wire) -> None:
    store = wire.open(per_item(lambda *_: {"status": 429, "error": {"type": "rejected", "reason": "full"}}))
    with pytest.raises(StoreUnavailableError, match="stays overloaded: 3 of 3"):
        store.collection("p", CASES).add_many(cases(3))


def test_a_bulk_request_is_bounded_in_bytes(wire: Wire) -> None:
    large = [case(f"c{n}", evidence={"text": "x" * 3_000_000}) for n in range(5)]
    assert len(wire.open().collection("p", CASES).add_many(large).created) == 5
    sizes = [len(body) for _, target, body in wire.requests if "_bulk" in target]
    assert len(sizes) == 3
    assert max(sizes) < MAX_BYTES


def test_a_store_that_was_not_prepared_says_so_and_makes_no_index(wire: Wire, client: Elasticsearch) -> None:
    wire.prefix = f"{wire.prefix}-none"
    store = wire.open()
    collection = store.collection("p", CASES)
    for use in (
        lambda: collection.add_many(cases(1)),
        lambda: collection.put(case("c1"), None),
        lambda: collection.get("c1"),
        lambda: collection.find(Query()),
        lambda: list(collection.scan(Query())),
        lambda: collection.tally(Query(), "run_id"),
        lambda: store.leases.acquire("n", "ann", 1, NOW),
        lambda: store.vectors.put_many("a", {"d": b"\x00" * 4}),
    ):
        with pytest.raises(StoreUnavailableError, match="prepare"):
            use()
    assert client.indices.get(index=f"{wire.prefix}-*").body == {}


def test_nothing_is_stored_that_the_mapping_does_not_name(wire: Wire, client: Elasticsearch) -> None:
    alias = f"{wire.prefix}-cases"
    for document in ({"nonsense": 1}, {"fields": {"nonsense": 1}}, {"fields": {"agent": {"nonsense": 1}}}):
        with pytest.raises(BadRequestError, match="strict"):
            client.index(index=alias, document=document)


def test_every_kind_has_an_index_behind_an_alias(wire: Wire, client: Elasticsearch) -> None:
    found = client.indices.get_alias(name=f"{wire.prefix}-*").body
    behind = {alias: name for name, about in found.items() for alias in about["aliases"]}
    assert set(behind) == {
        f"{wire.prefix}-{name}" for name in [*(kind.name for kind in KINDS), "leases", "vectors"]
    }
    assert all(name.startswith(f"{alias}-") for alias, name in behind.items())


def test_an_index_is_refreshed_once_after_writes_and_not_again(wire: Wire) -> None:
    collection = wire.open().collection("p", CASES)
    collection.add_many(cases(2))
    for _ in range(3):
        collection.find(Query())
        collection.tally(Query(), "run_id")
    assert wire.count("_refresh") == 1
    collection.remove_many(["c0000"])
    assert [stored.item.case_id for stored in collection.scan(Query())] == ["c0001"]
    assert wire.count("_refresh") == 2
    wire.open().collection("p", CASES).find(Query())
    assert wire.count("_refresh") == 3


def test_a_refresh_that_failed_is_made_up_for(wire: Wire) -> None:
    collection = wire.open(busy(6, "_refresh")).collection("p", CASES)
    collection.add_many(cases(2))
    with pytest.raises(StoreUnavailableError):
        collection.find(Query())
    assert len(collection.find(Query()).items) == 2


def test_a_scan_goes_on_after_its_point_in_time_expired(wire: Wire, client: Elasticsearch) -> None:
    collection = wire.open().collection("p", CASES)
    collection.add_many(cases(1100))
    scan = collection.scan(Query(sort="occurred_at", descending=True))
    seen = [next(scan).item.case_id for _ in range(500)]
    points = [
        json.loads(body)["pit"]["id"] for _, target, body in wire.requests if target.startswith("/_search")
    ]
    client.close_point_in_time(id=points[-1])
    seen += [stored.item.case_id for stored in scan]
    assert seen == [item.case_id for item in reversed(cases(1100))]


def test_a_scan_gives_its_point_in_time_back_even_if_it_is_left(wire: Wire) -> None:
    collection = wire.open().collection("p", CASES)
    collection.add_many(cases(3))
    scan = collection.scan(Query())
    next(scan)
    scan.close()
    list(collection.scan(Query()))
    methods = [method for method, target, _ in wire.requests if "_pit" in target]
    assert sorted(methods) == ["DELETE", "DELETE", "POST", "POST"]


def test_a_wrong_key_is_named_without_showing_it(node: Any) -> None:
    refused = wired(
        lambda *_: (401, {"error": {"root_cause": [{"reason": "unable to authenticate"}]}, "status": 401})
    )
    store = ElasticStore(f"{node.url}?api_key=hush", node_class=refused)
    with pytest.raises(StoreUnavailableError, match="does not know this user or API key") as caught:
        store.ping()
    assert "hush" not in str(caught.value)
    store.close()
