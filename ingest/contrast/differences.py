"""What differs between a failed run and successful runs that had the same to do. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ingest.contrast.actions import Action

Code = Literal["outcome.missing_action", "outcome.extra_action", "outcome.divergent_arguments"]


@dataclass(frozen=True)
class Difference:
    """One difference by name: the tool and, for divergent arguments, the places whose values no successful run had.

    `index` is the step of the failed run's call; None where the call is missing. `calls` are the failed run's calls of
    the tool and of how many successful runs, and how often each, it is told from.
    """

    code: Code
    tool: str
    places: tuple[str, ...] = ()
    index: int | None = None
    calls: int = 0
    expected: tuple[int, ...] = ()


def differences(run: Sequence[Action], siblings: Sequence[Sequence[Action]]) -> tuple[Difference, ...]:
    """What all the successful runs did otherwise than this one, by step; missing actions last.

    An action is missing where each of them called the tool more often than this run, extra where each called it less
    often. Where they are at odds among themselves about how often, only what lies outside of their range is told.
    Arguments diverge where a call of this run is like no call of theirs.
    """
    if not siblings:
        return ()
    mine = _counted(run)
    theirs = [_counted(actions) for actions in siblings]
    found: list[Difference] = []
    for tool in sorted(set(mine).union(*theirs)):
        counts = tuple(counted[tool] for counted in theirs)
        if mine[tool] < min(counts):
            found.append(Difference("outcome.missing_action", tool, calls=mine[tool], expected=counts))
        found += _of_tool(tool, run, siblings, counts)
    return tuple(sorted(found, key=lambda one: (one.index is None, one.index or 0, one.tool)))


def apart(run: Sequence[Action], other: Sequence[Action]) -> int:
    """How many actions of either had no like in the other; 0 where they did the same."""
    return sum(not _has(other, one) for one in run) + sum(not _has(run, one) for one in other)


def _of_tool(
    tool: str, run: Sequence[Action], siblings: Sequence[Sequence[Action]], counts: tuple[int, ...]
) -> Iterator[Difference]:
    mine = [action for action in run if action.tool == tool]
    strange = [action for action in mine if not any(_has(actions, action) for actions in siblings)]
    if len(mine) > max(counts):
        last = (strange or mine)[-1]
        yield Difference("outcome.extra_action", tool, index=last.index, calls=len(mine), expected=counts)
    elif min(counts):
        for action in strange[:1]:
            places = _diverging(action, [one for actions in siblings for one in actions if one.tool == tool])
            if places:
                yield Difference(
                    "outcome.divergent_arguments", tool, places, action.index, len(mine), expected=counts
                )


def _diverging(action: Action, others: Iterable[Action]) -> tuple[str, ...]:
    """The places at which the call has a value that none of the others has; where each value is known but not their
    combination, the places at which it differs from the nearest."""
    known: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    nearest: tuple[str, ...] | None = None
    for other in others:
        for place, values in other.arguments.items():
            known[place].add(values)
        apart = _apart(action, other)
        if nearest is None or len(apart) < len(nearest):
            nearest = apart
    new = [place for place, values in action.arguments.items() if known[place] and values not in known[place]]
    return tuple(sorted(new)) or nearest or ()


def _apart(one: Action, other: Action) -> tuple[str, ...]:
    shared = one.arguments.keys() & other.arguments.keys()
    return tuple(sorted(place for place in shared if one.arguments[place] != other.arguments[place]))


def _has(actions: Iterable[Action], wanted: Action) -> bool:
    return any(wanted.alike(action) for action in actions)


def _counted(actions: Iterable[Action]) -> Counter[str]:
    return Counter(action.tool for action in actions)
