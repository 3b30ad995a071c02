"""What people say about a problem's root cause: recorded for good, asked before anything else."""

from __future__ import annotations

from typing import Literal

from errata_client.model import JsonValue
from knowledge.cases import Problem
from knowledge.causes import Attribution, Label, RootCause
from knowledge.errors import BadInputError, NotFoundError
from knowledge.ids import digest
from knowledge.kinds import ATTRIBUTIONS, AUDIT, LABELS, PROBLEMS, ROOT_CAUSES
from knowledge.nights import AuditEntry
from knowledge.stage import Shift

Answer = Literal["confirm", "reject", "reassign"]
MAX_REASON = 2_000


def record_label(
    shift: Shift, fingerprint: str, answer: Answer, root_cause: str | None, actor: str, reason: str
) -> Label:
    """Keep a person's answer and an audit entry; the next night decides by it.

    "confirm" and "reject" speak of `root_cause`, or where it is None of the cause that the problem is attributed to
    now. "reassign" names the right cause, or None: no template fits; the cause that the problem had is then rejected.
    NotFoundError for an unknown problem or cause; BadInputError where there is nothing to confirm or no reason.
    """
    problem = _problem(shift, fingerprint)
    check_reason(actor, reason)
    current = shift.store.collection(shift.project, ATTRIBUTIONS).get(fingerprint)
    held = _held(current.item) if current else None
    cause = root_cause if answer == "reassign" else root_cause or held
    if answer != "reassign" and cause is None:
        raise BadInputError(f"problem {fingerprint} has no root cause yet: name the one that you {answer}")
    if cause is not None and answer != "reject":
        require_cause(shift, cause)
    label = make_label(shift, problem, answer, cause, actor, reason)
    implied = (
        [make_label(shift, problem, "reject", held, actor, reason)] if _moves(answer, held, cause) else []
    )
    shift.guard()
    shift.store.collection(shift.project, LABELS).add_many([*implied, label])
    audit(shift, actor, f"problem.{answer}", fingerprint, reason, {"root_cause": cause})
    return label


def make_label(
    shift: Shift, problem: Problem, answer: Answer, cause: str | None, actor: str, reason: str
) -> Label:
    """The label of an answer given now; the same answer at the same moment is the same label."""
    return Label(
        label_id=digest("label", problem.fingerprint, answer, cause, actor, reason, shift.now.isoformat()),
        fingerprint=problem.fingerprint,
        answer=answer,
        root_cause=cause,
        error_code=problem.error_code,
        error_kind=problem.error_kind,
        error_pattern=problem.error_pattern,
        user_intent=problem.user_intent,
        step_context=problem.context_text,
        actor=actor,
        reason=reason,
        at=shift.now,
    )


def check_reason(actor: str, reason: str) -> None:
    """BadInputError where nobody or no reason is named: an answer is kept for good and must say why."""
    if not actor.strip() or not reason.strip() or len(reason) > MAX_REASON:
        raise BadInputError(f"an answer needs who gives it, and a reason of 1 to {MAX_REASON} characters")


def require_cause(shift: Shift, cause_id: str) -> RootCause:
    """The root cause; NotFoundError if the project has none of that id."""
    found = shift.store.collection(shift.project, ROOT_CAUSES).get(cause_id)
    if found is None:
        raise NotFoundError(f"no root cause {cause_id} in {shift.project}: see `errata causes list`")
    return found.item


def audit(
    shift: Shift,
    actor: str,
    action: str,
    target: str,
    reason: str,
    details: dict[str, JsonValue] | None = None,
) -> None:
    """Note who did what and why."""
    entry = AuditEntry(
        entry_id=digest("audit", shift.now.isoformat(), actor, action, target, reason),
        at=shift.now,
        actor=actor,
        action=action,
        target=target,
        reason=reason,
        details=details or {},
    )
    shift.store.collection(shift.project, AUDIT).add_many([entry])


def _problem(shift: Shift, fingerprint: str) -> Problem:
    found = shift.store.collection(shift.project, PROBLEMS).get(fingerprint)
    if found is None:
        raise NotFoundError(f"no problem {fingerprint} in {shift.project}: see `errata problems list`")
    return found.item


def _held(attribution: Attribution) -> str | None:
    """The cause that a problem has, or was about to have when a person was asked."""
    if attribution.verdict == "abstained" and attribution.winner:
        return attribution.winner.cause_id
    return attribution.root_cause


def _moves(answer: Answer, held: str | None, cause: str | None) -> bool:
    return answer == "reassign" and held is not None and held != cause
