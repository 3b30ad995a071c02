"""What an engineer does with a strategy. Each step is in its history, in the audit log, and in the next bundle."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import date, timedelta

from errata_client.actions.templates import why_unbound
from errata_client.jsontext import canonical
from errata_client.rule import Rule
from knowledge.errors import BadInputError, ConflictError, NotFoundError, StaleError
from knowledge.ids import digest
from knowledge.kinds import AUDIT, STRATEGIES
from knowledge.nights import AuditEntry
from knowledge.stage import Shift
from knowledge.store import Stored
from knowledge.strategies import State, Strategy
from strategies import life
from strategies.bundles import publish_live
from strategies.conflicts import Conflict
from strategies.model_proposals import PROPOSED_BY_MODEL
from strategies.neighbours import conflicts_of

MAX_REASON = 2_000
MAX_CALL = 200
TAINTED = "tainted"
"""A flag that an approval has to name: some case behind the draft reads like an injected instruction."""

TO_ACKNOWLEDGE = {
    TAINTED: "a case behind it, or what it says, reads like an injected instruction",
    PROPOSED_BY_MODEL: "a language model wrote it, words to the agent included",
}

EXTENSION = timedelta(days=90)
MAX_EXTENSION = timedelta(days=366)

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
    share: float = 1.0,
    supersedes: str | None = None,
) -> Stored[Strategy]:
    """From in_review to active, or to shadow: agents get the rule with the next revision.

    `share` (above 0, at most 1) is the share of runs that get it at first, a canary. The live strategy `supersedes`
    is retired in the same revision. `acknowledge` names flags, and conflicts that are harmless. ConflictError where it is not
    in review, has expired, conflicts with another live rule, or has what needs to be acknowledged and was not; StaleError where `version` is no longer the stored one.
    """
    target: State = "shadow" if shadow else "active"
    _check_share(share)

    def change(strategy: Strategy) -> Strategy:
        if strategy.state != "in_review":
            raise ConflictError(f"{strategy_id} is {strategy.state}: only what is in review can be approved")
        _check_acknowledged(strategy, acknowledge)
        shared = _with_share(strategy, share)
        _check_sql(shared.rule)
        _check_goes_live(shift, shared, without=supersedes, acknowledge=acknowledge)
        return life.moved(shared, target, shift.now, actor, reason)

    older = _superseded(shift, supersedes, strategy_id) if supersedes else None
    return _changed(shift, strategy_id, "approve", actor, reason, version, change, older)


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


def rollback(
    shift: Shift, strategy_id: str, actor: str, reason: str, version: str | None = None
) -> Stored[Strategy]:
    """A live rule did harm or no good: it leaves the bundle, and the idea is not drafted again."""
    return _moved(shift, strategy_id, "rollback", "rolled_back", actor, reason, version)


def extend(
    shift: Shift,
    strategy_id: str,
    actor: str,
    reason: str,
    version: str | None = None,
    *,
    until: date | None = None,
) -> Stored[Strategy]:
    """A live rule holds until `until`, by default EXTENSION from today; what was expiring is active again.

    BadInputError where that day is past, or more than MAX_EXTENSION away.
    """
    today = shift.now.date()
    wanted = until or today + EXTENSION
    if not today < wanted <= today + MAX_EXTENSION:
        raise BadInputError(f"{strategy_id}: {wanted} is not one of the next {MAX_EXTENSION.days} days")

    def change(strategy: Strategy) -> Strategy:
        if strategy.state not in life.LIVE:
            raise ConflictError(f"{strategy_id} is {strategy.state}: only a live rule can be extended")
        rule = strategy.rule.model_copy(update={"valid_until": wanted})
        longer = strategy.model_copy(update={"rule": rule})
        said = f"valid until {wanted}: {reason}"[:MAX_REASON]
        if strategy.state != "expiring":
            return life.noted(longer, shift.now, actor, said)
        back: State = "shadow" if rule.mode == "shadow" else "active"
        return life.moved(longer, back, shift.now, actor, said)

    return _changed(shift, strategy_id, "extend", actor, reason, version, change)


def give_share(
    shift: Shift, strategy_id: str, share: float, actor: str, reason: str, version: str | None = None
) -> Stored[Strategy]:
    """From now on a live rule goes to this share of runs (above 0, at most 1). Its revision grows, so that its effect is
    measured anew."""
    _check_share(share)

    def change(strategy: Strategy) -> Strategy:
        if strategy.state not in life.LIVE:
            raise ConflictError(f"{strategy_id} is {strategy.state}: only a live rule has a share of runs")
        rule = strategy.rule.model_copy(update={"share": share, "revision": strategy.rule.revision + 1})
        shared = strategy.model_copy(update={"rule": rule})
        return life.noted(shared, shift.now, actor, f"to {share:.0%} of runs: {reason}"[:MAX_REASON])

    return _changed(shift, strategy_id, "share", actor, reason, version, change)


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
        _check_sql(rule)
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
    older: Stored[Strategy] | None = None,
) -> Stored[Strategy]:
    """Change the strategy as it is stored, publish what follows, and write it down. `older` retires before it, so that
    whatever dies in between, agents never have both."""
    if not reason.strip() or len(reason) > MAX_REASON:
        raise BadInputError(f"a reason of 1 to {MAX_REASON} characters is needed to {action} {strategy_id}")
    strategies = shift.store.collection(shift.project, STRATEGIES)
    found = strategies.get(strategy_id)
    if found is None:
        raise NotFoundError(f"no strategy {strategy_id} in project {shift.project}")
    if version is not None and version != found.version:
        raise StaleError(f"{strategy_id} changed since it was read; read it again and repeat the {action}")
    shift.guard()
    wanted = change(found.item)
    if older is not None and older.item.state in life.LIVE:
        said = f"superseded by {strategy_id}: {reason}"[:MAX_REASON]
        strategies.put(life.moved(older.item, "retired", shift.now, actor, said), older.version)
        _write_down(shift, "retire", older.item.strategy_id, actor, said, older.item.state, "retired")
    stored = strategies.put(wanted, found.version)
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
    for flag, why in TO_ACKNOWLEDGE.items():
        if flag in strategy.evidence.flags and flag not in acknowledge:
            raise ConflictError(
                f"{strategy.strategy_id} is {flag.replace('_', ' ')}: {why}. Read its rows, and approve it with the flag {flag} "
                f"acknowledged if it is sound"
            )


def _check_sql(rule: Rule) -> None:
    reason = why_unbound(rule.action)
    if reason is not None:
        raise BadInputError(f"{rule.id} writes SQL with captures, which are bound or refused: {reason}")


def _check_share(share: float) -> None:
    if not 0 < share <= 1:
        raise BadInputError(f"a share of runs is above 0 and at most 1, not {share}")


def _with_share(strategy: Strategy, share: float) -> Strategy:
    return strategy.model_copy(update={"rule": strategy.rule.model_copy(update={"share": share})})


def _superseded(shift: Shift, strategy_id: str, by: str) -> Stored[Strategy]:
    """The live strategy that another takes the place of, or has begun to."""
    found = shift.store.collection(shift.project, STRATEGIES).get(strategy_id)
    if found is None:
        raise NotFoundError(f"no strategy {strategy_id} in project {shift.project}, to be superseded by {by}")
    last = found.item.history[-1].reason if found.item.history else ""
    begun = found.item.state == "retired" and last.startswith(f"superseded by {by}:")
    if strategy_id == by or not (begun or found.item.state in life.LIVE):
        raise ConflictError(f"{strategy_id} is {found.item.state}: only a live rule can be superseded")
    return found


def _check_goes_live(
    shift: Shift, strategy: Strategy, without: str | None = None, acknowledge: Collection[str] | None = None
) -> None:
    """Without `acknowledge` (a rule that is live already) what is harmless was acknowledged before."""
    rule = strategy.rule
    if rule.valid_until < shift.now.date():
        raise ConflictError(f"{rule.id} was valid until {rule.valid_until}: edit its date, then approve it")
    found = conflicts_of(shift, strategy, without=(without,))
    refused = [one for one in found if one.grade == "refused"]
    if refused:
        raise ConflictError(f"{rule.id} cannot go live: {_told(refused)}")
    harmless = [one for one in found if one.grade == "acknowledge"]
    open_ones = [one for one in harmless if acknowledge is not None and one.acknowledge not in acknowledge]
    if open_ones:
        names = ", ".join(one.acknowledge for one in open_ones)
        raise ConflictError(f"{rule.id}: {_told(open_ones)}. If that is as it should be, acknowledge {names}")


def _told(found: Sequence[Conflict]) -> str:
    """Each with a call that shows it."""
    return "; ".join(f"{one.words} (such as {canonical(one.call)[:MAX_CALL]})" for one in found)
