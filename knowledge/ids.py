"""Ids derived from content: the same thing gets the same id, whoever writes it and however often."""

from __future__ import annotations

import base64
import hashlib

import orjson


def canonical_json(value: object) -> bytes:
    """JSON with sorted keys and no spaces; equal values give equal bytes."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)


def digest(*parts: object) -> str:
    """26 characters of base32 (130 bits of SHA-256) over the canonical JSON of `parts`; lower case."""
    hashed = hashlib.sha256(canonical_json(parts)).digest()
    return base64.b32encode(hashed[:20])[:26].decode().lower()
