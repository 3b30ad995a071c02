"""The contract of nearest neighbours, on every engine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from knowledge.errors import BadInputError
from knowledge.neighbours import PRECISION, Entry, Nearby
from knowledge.store import Store

SPACE = "minilm 错误"


def some_entries(count: int, dimension: int = 16, seed: int = 3) -> list[Entry]:
    rows = np.random.default_rng(seed).standard_normal((count, dimension))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return [Entry(f"RC-{n % 7}", f"d{n}", row.astype("<f4").tobytes()) for n, row in enumerate(rows)]


def product(left: bytes, right: bytes) -> float:
    one, other = (np.frombuffer(some, dtype="<f4").astype(np.float64) for some in (left, right))
    return float(one @ other)


def test_the_nearest_are_exactly_the_greatest_products_of_the_groups(store: Store) -> None:
    entries = some_entries(900)
    store.neighbours.keep("p", SPACE, entries)
    asked = [Nearby(one.vector, {"RC-1", "RC-4", "RC-none"}) for one in some_entries(60, seed=4)]
    for one, found in zip(asked, store.neighbours.nearest("p", SPACE, asked, 20), strict=True):
        products = {e.digest: product(one.vector, e.vector) for e in entries if e.group in one.groups}
        assert len(found) == 20
        assert {neighbour.group for neighbour in found} <= one.groups
        for neighbour in found:
            assert abs(neighbour.product - products.pop(neighbour.digest)) < PRECISION
        assert [n.product for n in found] == sorted((n.product for n in found), reverse=True)
        assert max(products.values()) <= found[-1].product + PRECISION


def test_fewer_than_asked_for_are_all_there_are(store: Store) -> None:
    entries = some_entries(10)
    store.neighbours.keep("p", SPACE, entries)
    (found,) = store.neighbours.nearest("p", SPACE, [Nearby(entries[0].vector, {"RC-0", "RC-1"})], 50)
    assert {one.digest for one in found} == {"d0", "d7", "d1", "d8"}
    assert (found[0].group, found[0].digest) == ("RC-0", "d0")
    assert store.neighbours.nearest("p", SPACE, [Nearby(entries[0].vector, set())], 5) == [()]
    assert store.neighbours.nearest("p", SPACE, [], 5) == []


def test_opposite_vectors_have_their_negative_product_and_zeros_are_allowed(store: Store) -> None:
    up, down, nil = (np.array(some, dtype="<f4").tobytes() for some in ([1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]))
    store.neighbours.keep(
        "p", SPACE, [Entry("a", "up", up), Entry("a", "down", down), Entry("a", "nil", nil)]
    )
    (found,) = store.neighbours.nearest("p", SPACE, [Nearby(up, {"a"})], 3)
    assert [one.digest for one in found] == ["up", "nil", "down"]
    assert [one.product for one in found] == pytest.approx([1.0, 0.0, -1.0], abs=PRECISION)


def test_a_text_may_stand_in_several_groups_and_keeping_again_changes_nothing(store: Store) -> None:
    (entry, other) = some_entries(2)
    for _ in range(2):
        store.neighbours.keep("p", SPACE, iter([entry, Entry("RC-9", entry.digest, entry.vector)]))
    store.neighbours.keep("p", SPACE, [Entry(entry.group, entry.digest, other.vector)])
    (found,) = store.neighbours.nearest("p", SPACE, [Nearby(entry.vector, {"RC-0", "RC-9"})], 5)
    assert sorted((one.group, one.digest) for one in found) == [("RC-0", "d0"), ("RC-9", "d0")]
    assert [one.product for one in found] == pytest.approx([1.0, 1.0], abs=PRECISION)


def test_projects_and_spaces_are_apart(store: Store) -> None:
    (one, other) = some_entries(2)
    store.neighbours.keep("p", SPACE, [one])
    store.neighbours.keep("q", SPACE, [other])
    store.neighbours.keep("p", "use", some_entries(1, dimension=4))
    groups = {"RC-0", "RC-1"}
    for project, digest in (("p", "d0"), ("q", "d1")):
        ((found,),) = store.neighbours.nearest(project, SPACE, [Nearby(one.vector, groups)], 5)
        assert found.digest == digest


def test_vectors_of_a_space_have_one_length(store: Store) -> None:
    with pytest.raises(BadInputError, match="minilm"):
        store.neighbours.keep("p", SPACE, [*some_entries(1), some_entries(2, dimension=4)[1]])


def test_another_process_sees_them(open_again: Callable[[], Store], store: Store) -> None:
    (entry,) = some_entries(1)
    store.neighbours.keep("p", SPACE, [entry])
    ((found,),) = open_again().neighbours.nearest("p", SPACE, [Nearby(entry.vector, {"RC-0"})], 1)
    assert found.digest == "d0"
