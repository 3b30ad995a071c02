"""Ideas that were turned down before, known again in another dress: a reviewer is told, with the reason that was given."""

from __future__ import annotations

from collections.abc import Iterable

from errata_client.rule import Rule
from knowledge.strategies import Resemblance, State, Strategy
from strategies.draft_key import trigger_key

TURNED_DOWN: tuple[State, ...] = ("rejected", "rolled_back")
LIKE_REJECTED = "like_rejected"
"""A flag: `resembles` says what it is like, and why that was turned down."""

MAX_SHOWN = 3
ENOUGH_SHARED = 0.5


def resemblances(rule: Rule, cases: Iterable[str], known: Iterable[Strategy]) -> tuple[Resemblance, ...]:
    """The strategies turned down that this rule is a variant of, the latest first.

    It is one where in the same scope it does the same sort of thing to the same place and either looks at the same field or
    speaks from at least half of the same cases; or where it looks at just the same calls and does something else to them.
    """
    mine = frozenset(cases)
    alike = [item for item in known if item.state in TURNED_DOWN and _is_variant(rule, mine, item)]
    alike.sort(
        key=lambda item: (item.history[-1].at.isoformat() if item.history else "", item.strategy_id),
        reverse=True,
    )
    return tuple(map(_resemblance, alike[:MAX_SHOWN]))


def _is_variant(rule: Rule, cases: frozenset[str], other: Strategy) -> bool:
    if other.rule.scope != rule.scope:
        return False
    if _sort(other.rule) == _sort(rule):
        same_field = _looks_at(other.rule) == _looks_at(rule)
        return same_field or _shared(cases, other.evidence.cases) >= ENOUGH_SHARED
    return trigger_key(other.rule) == trigger_key(rule)


def _sort(rule: Rule) -> tuple[str, str, str]:
    """What is done, and to which place."""
    action = rule.action
    return action.kind, str(getattr(action, "field", "")), str(getattr(action, "tool", ""))


def _looks_at(rule: Rule) -> tuple[str, ...]:
    """The trigger's field and what its conditions ask for, without the patterns."""
    asked = [
        f"{condition.kind} {getattr(condition, 'field', '')} {getattr(condition, 'tool', '')} {getattr(condition, 'path', '')}"
        for condition in rule.trigger.conditions
    ]
    return rule.trigger.field, *sorted(asked)


def _shared(mine: frozenset[str], theirs: Iterable[str]) -> float:
    other = frozenset(theirs)
    return len(mine & other) / min(len(mine), len(other)) if mine and other else 0.0


def _resemblance(strategy: Strategy) -> Resemblance:
    last = strategy.history[-1] if strategy.history else None
    return Resemblance(
        strategy_id=strategy.strategy_id,
        state=strategy.state,
        reason=last.reason if last else "no reason given",
    )
