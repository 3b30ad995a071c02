"""JSON as text: the one way in which a value is written where text is matched, compared or indexed."""

from __future__ import annotations

import json

import orjson

from errata_client.model import JsonValue


def as_text(value: JsonValue) -> str:
    """A string as it is; anything else as compact JSON (`120`, `true`, `["a","b"]`)."""
    return value if isinstance(value, str) else _dumped(value, 0)


def canonical(value: JsonValue) -> str:
    """Compact JSON with sorted keys: equal values give equal texts."""
    return _dumped(value, orjson.OPT_SORT_KEYS)


def read(text: str) -> JsonValue | None:
    """The JSON object or array in `text`, or None where it holds neither."""
    if text.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        value: JsonValue = orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return None
    return value


def _dumped(value: JsonValue, option: int) -> str:
    try:
        return orjson.dumps(value, option=option).decode()
    except TypeError:  # an integer beyond 64 bits, or a lone surrogate
        sort = option == orjson.OPT_SORT_KEYS
        return json.dumps(value, sort_keys=sort, separators=(",", ":"), ensure_ascii=False, default=str)
