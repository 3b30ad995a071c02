"""Deciding work orders: approve one as a root cause, merge it into another, or reject it."""

from __future__ import annotations

from attribution.causes import check_cause, next_cause_id
from attribution.corrections import audit, check_reason, make_label
from attribution.stages import read_causes
from knowledge.causes import Exemplar, RootCause, WorkOrder
from knowledge.errors import ConflictError, NotFoundError, StaleError
from knowledge.kinds import LABELS, PROBLEMS, ROOT_CAUSES, WORK_ORDERS
from knowledge.stage import Shift
from knowledge.store import Stored


def approve_order(
    shift: Shift,
    order_id: str,
    actor: str,
    reason: str,
    *,
    draft: RootCause | None = None,
    version: str | None = None,
) -> RootCause:
    """Make the order's draft (or the edited one given) a root cause with an id of its own, and confirm the order's
    problems for it. The next night attributes by it.

    ConflictError if the order is decided already; StaleError if `version` is given and no longer the stored one. What
    a killed call had written is found again: the cause carries the order's id as its maker.
    """
    stored = _open_order(shift, order_id, actor, reason, version)
    wanted = draft or stored.item.draft
    made = _made_by(shift, order_id)
    identity = made.cause_id if made else wanted.cause_id
    if identity == order_id or not identity.strip():
        identity = next_cause_id(shift)
    cause = check_cause(wanted.model_copy(update={"cause_id": identity, "created_by": order_id}))
    shift.guard()
    collection = shift.store.collection(shift.project, ROOT_CAUSES)
    if made is None and not collection.add_many([cause]).created:
        raise ConflictError(
            f"there is a root cause {identity} already: merge the order into it, or rename the draft"
        )
    _confirm(shift, stored.item, cause.cause_id, actor, reason)
    _decide(shift, stored, "approved", actor, reason, cause.cause_id)
    return made or cause


def merge_order(
    shift: Shift, order_id: str, cause_id: str, actor: str, reason: str, *, version: str | None = None
) -> RootCause:
    """Add the order's exemplars to an existing cause, widen its gates to cover them, and confirm the order's problems
    for it. NotFoundError if there is no such cause; else as `approve_order`."""
    stored = _open_order(shift, order_id, actor, reason, version)
    found = shift.store.collection(shift.project, ROOT_CAUSES).get(cause_id)
    if found is None:
        raise NotFoundError(f"no root cause {cause_id} in {shift.project}: see `errata causes list`")
    cause = check_cause(merged(found.item, stored.item.draft))
    shift.guard()
    if cause != found.item:
        shift.store.collection(shift.project, ROOT_CAUSES).put(cause, found.version)
    _confirm(shift, stored.item, cause_id, actor, reason)
    _decide(shift, stored, "merged", actor, reason, cause_id)
    return cause


def reject_order(
    shift: Shift, order_id: str, actor: str, reason: str, *, version: str | None = None
) -> WorkOrder:
    """Say that the order is no root cause; it is never proposed again, nor are problems near it."""
    stored = _open_order(shift, order_id, actor, reason, version)
    return _decide(shift, stored, "rejected", actor, reason, None)


def merged(cause: RootCause, other: RootCause) -> RootCause:
    """The cause with another's exemplars, and with gates that let the other's problems through. Pure."""
    known = {exemplar.error_pattern for exemplar in cause.exemplars}
    new: list[Exemplar] = [one for one in other.exemplars if one.error_pattern not in known]
    return cause.model_copy(
        update={
            "exemplars": (*cause.exemplars, *new),
            "error_codes": _joined(cause.error_codes, other.error_codes),
            "error_kinds": _joined(cause.error_kinds, other.error_kinds)
            if cause.error_kinds and other.error_kinds
            else (),
            "tools": _joined(cause.tools, other.tools) if cause.tools and other.tools else (),
        }
    )


def _joined(have: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return (*have, *(one for one in more if one not in have))


def _open_order(
    shift: Shift, order_id: str, actor: str, reason: str, version: str | None
) -> Stored[WorkOrder]:
    check_reason(actor, reason)
    stored = shift.store.collection(shift.project, WORK_ORDERS).get(order_id)
    if stored is None:
        raise NotFoundError(f"no work order {order_id} in {shift.project}: see `errata orders list`")
    if version is not None and stored.version != version:
        raise StaleError(f"work order {order_id} changed since you read it: read it again, then decide")
    if stored.item.state != "open":
        raise ConflictError(f"work order {order_id} was {stored.item.state} by {stored.item.actor} already")
    return stored


def _made_by(shift: Shift, order_id: str) -> RootCause | None:
    """The cause that an earlier, cut-off approval of this order made."""
    return next((cause for cause in read_causes(shift) if cause.created_by == order_id), None)


def _confirm(shift: Shift, order: WorkOrder, cause_id: str, actor: str, reason: str) -> None:
    problems = shift.store.collection(shift.project, PROBLEMS).get_many(order.fingerprints)
    said = f"{order.order_id}: {reason}"[:2000]
    labels = [make_label(shift, one.item, "confirm", cause_id, actor, said) for one in problems.values()]
    shift.guard()
    shift.store.collection(shift.project, LABELS).add_many(labels)


def _decide(
    shift: Shift, stored: Stored[WorkOrder], state: str, actor: str, reason: str, cause_id: str | None
) -> WorkOrder:
    """Close the order and note it. StaleError if somebody else was quicker."""
    decided = stored.item.model_copy(update={"state": state, "actor": actor, "reason": reason})
    shift.guard()
    written = shift.store.collection(shift.project, WORK_ORDERS).put(decided, stored.version)
    audit(shift, actor, f"order.{state}", stored.item.order_id, reason, {"root_cause": cause_id})
    return written.item
