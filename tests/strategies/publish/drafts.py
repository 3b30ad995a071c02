"""Drafts of the small shop, waiting for review."""

from __future__ import annotations

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


def states(shift: Shift) -> set[str]:
    """The states of all."""
    return {stored.item.state for stored in shift.store.collection(PROJECT, STRATEGIES).scan(Query())}
