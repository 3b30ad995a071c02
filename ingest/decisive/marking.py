"""Which of a run's cases is the decisive one."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.cases import FailureCase
from knowledge.runs import DecisiveStep


def marked(cases: Sequence[FailureCase], decisive: DecisiveStep | None) -> tuple[FailureCase, ...]:
    """The cases, one of them decisive where the run failed: the first at the decisive step; where that holds none, the
    next one after it, which followed from it, else the last one before."""
    if decisive is None or not cases:
        return tuple(cases)
    chosen = min(
        range(len(cases)), key=lambda place: _distance(cases[place].trigger_step.index, decisive.index)
    )
    exact = cases[chosen].trigger_step.index == decisive.index
    reason = decisive.reason if exact else f"step {decisive.index} decided it: {decisive.reason}"
    found = cases[chosen].model_copy(update={"decisive": True, "decisive_reason": reason})
    return (*cases[:chosen], found, *cases[chosen + 1 :])


def _distance(index: int, decisive: int) -> tuple[bool, int]:
    """Steps at or after the decisive one come first, the nearest of them first."""
    return index < decisive, abs(index - decisive)
