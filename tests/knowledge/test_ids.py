"""Ids are the beginning of a base32 text of a hash, however they are made."""

from __future__ import annotations

import base64
import hashlib

import pytest

from knowledge.ids import canonical_json, digest


@pytest.mark.parametrize(
    "parts", [("case", "p", 3), ("",), (), ({"b": 1, "a": None}, "查"), *((n,) for n in range(40))]
)
def test_a_digest_is_the_beginning_of_the_hash_in_base32(parts: tuple[object, ...]) -> None:
    hashed = hashlib.sha256(canonical_json(parts)).digest()

    assert digest(*parts) == base64.b32encode(hashed).decode().lower()[:26]
