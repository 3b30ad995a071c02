"""A strategy's life: which state may follow which. Pure: each transition is a new strategy with a longer history."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from knowledge.errors import ConflictError
from knowledge.strategies import State, Strategy, Transition

LIVE: tuple[State, ...] = ("shadow", "active", "expiring")
"""The states in which agents have the rule."""

OPEN: tuple[State, ...] = ("in_review", *LIVE)
"""The states in which a strategy may still be edited."""

NEXT: dict[State, tuple[State, ...]] = {
    "draft": ("in_review", "rejected"),
    "in_review": ("shadow", "active", "rejected"),
    "shadow": ("active", "expiring", "retired", "rolled_back"),
    "active": ("shadow", "expiring", "retired", "rolled_back"),
    "expiring": ("shadow", "active", "retired", "rolled_back"),
    "retired": (),
    "rejected": (),
    "rolled_back": (),
}

EXPIRING_SOON = timedelta(days=14)


def moved(
    strategy: Strategy, target: State, at: datetime, actor: str, reason: str, revision: int | None = None
) -> Strategy:
    """The strategy in its next state; ConflictError names the states that may follow where `target` may not."""
    if target not in NEXT[strategy.state]:
        allowed = ", ".join(NEXT[strategy.state]) or "nothing"
        raise ConflictError(
            f"{strategy.strategy_id} is {strategy.state}: it cannot become {target}; {allowed} may follow"
        )
    return _recorded(strategy, target, at, actor, reason, revision)


def begun(strategy: Strategy, at: datetime, actor: str, reason: str) -> Strategy:
    """A draft with the first entry of its history."""
    step = Transition(at=at, actor=actor, source=None, target="draft", reason=reason[:2000])
    return strategy.model_copy(update={"state": "draft", "history": (step,)})


def noted(strategy: Strategy, at: datetime, actor: str, reason: str, revision: int | None = None) -> Strategy:
    """The strategy with an entry in its history and its state as it was."""
    return _recorded(strategy, strategy.state, at, actor, reason, revision)


def due(strategy: Strategy, today: date) -> State | None:
    """Where the calendar alone takes a live strategy today; None where it stays."""
    if strategy.state not in LIVE:
        return None
    if strategy.rule.valid_until < today:
        return "retired"
    soon = strategy.rule.valid_until - today <= EXPIRING_SOON
    return "expiring" if soon and strategy.state != "expiring" else None


def _recorded(
    strategy: Strategy, target: State, at: datetime, actor: str, reason: str, revision: int | None
) -> Strategy:
    step = Transition(
        at=at, actor=actor, source=strategy.state, target=target, reason=reason, revision=revision
    )
    mode = target if target in {"shadow", "active"} else strategy.rule.mode
    rule = strategy.rule.model_copy(update={"mode": mode})
    return strategy.model_copy(update={"state": target, "rule": rule, "history": (*strategy.history, step)})
