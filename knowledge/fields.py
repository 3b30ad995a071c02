"""What an item is found by: its values at the fields of its kind, in one form that both stores can compare.

Keywords are text, dates are whole microseconds since 1970 (UTC), booleans are 0 and 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from errata_client.model import Model
from knowledge.errors import BadInputError
from knowledge.ids import digest
from knowledge.kinds import FieldType, Kind

Scalar = str | int | float

MAX_KEYWORD = 8000
MAX_INTEGER = 2**63 - 2
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(moment: datetime) -> int:
    """Whole microseconds since 1970, exact; BadInputError for a time without a zone."""
    if moment.tzinfo is None:
        raise BadInputError(
            f"the time {moment.isoformat()} has no time zone; give one, such as {moment.isoformat()}Z"
        )
    return (moment - _EPOCH) // _MICROSECOND


def keyword(value: str) -> str:
    """The value as it is indexed: one of over 8,000 characters is its beginning and a digest of all of it."""
    if not is_unicode(value):
        raise BadInputError(f"{value[:80]!r} holds half of a surrogate pair, which is no text; remove it")
    if len(value) <= MAX_KEYWORD:
        return value
    return f"{value[: MAX_KEYWORD - 100]}…{digest(value)}"


def is_unicode(value: str) -> bool:
    """Whether UTF-8 can say it: not with half of a surrogate pair in it."""
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def scalar(field: str, kind: FieldType, value: object) -> Scalar:
    """`value` in the form of the index; BadInputError where it is not of the field's type or range."""
    if kind == "keyword" and isinstance(value, str):
        return keyword(value)
    if kind == "date" and isinstance(value, datetime):
        return microseconds(value)
    if kind == "boolean" and isinstance(value, bool):
        return int(value)
    if kind in ("integer", "number") and isinstance(value, int | float) and not isinstance(value, bool):
        return _number(field, kind, value)
    raise BadInputError(f"{field} is a {kind} field; {str(value)[:80]!r} is no value of it")


def _number(field: str, kind: FieldType, value: float) -> Scalar:
    if not math.isfinite(value) or abs(value) > MAX_INTEGER:
        raise BadInputError(f"{field}: {value} is out of range; give a number within ±{MAX_INTEGER}")
    if kind == "number":
        return float(value) + 0.0
    if value != int(value):
        raise BadInputError(f"{field} is an integer field; {value} is no whole number")
    return int(value)


def values_at(item: Model, path: str) -> tuple[Any, ...]:
    """What stands at a dotted path: nothing, one value, or those of a tuple."""
    found: Any = item
    for name in path.split(".") if "." in path else (path,):
        if found is None:
            return ()
        found = found.get(name) if isinstance(found, dict) else getattr(found, name)
    if found is None:
        return ()
    if isinstance(found, tuple | list):
        return tuple(value for value in found if value is not None)
    return (found,)


def values_in(field: str, kind: FieldType, found: tuple[Any, ...]) -> tuple[Scalar, ...]:
    """Each of what stands at a field once, in the form of the index."""
    if not found:
        return ()
    if len(found) == 1:
        return (scalar(field, kind, found[0]),)
    return tuple(dict.fromkeys(scalar(field, kind, value) for value in found))


def is_plural(kind: Kind[Any], path: str) -> bool:
    """Whether the model keeps several values at this path."""
    model: Any = kind.model
    names = path.split(".")
    for name in names[:-1]:
        annotation = model.model_fields[name].annotation
        model = next(
            part for part in _parts(annotation) if isinstance(part, type) and issubclass(part, BaseModel)
        )
    return any(get_origin(part) in (tuple, list) for part in _parts(model.model_fields[names[-1]].annotation))


def _parts(annotation: Any) -> Iterator[Any]:
    """The annotation itself, or the members of a union."""
    if get_origin(annotation) in (tuple, list) or not get_args(annotation):
        yield annotation
        return
    for part in get_args(annotation):
        yield from _parts(part)
