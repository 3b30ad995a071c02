"""Texts that patterns match: of one, of two at once, and of one whose rewriting another would match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as Listed
from itertools import islice

from errata_client.matching import Pattern
from strategies.patterns.machine import Machine, pleasant, shared_text
from strategies.patterns.reading import read
from strategies.patterns.tree import (
    Chars,
    Choice,
    Group,
    Mark,
    Node,
    Repeat,
    Sequence,
    UnreadPatternError,
    literal,
    sequence,
)

MANY = 3
MAX_LENGTH = 4_000
MAX_SPLITS = 60


def examples_of(pattern: str) -> list[str]:
    """A few texts that the pattern matches, each tried; none where it is not understood."""
    try:
        tree = read(pattern)
    except UnreadPatternError:
        return []
    searched = Pattern(pattern)
    texts = [_spelled(tree, choice, more, {}) for choice in range(MANY) for more in (0, 1)]
    return [text for text in dict.fromkeys(texts) if len(text) <= MAX_LENGTH and searched.found(text)]


def text_of_both(one: str, other: str) -> str | None:
    """The shortest text that both patterns match; None where there is none, or it cannot be told."""
    try:
        found = shared_text(Machine.searching(read(one)), Machine.searching(read(other)))
    except UnreadPatternError:
        return None
    return found if found is not None and Pattern(one).found(found) and Pattern(other).found(found) else None


def texts_made_to_match(pattern: str, template: str, other: str) -> Iterator[str]:
    """Texts that `pattern` matches and whose filled `template` `other` matches."""
    try:
        tree = read(pattern)
        output = _output(tree, template)
        made = shared_text(
            Machine.searching(sequence([Mark("begin"), output, Mark("end")])), Machine.searching(read(other))
        )
    except (UnreadPatternError, RecursionError):
        return
    if made is None:
        return
    parts = list(template_parts(template))
    for captured in islice(_splits(parts, made), MAX_SPLITS):
        yield from (_spelled(tree, choice, more, captured) for choice in range(MANY) for more in (0, 1))


def _splits(parts: Listed[str | int], made: str) -> Iterator[dict[int, str]]:
    """Every way in which `made` may have come of the template: what each capture would have been."""
    if not parts:
        if not made:
            yield {}
        return
    head, *rest = parts
    if isinstance(head, str):
        if made.startswith(head):
            yield from _splits(rest, made[len(head) :])
        return
    for end in range(len(made), -1, -1):
        for others in _splits(rest, made[end:]):
            if others.get(head, made[:end]) == made[:end]:
                yield {**others, head: made[:end]}


def _output(tree: Node, template: str) -> Node:
    """What the template may come to: its text, with each capture's part of the pattern."""
    groups = {0: _bare(tree), **{group.number: _bare(group.part) for group in _groups(tree)}}
    return sequence(
        [literal(part) if isinstance(part, str) else groups[part] for part in template_parts(template)]
    )


def template_parts(template: str) -> Iterator[str | int]:
    """The texts and capture numbers of a template that was checked."""
    rest = template
    while rest:
        if rest[:2] in {"{{", "}}"}:
            yield rest[0]
            rest = rest[2:]
        elif rest[0] == "{":
            number, _, rest = rest[1:].partition("}")
            yield int(number)
        else:
            yield rest[0]
            rest = rest[1:]


def _groups(node: Node) -> Iterator[Group]:
    if isinstance(node, Group):
        yield node
        yield from _groups(node.part)
    elif isinstance(node, Repeat):
        yield from _groups(node.part)
    elif isinstance(node, Sequence | Choice):
        for part in node.parts if isinstance(node, Sequence) else node.options:
            yield from _groups(part)


def _bare(node: Node) -> Node:
    """The node without its marks: within an output they mean nothing."""
    if isinstance(node, Mark):
        return Sequence(())
    if isinstance(node, Group):
        return _bare(node.part)
    if isinstance(node, Repeat):
        return Repeat(_bare(node.part), node.low, node.high)
    if isinstance(node, Sequence):
        return sequence([_bare(part) for part in node.parts])
    return Choice(tuple(_bare(option) for option in node.options)) if isinstance(node, Choice) else node


def _spelled(node: Node, choice: int, more: int, fixed: Mapping[int, str]) -> str:
    """A text of the node: which options and characters by `choice`, how often by `more` than the least; what `fixed`
    captures are is given."""
    if isinstance(node, Chars):
        return _character(node, choice)
    if isinstance(node, Mark):
        return ""
    if isinstance(node, Group):
        return fixed[node.number] if node.number in fixed else _spelled(node.part, choice, more, fixed)
    if isinstance(node, Repeat):
        wanted = max(1, more) if _holds(node, fixed) else more
        times = node.low + (wanted if node.high is None else min(wanted, node.high - node.low))
        return "".join(_spelled(node.part, choice, more, fixed) for _ in range(min(times, MAX_LENGTH)))[
            :MAX_LENGTH
        ]
    if isinstance(node, Choice):
        return _spelled(node.options[choice % len(node.options)], choice, more, fixed)
    return "".join(_spelled(part, choice, more, fixed) for part in node.parts)


def _holds(node: Repeat, fixed: Mapping[int, str]) -> bool:
    """Whether a capture that has to be there stands within an optional part."""
    return node.low == 0 and any(group.number in fixed for group in _groups(node.part))


def _character(node: Chars, choice: int) -> str:
    first = pleasant(node.ranges)
    other = chr(ord(first) + choice)
    inside = any(low <= ord(other) <= high for low, high in node.ranges)
    return other if inside and other.isprintable() else first
