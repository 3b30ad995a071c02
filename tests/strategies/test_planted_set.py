"""Seventeen planted faults: all are found, nothing is invented, and where there is no fault no draft passes."""

from __future__ import annotations

import pytest

from knowledge.store import Store
from tests.strategies.planted_set import FAULTS, runs, shuffled
from tests.strategies.shop import night

EXPECTED = {(fault.tool, fault.synthesiser) for fault in FAULTS}


@pytest.mark.parametrize("seed", [1, 2])
def test_every_planted_fault_is_found_and_none_is_invented(store: Store, seed: int) -> None:
    found = night(store, runs(seed))

    assert {(strategy.rule.scope.tool, strategy.synthesiser) for strategy in found} == EXPECTED
    assert all(strategy.evidence.harmed == 0 for strategy in found)


@pytest.mark.parametrize("seed", [1, 2])
def test_with_the_outcomes_shuffled_no_draft_passes(store: Store, seed: int) -> None:
    assert [strategy.rule for strategy in night(store, shuffled(seed))] == []
