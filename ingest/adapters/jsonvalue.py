"""One JSON value from bytes that came from anywhere: what can be read is read, and can be stored afterwards."""

from __future__ import annotations

import json
import math
from typing import Any

import orjson
import re2

from errata_client.model import JsonValue

MAX_DEPTH = 64

LARGE = 8 * 1024 * 1024
"""Bytes from which the standard library reads: orjson sets aside twelve times its input."""

_REPLACEMENT = "\ufffd"

# orjson turns whole numbers beyond 64 bits into floats and 1e999 into infinity; NUL is kept by both.
_UNUSUAL = re2.compile(rb"9[2-9][0-9]{17}|[0-9]{20}|\\u0000|[0-9][eE]\+?[0-9]{3}")


KINDS = {
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
}


class NotJsonError(ValueError):
    """The bytes are no JSON value; the text says why."""


def loads(data: bytes | str) -> JsonValue:
    """The value in `data`. NotJsonError where there is none, or one nested deeper than MAX_DEPTH.

    Lone surrogates, NUL and bytes that are not UTF-8 become U+FFFD; NaN and infinity become null; whole numbers
    beyond 64 bits become the text of their digits. Control characters inside of strings are accepted.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    value = _read(raw)
    if raw.count(b"{") + raw.count(b"[") > MAX_DEPTH and _depth_over(value, MAX_DEPTH):
        raise NotJsonError(f"nested deeper than {MAX_DEPTH} levels")
    return value


def json_kind(value: JsonValue) -> str:
    """What the value is in JSON's words: "a list"."""
    return KINDS.get(type(value), "null")


def clean_text(text: str) -> str:
    """`text` without NUL and lone surrogates."""
    if text.isascii():
        return text.replace("\x00", _REPLACEMENT)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\x00", _REPLACEMENT)


def storable(value: Any) -> JsonValue:
    """`value` with everything replaced that a store could not keep, as `loads` says; anything else as its text."""
    if isinstance(value, dict):
        return {clean_text(str(key)): storable(below) for key, below in value.items()}
    if isinstance(value, list | tuple):
        return [storable(below) for below in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _storable_number(value)
    return clean_text(str(value))


def _storable_number(value: float) -> JsonValue:
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)
    return value if math.isfinite(value) else None


def is_valid_utf8(data: bytes) -> bool:
    """Whether `data` is UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _read(raw: bytes) -> JsonValue:
    if len(raw) <= LARGE and _UNUSUAL.search(raw) is None:
        try:
            value: JsonValue = orjson.loads(raw)
        except orjson.JSONDecodeError:
            return _read_leniently(raw)
        return value
    return _read_leniently(raw)


def _read_leniently(raw: bytes) -> JsonValue:
    text = raw.decode("utf-8", "replace")
    try:
        return storable(json.loads(text, strict=False, parse_int=_whole))
    except json.JSONDecodeError as error:
        raise NotJsonError(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise NotJsonError(f"nested deeper than {MAX_DEPTH} levels") from error


def _whole(digits: str) -> int | str:
    return int(digits) if len(digits) < 30 else digits


def _depth_over(value: JsonValue, limit: int) -> bool:
    level: list[Any] = [value] if value.__class__ in _CONTAINERS else []
    for _ in range(limit):
        level = [
            below
            for container in level
            for below in (container.values() if container.__class__ is dict else container)
            if below.__class__ in _CONTAINERS
        ]
        if not level:
            return False
    return True


_CONTAINERS = frozenset({dict, list})
