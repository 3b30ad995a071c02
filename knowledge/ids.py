"""Ids derived from content: the same thing gets the same id, whoever writes it and however often."""

from __future__ import annotations

import hashlib

import orjson

_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_PAIRS = tuple(first + second for first in _LETTERS for second in _LETTERS)
_SHIFTS = range(246, 120, -10)
"""Where each ten bits of 26 characters stand among the 256 of a hash."""


def canonical_json(value: object) -> bytes:
    """JSON with sorted keys and no spaces; equal values give equal bytes."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)


def digest(*parts: object) -> str:
    """26 characters of base32 (130 bits of SHA-256) over the canonical JSON of `parts`; lower case."""
    hashed = int.from_bytes(hashlib.sha256(canonical_json(parts)).digest(), "big")
    return "".join([_PAIRS[hashed >> shift & 1023] for shift in _SHIFTS])


def short_digest(*parts: object) -> str:
    """The first 12 characters of `digest`, in half the time."""
    hashed = int.from_bytes(hashlib.sha256(canonical_json(parts)).digest()[:8], "big")
    return "".join([_PAIRS[hashed >> shift & 1023] for shift in range(54, 3, -10)])
