"""JSON pointers (RFC 6901): how a rule names a place inside the arguments of a call."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import Final, TypeAlias

from errata_client.model import JsonValue

Scalar: TypeAlias = "str | int | float | bool | None"


class Missing(Enum):
    """The type of MISSING, which stands for "there is nothing here" (null is a value)."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


class PointerError(LookupError):
    """The pointer names a place that cannot be written: its parent is not there, or is a scalar."""


LAST = "-"
"""The last item of a list; RFC 6901 has it for the place behind that, where nothing ever stands."""


def pointer_of(field: str) -> str:
    """The pointer that a rule's field means: "args.order_id" -> "/order_id", "args.items/0/id" -> "/items/0/id"."""
    return "/" + field.removeprefix("args.")


def join(pointer: str, part: str | int) -> str:
    """`pointer` one level deeper."""
    text = str(part)
    if "~" in text or "/" in text:
        text = text.replace("~", "~0").replace("/", "~1")
    return f"{pointer}/{text}"


def parts_of(pointer: str) -> list[str]:
    """The unescaped parts of a pointer; "" is the whole value and has none."""
    if not pointer:
        return []
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.removeprefix("/").split("/")]


def leaves(value: JsonValue) -> Iterator[tuple[str, Scalar]]:
    """The pointer and value of each scalar, in the order of the document. Empty containers have none."""
    stack: list[tuple[str, JsonValue]] = [("", value)]
    while stack:
        pointer, found = stack.pop()
        if isinstance(found, dict):
            stack += [(join(pointer, key), below) for key, below in reversed(found.items())]
        elif isinstance(found, list | tuple):
            stack += [(f"{pointer}/{at}", found[at]) for at in range(len(found) - 1, -1, -1)]
        else:
            yield pointer, found


def get(value: JsonValue, pointer: str) -> JsonValue | Missing:
    """What stands at `pointer`, or MISSING."""
    found: JsonValue | Missing = value
    for part in _parts(pointer):
        found = _below(found, part)
        if found is MISSING:
            return MISSING
    return found


def replaced(value: JsonValue, pointer: str, new: JsonValue) -> JsonValue:
    """A copy with `new` at `pointer`; the last part may be a new key, or the length of a list.

    Shares what did not change. PointerError where the parent is not there.
    """
    return _written(value, _parts(pointer), pointer, new)


def removed(value: JsonValue, pointer: str) -> JsonValue:
    """A copy without what stands at `pointer`; the same value where nothing does."""
    parts = _parts(pointer)
    if not parts or get(value, pointer) is MISSING:
        return value
    return _written(value, parts, pointer, MISSING)


@lru_cache(maxsize=4_096)
def _parts(pointer: str) -> tuple[str, ...]:
    """The parts of the few pointers that rules name, which are asked for at every call."""
    return tuple(parts_of(pointer))


def _below(value: JsonValue | Missing, part: str) -> JsonValue | Missing:
    if isinstance(value, dict):
        return value.get(part, MISSING)
    if isinstance(value, list):
        if part == LAST:
            return value[-1] if value else MISSING
        index = _index(part)
        return value[index] if index is not None and index < len(value) else MISSING
    return MISSING


def _index(part: str) -> int | None:
    """A list index as RFC 6901 writes it: digits without leading zeros."""
    if not (part.isascii() and part.isdigit()) or len(part) > 9 or (part[0] == "0" and part != "0"):
        return None
    return int(part)


def _written(value: JsonValue, parts: tuple[str, ...], pointer: str, new: JsonValue | Missing) -> JsonValue:
    if not parts:
        assert new is not MISSING
        return new
    head, rest = parts[0], parts[1:]
    if isinstance(value, dict):
        return _written_key(value, head, rest, pointer, new)
    if isinstance(value, list):
        return _written_item(value, head, rest, pointer, new)
    raise PointerError(f"{pointer}: there is no object or list to hold {head!r}")


def _written_key(
    value: dict[str, JsonValue], key: str, rest: tuple[str, ...], pointer: str, new: JsonValue | Missing
) -> JsonValue:
    if not rest and new is MISSING:
        return {name: below for name, below in value.items() if name != key}
    if rest and key not in value:
        raise PointerError(f"{pointer}: there is no {key!r}")
    return {**value, key: _written(value.get(key), rest, pointer, new)}


def _written_item(
    value: list[JsonValue], part: str, rest: tuple[str, ...], pointer: str, new: JsonValue | Missing
) -> JsonValue:
    index = len(value) - 1 if part == LAST and value else _index(part)
    if index is None or index > len(value) or (rest and index == len(value)):
        raise PointerError(f"{pointer}: the list has no place {part!r}")
    if not rest and new is MISSING:
        return value[:index] + value[index + 1 :]
    below = value[index] if index < len(value) else None
    return [*value[:index], _written(below, rest, pointer, new), *value[index + 1 :]]
