"""How many calls a rule would touch is told before it is approved, as the estimate that it is."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from knowledge.store import Store
from strategies.publish.wording import figures
from strategies.reach import Volume, reach_in_words
from strategies.supply import Supply
from tests.strategies.shop import NOW, bare_orders, fine_orders, night, shift_of


def test_a_draft_says_how_many_of_the_scopes_calls_it_would_touch(store: Store) -> None:
    strategy = next(
        found
        for found in night(store, [*fine_orders(), *bare_orders(12)])
        if found.rule.action.kind == "rewrite"
    )
    found = strategy.evidence.reach
    assert found is not None
    assert (found.days, found.calls, found.failed) == (30, 64, 12)
    assert (found.tried_failed, found.fired_failed, found.fired_worked) == (12, 6, 0)
    assert found.touched == found.low == 6.0
    assert 6.0 < found.high < 64.0
    assert (
        reach_in_words(found) == f"about 6 of 64 calls in 30 days (estimate, 6 to {found.high:,.0f} at 95 %)"
    )
    assert "would touch about 6 of 64 calls" in figures(strategy)


def test_calls_of_long_ago_are_not_counted(store: Store) -> None:
    night(store, fine_orders())
    shift = replace(shift_of(store), now=NOW + timedelta(days=40))
    assert Supply(shift).volume(("get_order", "get_order")) == Volume()
    assert Supply(shift_of(store)).volume(("get_order", "get_order")) == Volume(40, 0)


def test_without_run_records_nothing_is_claimed(store: Store) -> None:
    strategy = night(store, [*fine_orders(), *bare_orders(12)])[0]
    assert strategy.evidence.reach is not None
    empty = strategy.evidence.reach.model_copy(update={"calls": 0, "failed": 0})
    assert "not known" in reach_in_words(empty)
