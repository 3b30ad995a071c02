"""One form for patterns that mean the same, so that an idea is known again however it is written."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from errata_client.jsontext import canonical
from errata_client.model import JsonValue
from strategies.patterns.reading import read
from strategies.patterns.tree import (
    NOTHING,
    Chars,
    Choice,
    Group,
    Mark,
    Node,
    Repeat,
    Sequence,
    UnreadPatternError,
    merged,
    sequence,
)

ANY = (Chars(((0, 0x10FFFF),)), Chars(((0, 9), (11, 0x10FFFF))))


def normal_pattern(pattern: str, used: Collection[int] = ()) -> tuple[str, Mapping[int, int]]:
    """The pattern in its one form, and for each capture in `used` (0 is the whole match) its number there.

    Captures that nobody uses are no part of the meaning, nor is how a class, a repetition or an alternative is written, nor a
    `.*` at an end that is not anchored. A pattern that is not understood stands for itself.
    """
    try:
        tree = read(pattern)
    except UnreadPatternError:
        return pattern, {number: number for number in used}
    whole = Group(tree, 0) if 0 in used else tree
    simple = _unpadded(_anchors_out(_simple(whole, frozenset(used))))
    numbers: dict[int, int] = {}
    told = _told(simple, numbers)
    return canonical(told), {number: numbers.get(number, number) for number in used}


def _simple(node: Node, used: frozenset[int]) -> Node:
    """Without what does not matter: unused captures, repetitions of one, choices between characters."""
    if isinstance(node, Sequence):
        return _joined(sequence([_simple(part, used) for part in node.parts]))
    if isinstance(node, Group):
        inner = _simple(node.part, used)
        return Group(inner, node.number) if node.number in used else inner
    if isinstance(node, Repeat):
        return _repeat(_simple(node.part, used), node.low, node.high)
    return _choice([_simple(option, used) for option in node.options]) if isinstance(node, Choice) else node


def _repeat(part: Node, low: int, high: int | None) -> Node:
    if (low, high) == (1, 1) or part == NOTHING:
        return part
    if isinstance(part, Repeat) and (part.low, low) in {(0, 0), (1, 1), (0, 1), (1, 0)}:
        if part.high is None or high is None:
            return Repeat(part.part, min(part.low, low), None)
        if part.high == high == 1:
            return Repeat(part.part, min(part.low, low), 1)
    return Repeat(part, low, high)


def _choice(options: list[Node]) -> Node:
    """Single characters are one class; where no capture depends on it, the order of options says nothing."""
    singles = [option for option in options if isinstance(option, Chars)]
    others: list[Node] = [option for option in options if not isinstance(option, Chars)]
    if singles:
        others.append(Chars(merged([one for option in singles for one in option.ranges])))
    if NOTHING in others and len(others) == 2:
        (rest,) = (option for option in others if option != NOTHING)
        return _repeat(rest, 0, 1)
    if not any(map(_captures, others)):
        others = sorted(dict.fromkeys(others), key=lambda option: canonical(_told(option, {})))
    return others[0] if len(others) == 1 else Choice(tuple(others))


def _joined(node: Node) -> Node:
    """`aa` and `a{2}`, `aa*` and `a+` are one."""
    if not isinstance(node, Sequence):
        return node
    found: list[Node] = []
    for part in node.parts:
        if found and not _captures(part) and _base(found[-1]) == _base(part):
            (low, high), (more, most) = _times(found[-1]), _times(part)
            top = None if high is None or most is None else high + most
            found[-1] = _repeat(_base(part), low + more, top)
        else:
            found.append(part)
    return sequence(found)


def _base(node: Node) -> Node:
    return node.part if isinstance(node, Repeat) else node


def _times(node: Node) -> tuple[int, int | None]:
    return (node.low, node.high) if isinstance(node, Repeat) else (1, 1)


def _captures(node: Node) -> bool:
    if isinstance(node, Group):
        return True
    if isinstance(node, Sequence):
        return any(map(_captures, node.parts))
    if isinstance(node, Choice):
        return any(map(_captures, node.options))
    return isinstance(node, Repeat) and _captures(node.part)


def _anchors_out(node: Node) -> Node:
    """`(^a$)` is `^(a)$`: anchors at the ends of a capture take no character."""
    if not isinstance(node, Group):
        return node
    parts = list(_parts(node.part))
    before = [parts.pop(0)] if parts and parts[0] == Mark("begin") else []
    after = [parts.pop()] if parts and parts[-1] == Mark("end") else []
    return sequence([*before, Group(sequence(parts), node.number), *after])


def _unpadded(node: Node) -> Node:
    """A search needs no `.*` at an open end."""
    parts = list(_parts(node))
    while parts and _is_padding(parts[0]):
        parts.pop(0)
    while parts and _is_padding(parts[-1]):
        parts.pop()
    if parts[:1] == [Mark("begin")] and (len(parts) == 1 or _is_all(parts[1:])):
        parts = []
    return sequence(parts)


def _is_all(rest: list[Node]) -> bool:
    """Whether nothing but "anything" follows the beginning."""
    return all(_is_padding(part) or part == Mark("end") for part in rest) and any(map(_is_padding, rest))


def _is_padding(node: Node) -> bool:
    return isinstance(node, Repeat) and node.low == 0 and node.high is None and node.part in ANY


def _parts(node: Node) -> tuple[Node, ...]:
    return node.parts if isinstance(node, Sequence) else (node,)


def _told(node: Node, numbers: dict[int, int]) -> JsonValue:
    """The tree as JSON; captures are numbered anew, as they come."""
    if isinstance(node, Chars):
        return ["chars", [list(one) for one in node.ranges]]
    if isinstance(node, Mark):
        return ["mark", node.kind]
    if isinstance(node, Repeat):
        return ["repeat", node.low, node.high, _told(node.part, numbers)]
    if isinstance(node, Group) and isinstance(node.part, Group):
        told = _told(node.part, numbers)
        numbers[node.number] = numbers[node.part.number]
        return told
    if isinstance(node, Group):
        numbers[node.number] = max(numbers.values(), default=0) + 1
        return ["group", numbers[node.number], _told(node.part, numbers)]
    name, parts = ("sequence", node.parts) if isinstance(node, Sequence) else ("choice", node.options)
    return [name, [_told(part, numbers) for part in parts]]
