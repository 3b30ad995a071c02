"""What a run did to the world: its successful calls of tools that change something, each told apart by its arguments."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from ingest.contrast.effects import Effects
from knowledge.runs import RecordedCall, RunRecord

_POSITION = re.compile(r"/[0-9]+(?=/|$)")
WORDY = 3
"""Spaces in the shape of a text from which on it is prose: a summary, a reason. No two runs word it alike."""


@dataclass(frozen=True)
class Action:
    """One call, without the order of lists: `arguments` maps a pointer, `*` for positions, to the sorted digests of the
    values there. Prose is left out. `index` is the step of the call."""

    tool: str
    index: int
    arguments: Mapping[str, tuple[str, ...]]

    def alike(self, other: Action) -> bool:
        """Whether it did the same. An argument that only one of the two gave says nothing: it may be optional."""
        if self.tool != other.tool:
            return False
        shared = self.arguments.keys() & other.arguments.keys()
        all_given = bool(shared) or self.arguments == other.arguments
        return all_given and all(self.arguments[place] == other.arguments[place] for place in shared)


def actions(record: RunRecord, effects: Effects) -> tuple[Action, ...]:
    """The run's actions in order; one that repeats an earlier one changes nothing more and is left out."""
    found: list[Action] = []
    for call in record.calls:
        if call.ok and effects.changes(call.tool):
            action = _action(call)
            if not any(action.tool == one.tool and action.arguments == one.arguments for one in found):
                found.append(action)
    return tuple(found)


def _action(call: RecordedCall) -> Action:
    values: defaultdict[str, list[str]] = defaultdict(list)
    for pointer, digest in call.digests.items():
        if call.shapes.get(pointer, "").count(" ") < WORDY:
            values[_POSITION.sub("/*", pointer)].append(digest)
    return Action(call.tool, call.index, {place: tuple(sorted(found)) for place, found in values.items()})
