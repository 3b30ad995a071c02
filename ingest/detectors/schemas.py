"""What a declared JSON Schema plainly says against a value. No reference is fetched; patterns are RE2."""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from errata_client.jsontext import canonical
from errata_client.model import JsonValue
from ingest.adapters.jsonvalue import NotJsonError, loads

MOST = 10
"""Violations of one value that are told."""

MOST_REFERENCES = 5_000
"""References within a schema that are followed for one value; a schema that wants more says nothing."""

_Schema = dict[str, JsonValue]
_followed: ContextVar[int] = ContextVar("followed", default=0)


class _TooManyError(Exception):
    """The schema follows too many references."""


_RANGES = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_LENGTHS = ("minLength", "maxLength", "minItems", "maxItems", "uniqueItems")
_WORDINGS = {
    **dict.fromkeys(("enum", "const"), "is none of the declared values"),
    **dict.fromkeys(("anyOf", "oneOf"), "fits none of the declared alternatives"),
    **dict.fromkeys(_RANGES, "is outside of the declared range"),
    **dict.fromkeys(_LENGTHS, "is not of the declared length"),
    "pattern": "does not fit the declared pattern",
}


@dataclass(frozen=True)
class Violation:
    """One place where a value is not what its schema says. `what` is our own wording, without the value."""

    pointer: str
    keyword: str
    what: str


def violations(schema: _Schema, value: JsonValue) -> list[Violation]:
    """At most MOST, outermost first; none where the schema itself cannot be used."""
    validator = _validator(canonical(schema))
    if validator is None:
        return []
    found: list[Violation] = []
    _followed.set(0)
    try:
        for error in validator.iter_errors(value):
            found.extend(_told(error))
            if len(found) >= MOST:
                break
    except (Unresolvable, RecursionError, _TooManyError):
        return []
    return found[:MOST]


@lru_cache(maxsize=1024)
def _validator(schema: str) -> Any:
    """Compiled once for each schema; None for what is no schema."""
    parsed = loads(schema)
    try:
        _Strict.check_schema(parsed)
    except (SchemaError, RecursionError):
        return None
    return _Strict(parsed, registry=Registry())


def _told(error: ValidationError) -> Iterator[Violation]:
    pointer = "".join(f"/{part}" for part in error.absolute_path)
    keyword = str(error.validator)
    if keyword == "required":
        missing = [name for name in _names(error.validator_value) if name not in error.instance]
        # one error comes for each missing name; its message names it first
        named = next((name for name in missing if error.message.startswith(repr(name))), None)
        yield Violation(f"{pointer}/{named}", keyword, "is required and missing")
    elif keyword == "additionalProperties" and isinstance(error.instance, dict):
        known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
        for name in error.instance:
            if name not in known:
                yield Violation(f"{pointer}/{name}", keyword, "is not declared")
    else:
        yield Violation(pointer, keyword, _wording(keyword, error.validator_value))


def _names(value: Any) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _wording(keyword: str, declared: Any) -> str:
    if keyword == "type":
        kinds = declared if isinstance(declared, list) else [declared]
        return f"is not of type {' or '.join(map(str, kinds))}"
    return _WORDINGS.get(keyword, f"breaks the declared {keyword}")


def _pattern(_validator: Any, pattern: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, str) or not isinstance(pattern, str):
        return
    compiled = _compiled(pattern)
    if compiled is not None and compiled.search(instance) is None:
        yield ValidationError("does not fit the pattern")


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    """None for a pattern that RE2 cannot run: it then says nothing."""
    try:
        return re2.compile(pattern)
    except re2.error:
        return None


def _ref(validator: Any, reference: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """A reference, of which one value may follow MOST_REFERENCES: alternatives of references double at each level."""
    _followed.set(_followed.get() + 1)
    if _followed.get() > MOST_REFERENCES:
        raise _TooManyError
    yield from Draft202012Validator.VALIDATORS["$ref"](validator, reference, instance, schema)


def _says_nothing(_validator: Any, _declared: Any, _instance: Any, _schema: Any) -> Iterator[ValidationError]:
    """For keywords that are not applied."""
    yield from ()


def _additional(validator: Any, declared: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """additionalProperties, save where patternProperties decide which names there may be."""
    if "patternProperties" not in schema:
        yield from Draft202012Validator.VALIDATORS["additionalProperties"](
            validator, declared, instance, schema
        )


_Strict: Any = extend(
    Draft202012Validator,
    {
        "$ref": _ref,
        "$dynamicRef": _says_nothing,
        "pattern": _pattern,
        "patternProperties": _says_nothing,
        "additionalProperties": _additional,
        "propertyNames": _says_nothing,
        "unevaluatedProperties": _says_nothing,
        "unevaluatedItems": _says_nothing,
    },
)


def as_value(observation: JsonValue) -> JsonValue:
    """A result as the value that it is: JSON written as text is read."""
    if not isinstance(observation, str) or observation.lstrip()[:1] not in {"{", "["}:
        return observation
    try:
        return loads(observation)
    except NotJsonError:
        return observation
