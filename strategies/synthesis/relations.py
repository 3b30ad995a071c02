"""Relations between two arguments of one call that hold when it fails and never when it works."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from errata_client.conditions import Asked, check_of
from errata_client.rule import Arguments, Relation
from errata_client.view import CallView
from knowledge.cases import FailureCase
from strategies.material import Material
from strategies.synthesis.separation import Separation, explains

MAX_ARGUMENTS = 12
SPOKEN = frozenset(
    [
        "number",
        "match",
        "length",
        "count",
        "differ",
        "same",
        "equal",
        "distinct",
        "mismatch",
        "数量",
        "长度",
        "一致",
        "相同",
        "不同",
        "不符",
        "匹配",
    ]
)
"""Words with which a tool's error says that two arguments do not fit each other."""

OPPOSITES: tuple[tuple[Relation, Relation, str, str], ...] = (
    ("different_length", "same_length", "have the same length", "的长度必须相同"),
    ("equal", "different", "differ", "不能相同"),
)
"""What fails, what works, and how that is said."""


def relation_separations(cases: Sequence[FailureCase], material: Material) -> Iterator[Separation]:
    """Each pair of arguments whose lengths, or whose equality, tells the failures from the successes."""
    viewed = [case for case in cases if case.view is not None]
    for left, right in combinations(_names(viewed)[:MAX_ARGUMENTS], 2):
        for failing, working, english, chinese in OPPOSITES:
            bad = Arguments(left=left, relation=failing, right=right)
            good = Arguments(left=left, relation=working, right=right)
            if failing == "different_length" and not _are_lists(viewed, left, right):
                continue
            found = [case for case in viewed if _holds(bad, case.view)]
            fine = [case for case in viewed if _holds(good, case.view)]
            if not found or any(_holds(bad, call.view) for call in material.references):
                continue
            yield Separation(
                field=left,
                condition=bad,
                failing=tuple(found),
                known=(*found, *fine),
                worked=tuple(call for call in material.references if _holds(good, call.view)),
                simplicity=2,
                explained=explains(found, SPOKEN),
                english=f"{left[5:]} and {right[5:]} have to {english}",
                chinese=f"{left[5:]} 与 {right[5:]} {chinese}",
            )


def _names(cases: Sequence[FailureCase]) -> list[str]:
    names = {name for case in cases if case.view is not None for name in case.view.arguments}
    return [f"args.{name}" for name in sorted(names) if name and "/" not in name and "~" not in name]


def _are_lists(cases: Sequence[FailureCase], left: str, right: str) -> bool:
    """Whether both are lists wherever they are; texts of one length tell nothing."""
    views = [case.view for case in cases if case.view is not None]
    found = [view.arguments.get(name[5:]) for view in views for name in (left, right)]
    return all(isinstance(value, list) for value in found if value is not None)


def _holds(condition: Arguments, view: CallView | None) -> bool:
    return view is not None and check_of(condition)(Asked(view, view.arguments))
