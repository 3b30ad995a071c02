"""Drafts of the small shop, waiting for review."""

from __future__ import annotations

from typing import Any

from errata_client.rule import Rule
from knowledge.kinds import STRATEGIES
from knowledge.stage import Shift
from knowledge.store import Query, Store
from knowledge.strategies import Strategy
from tests.strategies.shop import PROJECT, bare_orders, fine_orders, night, shift_of

FIRST = "ST-0001"


def morning(store: Store) -> Shift:
    """A shift after a night that filed drafts."""
    night(store, [*fine_orders(), *bare_orders(12)])
    return shift_of(store)


def strategy(shift: Shift, strategy_id: str = FIRST) -> Strategy:
    """The strategy as it is stored."""
    stored = shift.store.collection(PROJECT, STRATEGIES).get(strategy_id)
    assert stored is not None
    return stored.item


def with_live(shift: Shift, action: dict[str, Any], pattern: str, strategy_id: str = "ST-0098") -> str:
    """A live rule beside the first draft, that looks at the same argument; its id."""
    first = strategy(shift)
    trigger = first.rule.trigger.model_copy(update={"pattern": pattern})
    changed = {"id": strategy_id, "trigger": trigger, "mode": "active"}
    rule = Rule.model_validate({**first.rule.model_copy(update=changed).model_dump(), "action": action})
    live = {"strategy_id": strategy_id, "draft_key": strategy_id, "rule": rule, "state": "active"}
    shift.store.collection(PROJECT, STRATEGIES).put(first.model_copy(update=live), None)
    return strategy_id


def states(shift: Shift) -> set[str]:
    """The states of all."""
    return {stored.item.state for stored in shift.store.collection(PROJECT, STRATEGIES).scan(Query())}
