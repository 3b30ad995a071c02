"""What an engineer does with a strategy. Each step is in its history, in the audit log, and in the next bundle."""

from __future__ import annotations

from collections.abc import Callable, Collection

from errata_client.rule import Rule
from knowledge.errors import BadInputError, ConflictError, NotFoundError, StaleError
from knowledge.ids import digest
from knowledge.kinds import AUDIT, STRATEGIES
from knowledge.nights import AuditEntry
from knowledge.stage import Shift
from knowledge.store import Query, Stored
from knowledge.strategies import State, Strategy
from strategies import life
from strategies.bundles import publish_live
from strategies.conflicts import conflicts

MAX_REASON = 2_000
TAINTED = "tainted"
"""A flag that an approval has to name: some case behind the draft reads like an injected instruction."""

Change = Callable[[Strategy], Strategy]


def approve(
    shift: Shift,
    strategy_id: str,
    actor: str,
    reason: str,
    version: str | None = None,
    *,
    shadow: bool = False,
    acknowledge: Collection[str] = (),
) -> Stored[Strategy]:
    """From in_review to active, or to shadow: agents get the rule with the next revision.

    ConflictError where it is not in review, has expired, conflicts with a live rule, or is tainted and that is not
    acknowledged; StaleError where `version` is no longer the stored one.
    """
    target: State = "shadow" if shadow else "active"

    def change(strategy: Strategy) -> Strategy:
        if strategy.state != "in_review":
            raise ConflictError(f"{strategy_id} is {strategy.state}: only what is in review can be approved")
        _check_acknowledged(strategy, acknowledge)
        _check_goes_live(shift, strategy)
        return life.moved(strategy, target, shift.now, actor, reason)

    return _changed(shift, strategy_id, "approve", actor, reason, version, change)


def reject(
    shift: Shift, strategy_id: str, actor: str, reason: str, version: str | None = None
) -> Stored[Strategy]:
    """The idea is remembered by its meaning and never drafted again."""
    return _moved(shift, strategy_id, "reject", "rejected", actor, reason, version)


def retire(
    shift: Shift, strategy_id: str, actor: str, reason: str, version: str | None = None
) -> Stored[Strategy]:
    """A live rule leaves the bundle."""
    return _moved(shift, strategy_id, "retire", "retired", actor, reason, version)


def activate(
    shift: Shift, strategy_id: str, actor: str, reason: str, version: str | None = None
) -> Stored[Strategy]:
    """From shadow (or expiring) to active."""

    def change(strategy: Strategy) -> Strategy:
        if strategy.state not in {"shadow", "expiring"}:
            raise ConflictError(f"{strategy_id} is {strategy.state}: only a rule in shadow can be activated")
        _check_goes_live(shift, strategy)
        return life.moved(strategy, "active", shift.now, actor, reason)

    return _changed(shift, strategy_id, "activate", actor, reason, version, change)


def edit(
    shift: Shift, strategy_id: str, rule: Rule, actor: str, reason: str, version: str | None = None
) -> Stored[Strategy]:
    """Replace the rule: its id stays, its revision grows, its mode follows the state.

    Its draft_key stays that of the idea as drafted, so that the
    night does not draft it again. The evidence is that of the draft; the flag "edited" says so.
    """

    def change(strategy: Strategy) -> Strategy:
        if strategy.state not in life.OPEN:
            raise ConflictError(f"{strategy_id} is {strategy.state}: it can no longer be edited")
        if rule.id != strategy_id:
            raise BadInputError(f"the rule's id is {rule.id}: it must stay {strategy_id}")
        revised = rule.model_copy(update={"revision": strategy.rule.revision + 1, "mode": strategy.rule.mode})
        flags = tuple(dict.fromkeys((*strategy.evidence.flags, "edited")))
        evidence = strategy.evidence.model_copy(update={"flags": flags})
        edited = strategy.model_copy(update={"rule": revised, "evidence": evidence})
        if strategy.state in life.LIVE:
            _check_goes_live(shift, edited)
        return life.noted(edited, shift.now, actor, reason)

    return _changed(shift, strategy_id, "edit", actor, reason, version, change)


def _moved(
    shift: Shift, strategy_id: str, action: str, target: State, actor: str, reason: str, version: str | None
) -> Stored[Strategy]:
    def change(strategy: Strategy) -> Strategy:
        return life.moved(strategy, target, shift.now, actor, reason)

    return _changed(shift, strategy_id, action, actor, reason, version, change)


def _changed(
    shift: Shift,
    strategy_id: str,
    action: str,
    actor: str,
    reason: str,
    version: str | None,
    change: Change,
) -> Stored[Strategy]:
    """Change the strategy as it is stored, publish what follows, and write it down."""
    if not reason.strip() or len(reason) > MAX_REASON:
        raise BadInputError(f"a reason of 1 to {MAX_REASON} characters is needed to {action} {strategy_id}")
    strategies = shift.store.collection(shift.project, STRATEGIES)
    found = strategies.get(strategy_id)
    if found is None:
        raise NotFoundError(f"no strategy {strategy_id} in project {shift.project}")
    if version is not None and version != found.version:
        raise StaleError(f"{strategy_id} changed since it was read; read it again and repeat the {action}")
    shift.guard()
    stored = strategies.put(change(found.item), found.version)
    publish_live(shift, actor, f"{action} {strategy_id}: {reason}"[:MAX_REASON])
    _write_down(shift, action, strategy_id, actor, reason, found.item.state, stored.item.state)
    return stored


def _write_down(
    shift: Shift, action: str, strategy_id: str, actor: str, reason: str, before: State, after: State
) -> None:
    entry = AuditEntry(
        entry_id=digest("audit", shift.project, strategy_id, action, actor, reason, shift.now.isoformat()),
        at=shift.now,
        actor=actor,
        action=f"strategy.{action}",
        target=strategy_id,
        reason=reason,
        details={"before": before, "after": after},
    )
    shift.store.collection(shift.project, AUDIT).add_many([entry])


def _check_acknowledged(strategy: Strategy, acknowledge: Collection[str]) -> None:
    if TAINTED in strategy.evidence.flags and TAINTED not in acknowledge:
        raise ConflictError(
            f"{strategy.strategy_id} is tainted: a case behind it reads like an injected instruction. Read its rows, "
            f"and approve it with the flag acknowledged if it is sound"
        )


def _check_goes_live(shift: Shift, strategy: Strategy) -> None:
    rule = strategy.rule
    if rule.valid_until < shift.now.date():
        raise ConflictError(f"{rule.id} was valid until {rule.valid_until}: edit its date, then approve it")
    others = [
        stored.item
        for stored in shift.store.collection(shift.project, STRATEGIES).scan(
            Query(where={"state": life.LIVE, "rule.scope.tool": rule.scope.tool})
        )
        if stored.item.strategy_id != strategy.strategy_id
    ]
    found = conflicts(strategy, others)
    if found:
        raise ConflictError(f"{rule.id} cannot go live: {'; '.join(found)}")
