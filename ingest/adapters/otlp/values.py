"""Ids, times, states and attributes in the ways in which traces write them."""

from __future__ import annotations

import base64
import binascii
import math
import re
from typing import Any

from errata_client.model import JsonValue
from ingest.adapters.chat import moment
from ingest.adapters.jsonvalue import MAX_DEPTH, clean_text, storable
from ingest.adapters.otlp.span import EPOCH, Attributes, Status
from knowledge.ids import digest

MAX_ID = 64
MAX_NANOSECONDS = 2**63 - 1
_HEX = re.compile(r"(?:0x)?([0-9a-fA-F]{1,32})")
_STATUSES: dict[object, Status] = {
    0: "unset", 1: "ok", 2: "error", "0": "unset", "1": "ok", "2": "error",
    "unset": "unset", "ok": "ok", "error": "error",
}  # fmt: skip
_ANY_VALUE = {
    name: wanted
    for wanted in ("string", "bool", "int", "double", "array", "kvlist", "bytes")
    for name in (f"{wanted}Value", f"{wanted}_value")
}
"""The fields of an AnyValue, in both spellings, and what each holds."""


def id_of(value: Any, size: int) -> str | None:
    """An id of `size` bytes as lower-case hex, from hex (short ones were written without their leading zeros), base64 or
    bytes; any other text is kept as it is, a long one as its digest; None where there is none, or all of it is zero."""
    if isinstance(value, bytes):
        return value.hex() if any(value) else None
    if not isinstance(value, str) or not value.strip():
        return None
    text = value.strip()
    found = _HEX.fullmatch(text.replace("-", "") if len(text) == 36 else text)
    if found is not None and len(found.group(1)) <= 2 * size:
        told = found.group(1).lower().rjust(2 * size, "0")
    else:
        told = _from_base64(text, size) or _other(clean_text(text))
    return told if told.strip("0") else None


def _other(text: str) -> str:
    return text if len(text) <= MAX_ID and text.isascii() else digest(text)


def _from_base64(text: str, size: int) -> str | None:
    try:
        data = base64.b64decode(text, altchars=b"-_" if "-" in text or "_" in text else None, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data.hex() if len(data) == size else None


def nanoseconds_of(value: Any) -> int:
    """A time in nanoseconds since 1970: a number, its digits as text, or an ISO 8601 text; 0 for what is none."""
    if isinstance(value, bool) or value is None:
        return 0
    if isinstance(value, str) and not value.isdigit():
        told = moment(value)
        return (told - EPOCH).days * 86_400 * 10**9 + _within_day(told - EPOCH) if told else 0
    if isinstance(value, float) and not math.isfinite(value):
        return 0
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return 0
    return number if 0 < number <= MAX_NANOSECONDS else 0


def _within_day(span: Any) -> int:
    return (int(span.seconds) * 10**6 + int(span.microseconds)) * 1000


def status_of(value: Any) -> Status:
    """A status code as OTLP (2), protobuf's JSON ("STATUS_CODE_ERROR") and the SDKs ("ERROR") write it."""
    if isinstance(value, str):
        value = value.rpartition("STATUS_CODE_")[2].rpartition(".")[2].strip().lower()
    return _STATUSES.get(value, "unset") if isinstance(value, str | int) else "unset"


def attributes_of(value: Any) -> Attributes:
    """Attributes: a list of {key, value: AnyValue}, or a plain object."""
    if isinstance(value, dict):
        return {clean_text(str(key)): plain(below) for key, below in value.items()}
    if not isinstance(value, list):
        return {}
    pairs = (item for item in value if isinstance(item, dict) and isinstance(item.get("key"), str))
    return {clean_text(item["key"]): plain(item.get("value")) for item in pairs}


def plain(value: Any, depth: int = 0) -> JsonValue:
    """What an AnyValue holds; a value that is none comes back as it is. Deeper than MAX_DEPTH: null."""
    if depth > MAX_DEPTH:
        return None
    if not isinstance(value, dict) or len(value) != 1:
        return storable(value) if value != {} else None
    (name, held), *_ = value.items()
    kind = _ANY_VALUE.get(str(name))
    if kind == "array":
        return [plain(item, depth + 1) for item in _listed(held)]
    if kind == "kvlist":
        pairs = (item for item in _listed(held) if isinstance(item, dict))
        return {clean_text(str(item.get("key", ""))): plain(item.get("value"), depth + 1) for item in pairs}
    if kind == "int":
        return _whole(held)
    return storable(held) if kind else storable(value)


def _listed(held: Any) -> list[Any]:
    found = held.get("values") if isinstance(held, dict) else held
    return found if isinstance(found, list) else []


def _whole(held: Any) -> JsonValue:
    if isinstance(held, str) and re.fullmatch(r"-?[0-9]{1,30}", held.strip()):
        return storable(int(held))
    return storable(held)
