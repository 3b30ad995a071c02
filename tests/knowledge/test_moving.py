"""A changed mapping in Elasticsearch: a new index behind the same alias, filled from the old one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from knowledge.elastic import ElasticStore
from knowledge.errors import StaleError, StoreUnavailableError
from knowledge.kinds import PROBLEMS, RUN_RECORDS
from knowledge.runs import RunRecord
from knowledge.store import Query, Tally
from tests.knowledge.making import NOW, problem
from tests.knowledge.wire import Answer, wired

BEFORE = replace(PROBLEMS, fields={"tool": "keyword"})
Open = Callable[..., ElasticStore]


@pytest.fixture
def prefix(node: Any) -> str:
    return str(node.prefix())


@pytest.fixture
def open_one(node: Any, prefix: str) -> Iterator[Open]:
    opened: list[ElasticStore] = []

    def opening(kind: Any = PROBLEMS, answer: Answer = lambda *_: None) -> ElasticStore:
        opened.append(
            ElasticStore(
                node.url, prefix=prefix, kinds=[kind], sleep=lambda _: None, node_class=wired(answer)
            )
        )
        return opened[-1]

    yield opening
    for store in opened:
        store.close()


@pytest.fixture
def old(open_one: Open) -> ElasticStore:
    """A store of the former mapping with 1,100 problems."""
    store = open_one(BEFORE)
    store.prepare()
    store.collection("p", BEFORE).add_many(
        problem(f"f{n:04}", count=n, agents=("desk",)) for n in range(1100)
    )
    store.leases.acquire("n", "ann", 60, NOW)
    return store


def indices(node: Any, prefix: str) -> list[str]:
    with Elasticsearch(node.url) as client:
        return sorted(client.indices.get(index=f"{prefix}-problems-*").body)


def test_all_items_move_and_the_old_index_goes(
    node: Any, prefix: str, old: ElasticStore, open_one: Open
) -> None:
    before = indices(node, prefix)
    version = old.collection("p", BEFORE).get_many(["f0001"])["f0001"].version
    new = open_one()
    for _ in range(2):
        new.prepare()
        collection = new.collection("p", PROBLEMS)
        assert len(list(collection.scan(Query(where={"agents": "desk"}, text="not-found")))) == 1100
    after = indices(node, prefix)
    assert len(before) == len(after) == 1
    assert before != after
    holder = new.leases.holder("n")
    assert holder is not None
    assert holder.holder == "ann"
    with pytest.raises(StaleError):
        new.collection("p", PROBLEMS).put(problem("f0001"), version)
    assert new.collection("p", PROBLEMS).add_many([problem("new")]).created == ("new",)


def test_what_was_written_before_a_field_was_indexed_is_counted_by_it(open_one: Open) -> None:
    former = {name: form for name, form in RUN_RECORDS.fields.items() if name != "agent.version"}
    before = replace(RUN_RECORDS, fields=former)
    old = open_one(before)
    old.prepare()
    old.collection("p", before).add_many(
        RunRecord.model_validate(
            {
                "run_id": f"r{n}",
                "agent": {"name": "desk", "version": f"1.{n % 2}"},
                "user_intent": "退货",
                "outcome": {"status": "failure"},
                "occurred_at": NOW,
            }
        )
        for n in range(5)
    )
    new = open_one(RUN_RECORDS)
    new.prepare()
    tallied = new.collection("p", RUN_RECORDS).tally(Query(), "agent.version")
    assert tallied == [Tally("1.0", 3), Tally("1.1", 2)]


def test_a_move_that_is_cut_short_goes_on_and_everything_is_readable_meanwhile(
    node: Any, prefix: str, old: ElasticStore, open_one: Open
) -> None:
    requests = [0]

    def cut(_method: str, target: str, _body: bytes) -> tuple[int, Any] | None:
        requests[0] += "_bulk" in target
        return (500, {"error": "cut", "status": 500}) if requests[0] > 1 else None

    with pytest.raises(StoreUnavailableError):
        open_one(PROBLEMS, cut).prepare()
    assert len(indices(node, prefix)) == 2
    assert len(list(old.collection("p", BEFORE).scan(Query(where={"tool": "get_order"})))) == 1100
    with pytest.raises(StoreUnavailableError, match="being moved"):
        old.collection("p", BEFORE).add_many([problem("late")])
    with pytest.raises(StoreUnavailableError, match="being moved"):
        old.collection("p", BEFORE).put(problem("late"), None)
    new = open_one()
    new.prepare()
    assert len(list(new.collection("p", PROBLEMS).scan(Query(where={"agents": "desk"})))) == 1100
    assert len(indices(node, prefix)) == 1


def test_several_processes_move_at_once(node: Any, prefix: str, old: ElasticStore, open_one: Open) -> None:
    stores = [open_one() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ElasticStore.prepare, stores))
    for store in stores:
        assert len(list(store.collection("p", PROBLEMS).scan(Query(where={"agents": "desk"})))) == 1100
    assert len(indices(node, prefix)) == 1
    assert old.collection("p", BEFORE).get("f0000") is not None


def test_several_processes_prepare_an_empty_cluster_at_once(node: Any, prefix: str, open_one: Open) -> None:
    stores = [open_one() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ElasticStore.prepare, stores))
    assert len(indices(node, prefix)) == 1
    assert stores[0].collection("p", PROBLEMS).add_many([problem("a")]).created == ("a",)


def test_an_item_that_cannot_be_read_stops_the_move_and_nothing_is_lost(
    node: Any, prefix: str, old: ElasticStore, open_one: Open
) -> None:
    with Elasticsearch(node.url) as client:
        source = {"project": "p", "key": "zzz", "body": "{}", "fields": {}}
        client.index(index=f"{prefix}-problems", id="p/zzz", document=source, refresh=True)
    with pytest.raises(StoreUnavailableError, match="problems zzz"):
        open_one().prepare()
    assert len(old.collection("p", BEFORE).get_many(f"f{n:04}" for n in range(1100))) == 1100
    assert old.collection("p", BEFORE).add_many([problem("late")]).created == ("late",)
    assert len(indices(node, prefix)) == 1
