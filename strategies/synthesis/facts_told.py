"""Facts that tell: what an earlier result said of the thing that a call names, when it failed and when it worked."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import re2

from errata_client.jsontext import as_text
from errata_client.pointer import leaves, parts_of
from errata_client.rule import FactIs
from errata_client.view import CallView
from errata_client.words import has_digit
from knowledge.cases import FailureCase
from strategies.material import Material
from strategies.synthesis.separation import Separation
from strategies.synthesis.wording import listed

MAX_WORDS = 5
MAX_LENGTH = 40
MIN_SEEN = 2

Place = tuple[str, str]
"""A tool and a path into its result."""


def fact_separations(cases: Sequence[FailureCase], material: Material) -> Iterator[Separation]:
    """For each fact whose value is a word of a short list: it has to be one of those that worked, or none of
    those that failed. A value that worked once is never among the failing ones."""
    failed = _told([case.view for case in cases if case.view is not None])
    worked = _told([call.view for call in material.references])
    for place in sorted(failed):
        texts = list(worked.get(place, {}).values())
        if texts and _is_list_of_words([*texts, *failed[place].values()]):
            yield from _separations(place, failed[place], texts, cases)


def _separations(
    place: Place, failed: Mapping[int, str], worked: Sequence[str], cases: Sequence[FailureCase]
) -> Iterator[Separation]:
    viewed = [case for case in cases if case.view is not None]
    good = sorted(set(worked))
    failing = [viewed[at] for at, value in failed.items() if value not in good]
    if not failing:
        return
    field = _field(failing[0], place)
    if field is None:
        return
    tool, path = place
    yield Separation(
        field=field,
        condition=FactIs(tool=tool, path=path, pattern=_one_of(good), negate=True),
        failing=tuple(failing),
        known=len(failed),
        successes=len(worked),
        simplicity=len(good),
        english=f"{path[1:]} in the latest {tool} result for this {field[5:]} has to be {listed(good, chinese=False)}",
        chinese=f"{tool} 最近一次返回的 {path[1:]}（同一个 {field[5:]}）必须是{listed(good, chinese=True)}",
    )


def _told(views: Sequence[CallView]) -> dict[Place, dict[int, str]]:
    """By place, what the latest result said there, for each view (by its position) that knows it."""
    found: dict[Place, dict[int, str]] = defaultdict(dict)
    for position, view in enumerate(views):
        for fact in view.facts:
            if isinstance(fact.value, str) and not _is_indexed(fact.path):
                found[fact.tool, fact.path].setdefault(position, as_text(fact.value))
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


def _field(case: FailureCase, place: Place) -> str | None:
    """The argument whose value the fact is about."""
    view = case.view
    about = (
        next((fact.about for fact in view.facts if (fact.tool, fact.path) == place), None) if view else None
    )
    if view is None or about is None:
        return None
    named = (pointer for pointer, value in leaves(view.arguments) if as_text(value) == about)
    pointer = next(named, None)
    return f"args.{pointer[1:]}" if pointer else None


def _one_of(values: Sequence[str]) -> str:
    return f"^(?:{'|'.join(re2.escape(value) for value in values)})$"
