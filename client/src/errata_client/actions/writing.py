"""Putting a value into the arguments of a call: refused where nothing changes, or where text would enter SQL."""

from __future__ import annotations

from functools import lru_cache

import re2

from errata_client.actions.effect import Changed, Hit
from errata_client.jsontext import canonical
from errata_client.model import JsonValue
from errata_client.pointer import MISSING, Missing, PointerError, get, parts_of, replaced

_GAP = r"(?:\s|/\*.*?\*/)+"
_SQL = re2.compile(
    r"(?is)^\s*select\b|\bselect\b.*\bfrom\b|\binsert" + _GAP + r"into\b|\bupdate\b.+\bset\b"
    r"|\bdelete"
    + _GAP
    + r"from\b|\bmerge"
    + _GAP
    + r"into\b|\bunion"
    + _GAP
    + r"(?:all"
    + _GAP
    + r")?select\b"
    r"|\b(?:drop|alter|create|truncate)"
    + _GAP
    + r"(?:table|view|index|database|schema|user|role|column)\b"
    + r"|\b(?:grant|revoke)\b.+\bon\b|;\s*--|'\s*(?:or|and)\b.*="
)
_MARKS = frozenset(" \t\r\n\f\v/;'(")
"""Without one of these there is no statement, only a word."""
_NUMBER = re2.compile(r"^-?(?:0|[1-9]\d{0,17})(\.\d{1,15})?$")


def written(hit: Hit, pointer: str, value: JsonValue) -> Changed | None:
    """The call with `value` at `pointer`; None where it stands there already or there is no such place."""
    current = get(hit.arguments, pointer)
    if current is not MISSING and _same(current, value):
        return None
    return placed(hit.arguments, pointer, value)


def placed(arguments: dict[str, JsonValue], pointer: str, value: JsonValue) -> Changed | None:
    """The arguments with `value` at `pointer`; None where there is no such place."""
    try:
        changed = replaced(arguments, pointer, value)
    except PointerError:
        return None
    return Changed(changed) if isinstance(changed, dict) else None


def written_text(hit: Hit, pointer: str, text: str) -> Changed | None:
    """Like `written`, for text: where a number stood and the text is one, a number."""
    return written(hit, pointer, _typed(text, get(hit.arguments, pointer)))


def is_sql(hit: Hit, pointer: str, text: str) -> bool:
    """Whether text put at `pointer` would be SQL: by the argument's name, by what stands there, or by what it says."""
    return names_sql(pointer) or looks_like_sql(text) or looks_like_sql(get(hit.arguments, pointer))


def looks_like_sql(value: JsonValue | Missing) -> bool:
    """Whether a string reads like a statement of SQL, or a piece that would change one."""
    if not isinstance(value, str) or _MARKS.isdisjoint(value):
        return False
    return _SQL.search(value.encode(errors="replace")) is not None


@lru_cache(maxsize=4_096)
def names_sql(pointer: str) -> bool:
    """Whether a name on the way says that SQL stands there."""
    return any("sql" in part.casefold() for part in parts_of(pointer))


def as_number(text: str) -> int | float | None:
    """The number that `text` is in plain digits, or None."""
    match = _NUMBER.search(text.encode(errors="replace"))
    if match is None:
        return None
    return float(text) if match.group(1) else int(text)


def is_number(value: object) -> bool:
    """A JSON number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _typed(text: str, current: JsonValue | Missing) -> JsonValue:
    number = as_number(text) if is_number(current) else None
    return text if number is None else number


def _same(left: JsonValue, right: JsonValue) -> bool:
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    if is_number(left) and is_number(right):
        return left == right
    return canonical(left) == canonical(right)
