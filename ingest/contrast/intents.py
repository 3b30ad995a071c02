"""Where no run of the same task succeeded: what successful runs with the nearest intents all called. Tools, not values.

An intent alone says little about what a task needs. It is told only of runs that changed nothing at all, and not in a project
in which it has shown itself wrong: on failed runs whose own task has successful runs, which tell the truth (`Check`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.contrast.actions import Action, actions
from ingest.contrast.differences import Difference
from ingest.contrast.effects import Effects, hands_over
from knowledge.runs import RunRecord

Encode = Callable[[Sequence[str]], Mapping[str, NDArray[np.float32]]]
"""Unit vectors by text, for the texts that can be read."""

NEAREST = 3
"""Other tasks whose successful runs have to agree."""
MIN_RIGHT = 0.9
"""The share of checks, where there were any, that must have been right for it to be told."""


@dataclass(frozen=True)
class Check:
    """How often the nearest intents named a missing action on runs of which their own task tells, and how often rightly."""

    named: int = 0
    right: int = 0

    @property
    def trusted(self) -> bool:
        """Whether what the nearest intents say may be told: they were not shown wrong."""
        return self.right >= MIN_RIGHT * self.named


class Intents:
    """Successful runs, to be asked for those with the nearest intents."""

    def __init__(self, successes: Sequence[RunRecord], effects: Effects, encode: Encode) -> None:
        self._effects, self._encode = effects, encode
        vectors = encode(sorted({one.user_intent for one in successes}))
        self._records = [one for one in successes if one.user_intent in vectors]
        self._tools = [_tools(one) for one in self._records]
        rows = [vectors[one.user_intent] for one in self._records]
        self._matrix = np.stack(rows) if rows else None

    def missing(self, record: RunRecord) -> tuple[tuple[Difference, ...], tuple[RunRecord, ...]]:
        """Actions that the nearest successful runs of NEAREST other tasks all took, and those runs, for a run that took none;
        nothing for one that took any, where there are not as many others, or where its intent cannot be read."""
        near = () if actions(record, self._effects) else self._nearest(record)
        if len(near) < NEAREST:
            return (), ()
        taken = [actions(one, self._effects) for one in near]
        needed = set.intersection(*({action.tool for action in done} for done in taken))
        differences = (
            Difference("outcome.missing_action", tool, expected=tuple(_times(tool, done) for done in taken))
            for tool in sorted(needed)
        )
        return tuple(differences), near

    def _nearest(self, record: RunRecord) -> tuple[RunRecord, ...]:
        """One run of each of the nearest other tasks. They have a tool in common with the run, if it called any."""
        vector = self._encode([record.user_intent]).get(record.user_intent)
        if vector is None or self._matrix is None:
            return ()
        mine = _tools(record)
        found: dict[object, RunRecord] = {}
        for place in np.argsort(-(self._matrix @ vector), kind="stable"):
            other = self._records[place]
            if (not mine or mine & self._tools[place]) and _other_task(record, other):
                found.setdefault(other.task_id or other.run_id, other)
            if len(found) == NEAREST:
                break
        return tuple(found.values())


def check(intents: Intents, told: Sequence[tuple[RunRecord, Sequence[Difference]]]) -> Check:
    """Try it on runs of which their own task tells what differs (`told`)."""
    named = right = 0
    for record, differences in told:
        truly = {one.tool for one in differences if one.code == "outcome.missing_action"}
        said = {one.tool for one in intents.missing(record)[0]}
        named += len(said)
        right += len(said & truly)
    return Check(named, right)


def _other_task(record: RunRecord, other: RunRecord) -> bool:
    return record.run_id != other.run_id and (record.task_id is None or record.task_id != other.task_id)


def _tools(record: RunRecord) -> frozenset[str]:
    """The tools of a run, without handing over, which every desk has."""
    return frozenset(call.tool for call in record.calls if not hands_over(call.tool))


def _times(tool: str, done: Sequence[Action]) -> int:
    return sum(action.tool == tool for action in done)
