"""What contrast says of one failed run. Pure: the same records give the same cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingest.contrast.actions import actions
from ingest.contrast.cases import CONTRAST_CODES, LOW_REWARD, Basis
from ingest.contrast.differences import Difference, apart, differences
from ingest.contrast.effects import Effects
from ingest.contrast.siblings import same_task
from knowledge.cases import FailureCase
from knowledge.runs import RunRecord

_EXPLAINING = ("tool", "output", "plan", "tree")
_EXPLAINING_CODES = frozenset({"args.schema_violation", "outcome.abandoned", "outcome.policy_violation"})


@dataclass(frozen=True)
class Contrast:
    """What differs between a run and the successful runs of its task; nothing where there are none or nothing does."""

    record: RunRecord
    siblings: tuple[RunRecord, ...]
    found: tuple[Difference, ...]
    basis: Basis = "same_task"

    @property
    def lacks(self) -> bool:
        """Whether an action is missing."""
        return any(one.code == "outcome.missing_action" for one in self.found)


def contrast_of(record: RunRecord, peers: Iterable[RunRecord], effects: Effects) -> Contrast:
    """Compare a failed run with the successful ones of its task among `peers`: with all of them, and where these are at odds
    among themselves and none did the same, with the one that did most alike."""
    siblings = same_task(record, peers)
    done = [actions(one, effects) for one in siblings]
    mine = actions(record, effects)
    found = differences(mine, done)
    if found or not siblings or any(apart(mine, theirs) == 0 for theirs in done):
        return Contrast(record, siblings, found)
    place = min(range(len(siblings)), key=lambda place: apart(mine, done[place]))
    return Contrast(record, (siblings[place],), differences(mine, [done[place]]), "nearest_run")


def explained(cases: Sequence[FailureCase]) -> bool:
    """Whether a failed run has a failure of its own that explains its end: an error of a tool, an output or a plan that was
    not made good later. What may be found in successful runs just as well (a loop, an invented value that was taken, an
    assumption, a complaint) explains nothing, and neither does a case that contrast itself wrote."""
    return any(_explains(case) for case in cases)


def settled(cases: Sequence[FailureCase]) -> bool:
    """Whether contrast has named a difference for the run on an earlier night: that stays."""
    return any(case.error_code in CONTRAST_CODES for case in cases)


def superseded(cases: Sequence[FailureCase]) -> list[FailureCase]:
    """The bare cases, which have to go once a difference is named."""
    return [case for case in cases if case.error_code == LOW_REWARD]


def outranked(cases: Sequence[FailureCase]) -> list[FailureCase]:
    """The decisive cases that are so no longer, since contrast named a difference that is."""
    named = settled(cases)
    return [case for case in cases if named and case.decisive and case.error_code not in CONTRAST_CODES]


def _explains(case: FailureCase) -> bool:
    if case.requestor != "agent" or case.repair is not None or _held_nobody_up(case):
        return False
    family = case.error_code.partition(".")[0]
    return family in _EXPLAINING or case.error_code in _EXPLAINING_CODES


def _held_nobody_up(case: FailureCase) -> bool:
    """Arguments that were no JSON, and were understood and run all the same."""
    seen = case.evidence
    ran = (
        seen.get("recovered") is True
        and seen.get("tool_answered") is True
        and seen.get("tool_failed") is False
    )
    return case.error_code == "output.invalid_json" and ran
