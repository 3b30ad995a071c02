"""The contract of vectors, on every engine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from knowledge.errors import BadInputError
from knowledge.store import Store


def test_vectors_come_back_bit_by_bit(store: Store) -> None:
    rows = np.random.default_rng(7).normal(size=(600, 32)).astype("<f4")
    rows[0, :3] = [np.nan, -0.0, np.inf]
    written = {f"d{n}": row.tobytes() for n, row in enumerate(rows)}
    store.vectors.put_many("minilm", written)
    assert store.vectors.get_many("minilm", [*written, "other", "d0"]) == written


def test_encoders_are_apart(store: Store) -> None:
    store.vectors.put_many("a", {"d": b"\x00" * 8})
    store.vectors.put_many("模型/b" * 200, {"d": b"\x01" * 4})
    assert store.vectors.get_many("a", ["d"]) == {"d": b"\x00" * 8}
    assert store.vectors.get_many("模型/b" * 200, iter(["d", "e"])) == {"d": b"\x01" * 4}
    assert store.vectors.get_many("c", ["d"]) == {}
    assert store.vectors.get_many("a", []) == {}


def test_the_same_digest_again_changes_nothing(store: Store) -> None:
    store.vectors.put_many("a", {"d": b"\x00" * 8})
    store.vectors.put_many("a", {"d": b"\x01" * 8, "e": b"\x02" * 8})
    assert store.vectors.get_many("a", ["d", "e"]) == {"d": b"\x00" * 8, "e": b"\x02" * 8}


@pytest.mark.parametrize(
    "vectors", [{"e": b"\x00" * 4}, {"e": b"\x00" * 7}, {"e": b""}, {"e": b"\x00" * 8, "f": b"\x00" * 12}]
)
def test_a_vector_of_another_length_is_refused_and_nothing_is_written(
    store: Store, vectors: dict[str, bytes]
) -> None:
    store.vectors.put_many("a", {"d": b"\x00" * 8})
    with pytest.raises(BadInputError, match="a: the vector of"):
        store.vectors.put_many("a", vectors)
    assert store.vectors.get_many("a", vectors) == {}


def test_an_encoder_may_have_nothing_yet(store: Store) -> None:
    store.vectors.put_many("a", {})
    store.vectors.put_many("a", {"d": b"\x00" * 4})


def test_another_process_sees_them(open_again: Callable[[], Store], store: Store) -> None:
    store.vectors.put_many("a", {"d": b"\x00" * 8})
    assert open_again().vectors.get_many("a", ["d"]) == {"d": b"\x00" * 8}
