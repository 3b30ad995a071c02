"""Rewriting by example: the shortest pattern and template that explain pairs of failing and working values.

Nothing is memorised: what a template writes as text has to be part of the form that (nearly) all working
values of that argument share, and what a pattern takes as text has to be shared by all failing ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import re2

from errata_client.matching import Pattern, filled
from strategies.synthesis.alignment import Template, readings
from strategies.synthesis.tokens import Grain, Token, lengths, pattern_of, shape, tokens

MIN_FORM = 5
FORM_SHARE = 0.95
MAX_TRIED = 12


@dataclass(frozen=True)
class Pair:
    """A value that failed and the one that then worked, in one case."""

    case_id: str
    failing: str
    working: str


@dataclass(frozen=True)
class Rewriting:
    """A pattern and a template, the cases that they explain, and the share of working values of their form.

    `head` is what the pattern has before its first capture, `body` the rest: rewritings that differ in the head
    alone are one.
    """

    head: str
    body: str
    template: str
    cases: tuple[str, ...]

    @property
    def pattern(self) -> str:
        """The whole pattern, anchored at both ends."""
        return f"^{self.head}{self.body}$"


@dataclass(frozen=True)
class _Read:
    pair: Pair
    failing: tuple[Token, ...]


def rewritings(pairs: Sequence[Pair], working: Sequence[str]) -> list[Rewriting]:
    """What explains most pairs, best first, no two for the same pair. `working` are all values known to work.

    A rewriting that would change one of them, or that two readings of the pairs disagree about, is no answer.
    """
    form = _Form(working)
    found: list[Rewriting] = []
    for cluster in _clusters(pairs):
        best = _best(cluster, form)
        if best is not None:
            found.append(best)
    merged = [item for item in _merged(found) if form.leaves_alone(item)]
    ordered = sorted(merged, key=lambda item: (-len(item.cases), len(item.pattern), item.pattern))
    return _disjoint(ordered)


class _Form:
    """The values that work: what may not be changed, and whether a result looks like one of them."""

    def __init__(self, working: Iterable[str]) -> None:
        self.values = sorted(set(working))

    def leaves_alone(self, found: Rewriting) -> bool:
        pattern = Pattern(found.pattern)
        return all(
            (captures := pattern.captures(value)) is None or filled(found.template, captures) == value
            for value in self.values
        )

    def allows(self, result: str) -> bool:
        """Whether (nearly) all working values have the form `result`, a pattern."""
        if len(self.values) < MIN_FORM:
            return False
        pattern = Pattern(f"^{result}$")
        fitting = sum(pattern.found(value) for value in self.values)
        return fitting >= FORM_SHARE * len(self.values)


def _clusters(pairs: Sequence[Pair]) -> list[list[_Read]]:
    """Pairs whose failing values have one shape: split finely, then by the number of digits, then coarsely."""
    grouped: dict[tuple[object, ...], list[_Read]] = defaultdict(list)
    grains: tuple[Grain, ...] = ("fine", "coarse")
    for pair in pairs:
        for grain in grains:
            found = tokens(pair.failing, grain)
            grouped[grain, shape(found)].append(_Read(pair, found))
            if grain == "fine":
                grouped["sized", shape(found), lengths(found)].append(_Read(pair, found))
    return [grouped[key] for key in sorted(grouped, key=repr)]


def _best(cluster: Sequence[_Read], form: _Form) -> Rewriting | None:
    """The template that explains most of the cluster, if it is licensed and no other one rivals it."""
    explained: dict[Template, list[_Read]] = defaultdict(list)
    for read in cluster:
        for template in readings(read.failing, read.pair.working):
            explained[template].append(read)
    ranked = sorted(explained, key=lambda item: (-len(explained[item]), _cost(item), repr(item)))
    for template in ranked[:MAX_TRIED]:
        found = _rewriting(template, explained[template], form)
        if found is not None:
            rivals = [other for other in ranked if len(explained[other]) == len(explained[template])]
            return None if _is_ambiguous(template, rivals, explained[template][0]) else found
    return None


def _cost(template: Template) -> tuple[int, int]:
    """What is written as text costs more than what is copied; then fewer pieces win."""
    text = sum(len(part) for part in template if isinstance(part, str))
    return text, len(template)


def _rewriting(template: Template, reads: Sequence[_Read], form: _Form) -> Rewriting | None:
    columns = list(zip(*(read.failing for read in reads), strict=True))
    spans = _spans(template, next(read.failing for read in reads), columns)
    groups = sorted({span for span in spans if not isinstance(span, str)})
    if any(left[1] > right[0] for left, right in pairwise(groups)):
        return None
    head, body = _pattern(columns, groups)
    numbers = {span: number for number, span in enumerate(groups, start=1)}
    written = "".join(_braced(part) if isinstance(part, str) else f"{{{numbers[part]}}}" for part in spans)
    if not form.allows(_result(spans, columns)):
        return None
    found = Rewriting(head, body, written, tuple(read.pair.case_id for read in reads))
    right = all(
        filled(written, Pattern(found.pattern).captures(read.pair.failing) or ()) == read.pair.working
        for read in reads
    )
    return found if right and form.leaves_alone(found) else None


_Span = tuple[int, int]


def _spans(
    template: Template, first: Sequence[Token], columns: Sequence[Sequence[Token]]
) -> list[_Span | str]:
    """The template with neighbouring copies made one, where the same marks stand between them."""
    merged: list[_Span | str] = []
    for part in template:
        piece: _Span | str = part if isinstance(part, str) else (part, part + 1)
        merged.append(piece)
        while (joined := _joined(merged, first, columns)) is not None:
            merged[-len(joined[0]) :] = [joined[1]]
    return merged


def _joined(
    merged: list[_Span | str], first: Sequence[Token], columns: Sequence[Sequence[Token]]
) -> tuple[list[_Span | str], _Span] | None:
    if len(merged) >= 2 and isinstance(merged[-1], tuple) and isinstance(merged[-2], tuple):
        if merged[-2][1] == merged[-1][0]:
            return merged[-2:], (merged[-2][0], merged[-1][1])
        return None
    if len(merged) < 3 or not isinstance(merged[-1], tuple) or not isinstance(merged[-3], tuple):
        return None
    start, end = merged[-3][1], merged[-1][0]
    between = "".join(token.text for token in first[start:end])
    constant = all(len({token.text for token in column}) == 1 for column in columns[start:end])
    marks = all(not token.is_word for token in first[start:end])
    if end > start and constant and marks and merged[-2] == between:
        return merged[-3:], (merged[-3][0], merged[-1][1])
    return None


def _pattern(columns: Sequence[Sequence[Token]], groups: Sequence[_Span]) -> tuple[str, str]:
    """The pattern over all tokens, cut before its first capture; copies are captured by class, never by text."""
    starts, ends = {start for start, _ in groups}, {end for _, end in groups}
    copied = {place for start, end in groups for place in range(start, end)}
    pieces = []
    for place, column in enumerate(columns):
        text = pattern_of(column, exact=True, literal=place not in copied)
        closing = ")" if place in ends else ""
        pieces.append(closing + ("(" if place in starts else "") + text)
    tail = ")" if len(columns) in ends else ""
    first = groups[0][0]
    return "".join(pieces[:first]), "".join(pieces[first:]) + tail


def _result(spans: Sequence[_Span | str], columns: Sequence[Sequence[Token]]) -> str:
    """What a result looks like: its own text, and any characters of the copied classes (numbers as long)."""
    parts = []
    for span in spans:
        if isinstance(span, str):
            parts.append(re2.escape(span))
        else:
            inside = columns[span[0] : span[1]]
            parts += [pattern_of(column, exact=_is_one_size(column), literal=False) for column in inside]
    return "".join(parts)


def _is_one_size(column: Sequence[Token]) -> bool:
    return len({len(token.text) for token in column}) == 1


def _is_ambiguous(template: Template, rivals: Sequence[Template], read: _Read) -> bool:
    """Whether another template explains the same pairs and would yet make something else of other values."""
    changed = [_marked(token, place) for place, token in enumerate(read.failing)]
    mine = _made(template, changed)
    return any(
        _made(rival, changed) != mine and _cost(rival)[0] == _cost(template)[0]
        for rival in rivals
        if rival != template
    )


def _marked(token: Token, place: int) -> str:
    """A text of its own for each token that is a word, so that results show where they were copied from."""
    return f"<{place}>" if token.is_word else token.text


def _made(template: Template, texts: Sequence[str]) -> str:
    return "".join(part if isinstance(part, str) else texts[part] for part in template)


def _merged(found: Sequence[Rewriting]) -> list[Rewriting]:
    """Rewritings that differ only in what stands before the first capture, as one more with alternatives."""
    alike: dict[tuple[str, str], list[Rewriting]] = defaultdict(list)
    for item in found:
        alike[item.body, item.template].append(item)
    together = []
    for (body, template), items in sorted(alike.items()):
        heads = sorted({item.head for item in items}, key=lambda head: (len(head), head))
        if len(heads) > 1:
            cases = dict.fromkeys(case for item in items for case in item.cases)
            together.append(Rewriting(_alternatives(heads), body, template, tuple(cases)))
    return [*found, *together]


def _alternatives(heads: Sequence[str]) -> str:
    some = "|".join(head for head in heads if head)
    return f"(?:{some})?" if "" in heads else f"(?:{some})"


def _disjoint(ordered: Sequence[Rewriting]) -> list[Rewriting]:
    """The best ones, leaving out any that has nothing to add."""
    taken: Counter[str] = Counter()
    kept = []
    for item in ordered:
        if any(case not in taken for case in item.cases):
            kept.append(item)
            taken.update(item.cases)
    return kept


def _braced(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
