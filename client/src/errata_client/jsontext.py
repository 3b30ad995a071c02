"""JSON as text: the one way in which a value is written where text is matched, compared or indexed."""

from __future__ import annotations

import json
from typing import Any

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


def plain(value: object) -> Any:
    """`value` as JSON has it: what JSON does not know (a path, a tuple, an object) becomes its nearest, or its text."""
    return json.loads(_dumped(value, 0))


def _dumped(value: object, option: int) -> str:
    try:
        return orjson.dumps(value, option=option).decode()
    except TypeError:  # an integer beyond 64 bits, a lone surrogate, or no JSON at all
        sort = option == orjson.OPT_SORT_KEYS
        return json.dumps(
            value, sort_keys=sort, separators=(",", ":"), ensure_ascii=False, default=str, skipkeys=True
        )
