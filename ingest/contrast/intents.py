"""Where no run of the same task succeeded: what successful runs with the nearest intents all called. Tools, not values.

An intent alone says little about what a task needs, so this is believed only in a project in which it has shown itself
right: on failed runs whose own task has successful runs, which tell the truth (`Check`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.contrast.actions import Action, actions
from ingest.contrast.differences import Difference
from ingest.contrast.effects import Effects
from knowledge.runs import RunRecord

Encode = Callable[[Sequence[str]], Mapping[str, NDArray[np.float32]]]
"""Unit vectors by text, for the texts that can be read."""

NEAREST = 3
"""Other tasks whose successful runs have to agree."""
MIN_CHECKS = 5
MIN_RIGHT = 0.9
"""How often it must have been checked in a project, and been right, before it is told."""


@dataclass(frozen=True)
class Check:
    """How often the nearest intents named a missing action on runs of which their own task tells, and how often rightly."""

    named: int = 0
    right: int = 0

    @property
    def trusted(self) -> bool:
        """Whether what the nearest intents say may be told."""
        return self.named >= MIN_CHECKS and self.right >= MIN_RIGHT * self.named


class Intents:
    """Successful runs, to be asked for those with the nearest intents."""

    def __init__(self, successes: Sequence[RunRecord], effects: Effects, encode: Encode) -> None:
        self._effects, self._encode = effects, encode
        vectors = encode(sorted({one.user_intent for one in successes}))
        self._records = [one for one in successes if one.user_intent in vectors]
        self._tools = [frozenset(call.tool for call in one.calls) for one in self._records]
        rows = [vectors[one.user_intent] for one in self._records]
        self._matrix = np.stack(rows) if rows else None

    def missing(self, record: RunRecord) -> tuple[tuple[Difference, ...], tuple[RunRecord, ...]]:
        """Actions that the nearest successful runs of NEAREST other tasks all took and this run did not, and those runs;
        nothing where there are not as many, or the run's intent cannot be read."""
        near = self._nearest(record)
        if len(near) < NEAREST:
            return (), ()
        done = {action.tool for action in actions(record, self._effects)}
        needed = [{action.tool for action in actions(one, self._effects)} for one in near]
        lacking = sorted(set.intersection(*needed) - done)
        return tuple(
            Difference(
                "outcome.missing_action",
                tool,
                expected=tuple(_times(tool, actions(one, self._effects)) for one in near),
            )
            for tool in lacking
        ), near

    def _nearest(self, record: RunRecord) -> tuple[RunRecord, ...]:
        """One run of each of the nearest other tasks of this agent, whose tools have some in common with the run's."""
        vector = self._encode([record.user_intent]).get(record.user_intent)
        if vector is None or self._matrix is None:
            return ()
        mine = {call.tool for call in record.calls}
        found: dict[object, RunRecord] = {}
        for place in np.argsort(-(self._matrix @ vector), kind="stable"):
            other = self._records[place]
            if not _comparable(record, other) or (mine and not mine & self._tools[place]):
                continue
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


def _comparable(record: RunRecord, other: RunRecord) -> bool:
    if record.agent.name != other.agent.name or record.run_id == other.run_id:
        return False
    return record.task_id is None or record.task_id != other.task_id


def _times(tool: str, done: Sequence[Action]) -> int:
    return sum(action.tool == tool for action in done)
