"""Facts that tell: what an earlier result said of the thing that a call names, when it failed and when it worked."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import re2

from errata_client.facts import ID
from errata_client.jsontext import as_text
from errata_client.pointer import leaves, parts_of
from errata_client.rule import FactIs
from errata_client.view import CallView, Fact
from errata_client.words import has_digit
from knowledge.cases import FailureCase
from strategies.material import Material
from strategies.synthesis.separation import Separation, explains
from strategies.synthesis.wording import listed

MAX_WORDS = 5
MAX_LENGTH = 40
MIN_SEEN = 2

Place = tuple[str | None, str, str]
"""A tool (None: whichever spoke last), a path into its result, and the argument that names the id which it is about."""

Told = Mapping[int, tuple[str, ...]]
"""By the position of a view, what was said there: one value, or one for each id that the path goes through."""


def fact_separations(cases: Sequence[FailureCase], material: Material) -> Iterator[Separation]:
    """For each fact whose value is a word of a short list: it has to be one of those that worked. A value that worked
    once is never among the failing ones."""
    viewed = [case for case in cases if case.view is not None]
    failed = _told([case.view for case in viewed if case.view is not None])
    worked = _told([call.view for call in material.references])
    for place in sorted(failed, key=lambda item: (item[0] or "", *item[1:])):
        good = {value for values in worked.get(place, {}).values() for value in values}
        every = [
            value for told in (failed, worked) for values in told.get(place, {}).values() for value in values
        ]
        if good and _is_list_of_words(every):
            found = _separation(place, failed[place], worked[place], sorted(good), viewed, material)
            if found.failing:
                yield found


def _separation(
    place: Place,
    failed: Told,
    worked: Told,
    good: Sequence[str],
    viewed: Sequence[FailureCase],
    material: Material,
) -> Separation:
    tool, path, field = place
    failing = [viewed[at] for at, values in failed.items() if not set(values) <= set(good)]
    bad = {value for values in failed.values() for value in values} - set(good)
    return Separation(
        field=field,
        condition=FactIs(tool=tool, path=path, pattern=_one_of(good), negate=True, about=field),
        failing=tuple(failing),
        known=tuple(viewed[at] for at in failed),
        worked=tuple(material.references[at] for at in worked),
        simplicity=len(good) + (tool is None),
        english=_english(place, good),
        chinese=_chinese(place, good),
        explained=explains(failing, {*good, *bad, parts_of(path)[-1]}),
    )


def _english(place: Place, good: Sequence[str]) -> str:
    tool, path, field = place
    result = f"the latest {tool} result" if tool else "the latest result"
    return f"{_name(path)} in {result} for this {field[5:]} has to be {listed(good, chinese=False)}"


def _chinese(place: Place, good: Sequence[str]) -> str:
    tool, path, field = place
    result = f"{tool} 最近一次返回" if tool else "最近一次返回"
    return f"{result}的 {_name(path)}（同一个 {field[5:]}）必须是{listed(good, chinese=True)}"


def _name(path: str) -> str:
    return path[1:].rpartition(f"{ID}/")[2]


def _told(views: Sequence[CallView]) -> dict[Place, dict[int, tuple[str, ...]]]:
    """By place, what the latest result said there, for each view (by its position) that knows it."""
    found: dict[Place, dict[int, tuple[str, ...]]] = defaultdict(dict)
    for position, view in enumerate(views):
        for place, facts in _by_place(view).items():
            first = {fact.about: as_text(fact.value) for fact in reversed(facts)}
            found[place][position] = tuple(first.values()) if ID in place[1] else (as_text(facts[0].value),)
    return found


def values_told(condition: FactIs, field: str, view: CallView) -> tuple[str, ...]:
    """What the view's facts say at the place that the condition looks at, as it reads them: the latest of each id."""
    facts = _by_place(view).get((condition.tool, condition.path, field), [])
    first = {fact.about: as_text(fact.value) for fact in reversed(facts)}
    return tuple(first.values()) if ID in condition.path else tuple(as_text(fact.value) for fact in facts[:1])


def _by_place(view: CallView) -> dict[Place, list[Fact]]:
    """The facts of a view by place, of each tool and of all, in their order: the latest first."""
    found: dict[Place, list[Fact]] = defaultdict(list)
    fields = {
        as_text(value): f"args.{pointer[1:].split('/')[0]}" for pointer, value in leaves(view.arguments)
    }
    for fact in view.facts:
        field = fields.get(fact.about)
        if field and isinstance(fact.value, str | bool) and not _is_indexed(fact.path):
            found[fact.tool, fact.path, field].append(fact)
            found[None, fact.path, field].append(fact)
    return found


def _is_indexed(path: str) -> bool:
    """Whether the path leads through a list or through keys that are ids: it means something else each time."""
    return any(has_digit(part) for part in parts_of(path))


def _is_list_of_words(values: Sequence[str]) -> bool:
    """Whether the values are words of a short list, such as a status: few, short, and without numbers."""
    counted = Counter(values)
    short = all(0 < len(value) <= MAX_LENGTH and not has_digit(value) for value in counted)
    repeated = sum(count >= MIN_SEEN for count in counted.values())
    return short and len(counted) <= MAX_WORDS and repeated >= 1


def _one_of(values: Sequence[str]) -> str:
    return f"^(?:{'|'.join(re2.escape(value) for value in values)})$"
