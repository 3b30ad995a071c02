"""Forms of arguments: the tool takes values of one form, and these failed with values of another.

Evidence: every call that worked had the form (a prefix, a mark such as `@`), of many different values, and the failing values
have it not. Or the failing values share a prefix that no working value has: `certificate_` where only cards are taken.
Such a rule stops the call and says what form is taken; where an example shows how to mend the value, a rewrite does better.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import re2

from errata_client.model import JsonValue
from errata_client.pointer import MISSING, get, pointer_of
from errata_client.rule import ArgumentIs
from knowledge.cases import FailureCase
from knowledge.runs import ReferenceCall
from strategies.material import Material
from strategies.synthesis.separation import Separation, explains
from strategies.synthesis.wording import listed

MIN_DISTINCT = 10
MIN_MARKED = 30
"""Different values that all hold a mark before that is a form: ten may share a hyphen by chance."""
MAX_ARGUMENTS = 12
MARKS = "@#-_/:."
_PREFIX = re.compile(r"[^\W\d]+[_:/-](?=[\w])|#?[A-Za-z]{1,3}(?=\d)|#(?=\w)")


def form_separations(cases: Sequence[FailureCase], material: Material) -> Iterator[Separation]:
    """For each argument that is text: a prefix or mark that working values have and failing ones lack, and a prefix that
    only failing values have."""
    for name in _names(cases)[:MAX_ARGUMENTS]:
        field = f"args.{name}"
        failed = _texts(field, cases)
        worked = _texts(field, material.references)
        if failed and len(set(worked.values())) >= MIN_DISTINCT:
            yield from _lacking(field, cases, material, failed, worked)
            yield from _refused(field, cases, material, failed, worked)


def _names(cases: Sequence[FailureCase]) -> list[str]:
    names = {
        name
        for case in cases
        for name, value in case.trigger_step.arguments.items()
        if isinstance(value, str)
    }
    return sorted(name for name in names if name and not set(name) & set("/~"))


def _arguments(item: FailureCase | ReferenceCall) -> dict[str, JsonValue]:
    return item.trigger_step.arguments if isinstance(item, FailureCase) else item.arguments


def _texts(field: str, items: Sequence[FailureCase | ReferenceCall]) -> dict[int, str]:
    """By position, the text at the field, where there is one."""
    found = {}
    for at, item in enumerate(items):
        value = get(_arguments(item), pointer_of(field))
        if value is not MISSING and isinstance(value, str) and value:
            found[at] = value
    return found


def _lacking(
    field: str,
    cases: Sequence[FailureCase],
    material: Material,
    failed: Mapping[int, str],
    worked: Mapping[int, str],
) -> Iterator[Separation]:
    """What all working values have, the most telling first: a prefix, else a mark."""
    for pattern, english, chinese in _shared(sorted(set(worked.values()))):
        form = re2.compile(pattern)
        failing = [cases[at] for at, value in failed.items() if not form.search(value)]
        if failing:
            yield _made(
                field,
                ArgumentIs(field=field, pattern=pattern, negate=True),
                failing,
                [cases[at] for at in failed],
                [material.references[at] for at in worked],
                f"{field[5:]} has to {english}",
                f"{field[5:]} {chinese}",
                explained=True,
            )
            return


def _shared(values: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    prefixes = {found.group() if (found := _PREFIX.match(value)) else "" for value in values}
    if len(prefixes) == 1 and (prefix := prefixes.pop()):
        quoted = listed([prefix], chinese=False), listed([prefix], chinese=True)
        yield f"^{re2.escape(prefix)}", f"begin with {quoted[0]}", f"必须以{quoted[1]}开头"
    for mark in MARKS:
        telling = len(values) >= MIN_MARKED or mark in "@#"
        if telling and all(mark in value for value in values):
            quoted = listed([mark], chinese=False), listed([mark], chinese=True)
            yield re2.escape(mark), f"hold {quoted[0]}", f"必须含有{quoted[1]}"


def _refused(
    field: str,
    cases: Sequence[FailureCase],
    material: Material,
    failed: Mapping[int, str],
    worked: Mapping[int, str],
) -> Iterator[Separation]:
    """A prefix of failing values that no working value has, where working ones have others."""
    good = {found.group() for value in worked.values() if (found := _PREFIX.match(value))}
    bad: dict[str, list[int]] = {}
    for at, value in failed.items():
        found = _PREFIX.match(value)
        if found and len(found.group()) > 2 and found.group() not in good:
            bad.setdefault(found.group(), []).append(at)
    for prefix, places in sorted(bad.items()):
        if not good:
            return
        takes = sorted(good)[:4]
        yield _made(
            field,
            ArgumentIs(field=field, pattern=f"^{re2.escape(prefix)}"),
            [cases[at] for at in places],
            [cases[at] for at in failed],
            [material.references[at] for at in worked],
            f'{field[5:]} may not be a "{prefix}…"; it takes {listed([f"{one}…" for one in takes], chinese=False)}',
            f"{field[5:]} 不能是「{prefix}…」，可以是{listed([f'{one}…' for one in takes], chinese=True)}",
            explained=explains([cases[at] for at in places], {prefix}),
        )


def _made(
    field: str,
    condition: ArgumentIs,
    failing: Sequence[FailureCase],
    known: Sequence[FailureCase],
    worked: Sequence[ReferenceCall],
    english: str,
    chinese: str,
    *,
    explained: bool,
) -> Separation:
    return Separation(
        field=field,
        condition=condition,
        failing=tuple(failing),
        known=tuple(known),
        worked=tuple(worked),
        simplicity=1,
        english=english,
        chinese=chinese,
        explained=explained,
    )
