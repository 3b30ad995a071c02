"""Random questions about random items: every engine answers as a plain reading of the promises does."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest

from knowledge.cases import Problem
from knowledge.kinds import PROBLEMS
from knowledge.store import Collection, Query, Range, Store, Tally
from tests.knowledge.making import NOW, problem

AGENTS = ("desk", "shop", "客服", "Desk", "a b")
WORDS = ("订单", "查不到", "order", "found", "不存在", "W12", "x")


def some_problem(rng: random.Random, name: str) -> Problem:
    return problem(
        name,
        tool=rng.choice([None, "get", "put", "Get"]),
        agents=tuple(rng.choices(AGENTS, k=rng.randrange(4))),
        model_versions=tuple(rng.choices(["m1", "m2"], k=rng.randrange(3))),
        count=rng.randrange(5),
        first_seen=NOW + timedelta(microseconds=rng.randrange(6)),
        error_message="".join(rng.choice(WORDS) + rng.choice([" ", "，", ""]) for _ in range(4)),
        error_pattern="",
        user_intent=rng.choice(WORDS),
    )


def some_query(rng: random.Random) -> Query:
    where: dict[str, Any] = {}
    if rng.random() < 0.4:
        where["agents"] = rng.choice([None, "desk", ["shop", "客服"], [None, "Desk"], "none", []])
    if rng.random() < 0.3:
        where["tool"] = rng.choice([None, "get", ["get", "put", None]])
    ranges = {}
    if rng.random() < 0.3:
        ranges["count"] = Range(*sorted([rng.randrange(5), rng.randrange(6)]))
    if rng.random() < 0.3:
        ranges["first_seen"] = Range(NOW + timedelta(microseconds=rng.randrange(6)), None)
    return Query(
        where=where,
        ranges=ranges,
        sort=rng.choice(["", "tool", "agents", "count", "first_seen", "status"]),
        descending=rng.random() < 0.5,
    )


def as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else () if value is None else (value,)


def holds(item: Problem, query: Query) -> bool:
    for field, wanted in query.where.items():
        values = as_tuple(getattr(item, field))
        options = wanted if isinstance(wanted, list) else [wanted]
        if not (set(values) & set(options) or (None in options and not values)):
            return False
    return all(
        (bounds.since is None or getattr(item, field) >= bounds.since)
        and (bounds.until is None or getattr(item, field) < bounds.until)
        for field, bounds in query.ranges.items()
    )


def in_order(items: Iterable[Problem], query: Query) -> list[str]:
    present, absent = [], []
    for item in items:
        values = as_tuple(getattr(item, query.sort)) if query.sort else ("",)
        if values:
            present.append((min(values), item.fingerprint))
        else:
            absent.append(item.fingerprint)
    sort = sorted(present, reverse=query.descending)
    return [name for _, name in sort] + sorted(absent, reverse=query.descending)


def paged(collection: Collection[Problem], query: Query, limit: int) -> list[str]:
    page = collection.find(query, limit)
    found = [stored.item.fingerprint for stored in page.items]
    while page.cursor is not None:
        page = collection.find(query, limit, page.cursor)
        found += [stored.item.fingerprint for stored in page.items]
    return found


@pytest.mark.parametrize("seed", range(3))
def test_every_engine_answers_as_the_promises_read(store: Store, seed: int) -> None:
    rng = random.Random(seed)
    collection = store.collection("p", PROBLEMS)
    items = {name: some_problem(rng, name) for name in (f"{n:02}" for n in range(40))}
    collection.put_many(some_problem(rng, name) for name in items)
    collection.put_many(items.values())
    for name in rng.sample(sorted(items), 5):
        collection.remove_many([name])
        del items[name]
    for _ in range(25):
        query = some_query(rng)
        expected = in_order((item for item in items.values() if holds(item, query)), query)
        assert paged(collection, query, rng.choice([1, 3, 50])) == expected, query
        assert [stored.item for stored in collection.scan(query)] == [items[name] for name in expected], query
        counts = Counter(value for name in expected for value in (set(items[name].agents) or {None}))
        assert set(collection.tally(query, "agents")) == {Tally(*pair) for pair in counts.items()}, query
