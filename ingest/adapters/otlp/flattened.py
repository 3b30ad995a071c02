"""Attributes that spell lists and objects in their names: `llm.input_messages.0.message.role`."""

from __future__ import annotations

from typing import Any

from errata_client.model import JsonValue
from ingest.adapters.jsonvalue import NotJsonError, loads
from ingest.adapters.otlp.span import Attributes

MAX_PARTS = 16
MAX_ITEMS = 4_000
"""Numbered items of one list that are read."""


def unflattened(attributes: Attributes, prefix: str) -> JsonValue:
    """What lies under `prefix`: the value there, or the objects and lists that the longer names spell."""
    if prefix in attributes:
        return attributes[prefix]
    root: dict[str, Any] = {}
    for name, value in attributes.items():
        if name.startswith(prefix + "."):
            _put(root, name[len(prefix) + 1 :].split(".", MAX_PARTS), value)
    return _listed(root)


def decoded(value: JsonValue) -> JsonValue:
    """`value`, or what it says where it is the text of a JSON object or list."""
    if isinstance(value, str) and value.lstrip()[:1] in {"{", "["}:
        try:
            return loads(value)
        except NotJsonError:
            return value
    return value


def undotted(value: JsonValue) -> JsonValue:
    """An object whose keys spell longer ways (`message.tool_calls`), as the objects within objects that they mean."""
    if isinstance(value, list):
        return [undotted(item) for item in value]
    if not isinstance(value, dict):
        return value
    if not any("." in key for key in value):
        return {key: undotted(below) for key, below in value.items()}
    root: dict[str, Any] = {}
    for name, below in value.items():
        _put(root, name.split(".", MAX_PARTS), undotted(below))
    return _listed(root)


def _put(place: dict[str, Any], parts: list[str], value: JsonValue) -> None:
    *way, last = parts
    for part in way:
        inner = place.setdefault(part, {})
        if not isinstance(inner, dict):
            return
        place = inner
    place.setdefault(last, value)


def _listed(value: Any) -> JsonValue:
    """Objects with numbers for keys, as lists in the order of those numbers."""
    if not isinstance(value, dict):
        found: JsonValue = value
        return found
    numbers = [key for key in value if key.isascii() and key.isdigit() and len(key) < 10]
    if numbers:
        return [_listed(value[key]) for key in sorted(numbers, key=int)[:MAX_ITEMS]]
    return {key: _listed(below) for key, below in value.items()}
