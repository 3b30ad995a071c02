"""Casting a JSON value to another type, only where nothing is lost or guessed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from errata_client.actions.writing import as_number, is_number
from errata_client.jsontext import as_text, read
from errata_client.model import JsonValue


class CastError(ValueError):
    """The value cannot be read as the wanted type."""


def _to_string(value: JsonValue) -> JsonValue:
    if value is None:
        raise CastError
    return as_text(value)


def _to_number(value: JsonValue) -> JsonValue:
    if is_number(value):
        return value
    number = as_number(value.strip()) if isinstance(value, str) else None
    if number is None:
        raise CastError
    return number


def _to_integer(value: JsonValue) -> JsonValue:
    number = _to_number(value)
    if isinstance(number, float) and number.is_integer():
        return int(number)
    if not isinstance(number, int):
        raise CastError
    return number


def _to_boolean(value: JsonValue) -> JsonValue:
    if isinstance(value, bool):
        return value
    found = {"true": True, "false": False}.get(value.strip().casefold()) if isinstance(value, str) else None
    if found is None:
        raise CastError
    return found


def _to_array(value: JsonValue) -> JsonValue:
    """A list in JSON text is that list; any other value but null becomes the one item of a list."""
    if isinstance(value, list):
        return value
    if value is None:
        raise CastError
    found = read(value) if isinstance(value, str) else None
    return found if isinstance(found, list) else [value]


def _to_object(value: JsonValue) -> JsonValue:
    found = read(value) if isinstance(value, str) else value
    if not isinstance(found, dict):
        raise CastError
    return found


CASTS: Mapping[str, Callable[[JsonValue], JsonValue]] = {
    "string": _to_string,
    "integer": _to_integer,
    "number": _to_number,
    "boolean": _to_boolean,
    "array": _to_array,
    "object": _to_object,
}
"""By the name that a rule's `cast` has; each raises CastError."""
