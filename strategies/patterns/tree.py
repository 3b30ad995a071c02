"""The parts of a pattern as a tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

LAST_POINT = 0x10FFFF
Range: TypeAlias = tuple[int, int]
Ranges: TypeAlias = tuple[Range, ...]


class UnreadPatternError(ValueError):
    """A pattern that RE2 takes but that uses something this reader does not know."""


@dataclass(frozen=True)
class Chars:
    """One character out of sorted, disjoint, non-adjacent ranges of code points, both ends included."""

    ranges: Ranges


@dataclass(frozen=True)
class Sequence:
    """Parts that follow each other; none of them is itself a sequence."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """The first of the options that fits."""

    options: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    """`part` at least `low` and at most `high` times; None for any number."""

    part: Node
    low: int
    high: int | None


@dataclass(frozen=True)
class Group:
    """A capture, by its number (from 1)."""

    part: Node
    number: int


@dataclass(frozen=True)
class Mark:
    """A place that takes no character."""

    kind: Literal["begin", "end", "boundary", "inside"]


Node: TypeAlias = "Chars | Sequence | Choice | Repeat | Group | Mark"
NOTHING = Sequence(())


def sequence(parts: list[Node]) -> Node:
    """The parts as one node, sequences within them laid open."""
    flat: list[Node] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, Sequence) else (part,))
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def merged(ranges: list[Range]) -> Ranges:
    """Sorted, overlapping and adjacent ones joined."""
    found: list[Range] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return tuple(found)


def inverted(ranges: Ranges) -> Ranges:
    """Every other character."""
    found, at = [], 0
    for low, high in ranges:
        if low > at:
            found.append((at, low - 1))
        at = high + 1
    if at <= LAST_POINT:
        found.append((at, LAST_POINT))
    return tuple(found)


def common(one: Ranges, other: Ranges) -> Ranges:
    """The characters that are in both."""
    return merged([(max(a, c), min(b, d)) for a, b in one for c, d in other if max(a, c) <= min(b, d)])


def literal(text: str) -> Node:
    """Just this text."""
    return sequence([Chars(((ord(character), ord(character)),)) for character in text])
