"""What a work order's root cause would take, said before a person approves it. Nothing is written but vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

from pydantic import Field

from attribution.answers import read_answers
from attribution.attributor import Attributor
from attribution.causes import check_cause
from attribution.corrections import make_label
from attribution.encoders.port import Encoder
from attribution.parameters import Parameters
from attribution.stages import attributor_of, read_causes, read_problems
from errata_client.model import Model
from knowledge.cases import ErrorCode, Problem
from knowledge.causes import Attribution, RootCause, WorkOrder
from knowledge.kinds import LABELS, PROBLEMS
from knowledge.stage import Shift
from knowledge.store import Query

RECENT = timedelta(days=90)
"""Problems not seen for longer are not asked about."""

Effect = Literal["takes", "takes_from", "puts_in_doubt"]


class Change(Model):
    """One problem that would be decided otherwise. `takes`: it had no cause; `takes_from`: `was` had it; `puts_in_doubt`: a
    person would have to decide. `score` and `reason` are those of the decision with the new cause."""

    fingerprint: str
    effect: Effect
    cases: int
    error_code: ErrorCode
    tool: str | None
    error_pattern: str
    was: str | None
    score: float | None
    reason: str


class OrderPreview(Model):
    """What approving an order would do to its problems and to those of the last 90 days. `own` of the order's `of` problems would be the
    new cause's; `changes` are about all others; `from_causes` counts those that it would take from each other cause, or
    put in doubt there."""

    order_id: str
    draft: RootCause
    own: int
    of: int
    asked: int
    changes: tuple[Change, ...] = ()
    from_causes: dict[str, int] = Field(default_factory=dict)

    def count(self, effect: Effect) -> int:
        """How many changes are of this kind."""
        return sum(change.effect == effect for change in self.changes)


def preview_order(
    shift: Shift,
    encoders: Sequence[Encoder],
    parameters: Parameters,
    order: WorkOrder,
    draft: RootCause | None = None,
) -> OrderPreview:
    """Decide the recent problems behind the order's gates as they are, and as they would be with the draft (or the edited
    one given) as a root cause and the order's problems confirmed for it."""
    cause = check_cause(draft or order.draft)
    own = frozenset(order.fingerprints)
    problems = [
        problem
        for problem in read_problems(shift)
        if problem.error_code in cause.error_codes
        and (problem.fingerprint in own or problem.last_seen >= shift.now - RECENT)
    ]
    before = _decided(attributor_of(shift, encoders, parameters), problems)
    after = _decided(_with_draft(shift, encoders, parameters, order, cause), problems)
    others = [problem for problem in problems if problem.fingerprint not in own]
    found = [_change(one, before[one.fingerprint], after[one.fingerprint], cause.cause_id) for one in others]
    changes = tuple(sorted((one for one in found if one), key=_order))
    return OrderPreview(
        order_id=order.order_id,
        draft=cause,
        own=sum(after[one].root_cause == cause.cause_id for one in own if one in after),
        of=len(own),
        asked=len(problems),
        changes=changes,
        from_causes=dict(sorted(Counter(one.was for one in changes if one.was).items())),
    )


def _decided(attributor: Attributor, problems: Sequence[Problem]) -> dict[str, Attribution]:
    return {one.fingerprint: one for one in attributor.attribute(problems)}


def _with_draft(
    shift: Shift, encoders: Sequence[Encoder], parameters: Parameters, order: WorkOrder, cause: RootCause
) -> Attributor:
    """What would decide after the approval: the draft among the causes, the order's problems confirmed."""
    causes = [one for one in read_causes(shift) if one.cause_id != cause.cause_id]
    attributor = attributor_of(shift, encoders, parameters, [*causes, cause])
    stored = shift.store.collection(shift.project, PROBLEMS).get_many(order.fingerprints)
    said = [one.item for one in shift.store.collection(shift.project, LABELS).scan(Query())]
    meant = [
        make_label(shift, one.item, "confirm", cause.cause_id, "preview", "preview")
        for one in stored.values()
    ]
    return Attributor(
        attributor.causes,
        read_answers([*said, *meant]),
        parameters,
        attributor.encoders,
        attributor.vectors,
        shift.now,
    )


def _change(problem: Problem, before: Attribution, after: Attribution, cause: str) -> Change | None:
    """What the new cause changes for a problem; None if nothing."""
    if (before.verdict, before.root_cause) == (after.verdict, after.root_cause):
        return None
    effect: Effect = "puts_in_doubt"
    if after.root_cause == cause:
        effect = "takes_from" if before.root_cause else "takes"
    return Change(
        fingerprint=problem.fingerprint,
        effect=effect,
        cases=problem.count,
        error_code=problem.error_code,
        tool=problem.tool,
        error_pattern=problem.error_pattern,
        was=before.root_cause,
        score=after.score,
        reason=after.reason,
    )


def _order(change: Change) -> tuple[str, int, str]:
    return change.effect, -change.cases, change.fingerprint
