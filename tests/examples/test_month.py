"""A short month of the desk: rules help, an agent that follows none shows nothing, and a harmful rule is found out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchmarks.month import Month, play, pooled

MONTH = Month(seed=7, days=5, runs=50, holdout=0.3, encoders="hash")


def said(_: str) -> None:
    """Nobody looks."""


def test_causes_that_have_a_rule_come_back_less_where_agents_have_it(tmp_path: Path) -> None:
    outcome = play(MONTH, tmp_path / "desk", said)
    found = pooled(outcome.effects)
    assert found is not None
    assert found.change_high is not None
    assert found.change_high < -0.5
    assert not [alarm for effect in outcome.effects for alarm in effect.alarms if alarm.proposal]


def test_an_agent_that_follows_no_rule_shows_no_effect(tmp_path: Path) -> None:
    outcome = play(replace(MONTH, follows="nothing"), tmp_path / "desk", said)
    found = pooled(outcome.effects)
    assert found is not None
    assert found.difference_low < 0 < found.difference_high
    assert not [alarm for effect in outcome.effects for alarm in effect.alarms if alarm.kind == "worse"]


def test_a_rule_that_stops_good_calls_is_proposed_for_rollback(tmp_path: Path) -> None:
    outcome = play(replace(MONTH, hasty=True), tmp_path / "desk", said)
    assert outcome.noticed is not None
    assert outcome.noticed <= 3
    (hasty,) = [one for one in outcome.strategies if one.strategy_id == "ST-9001"]
    assert any(step.reason.startswith("proposed for rollback") for step in hasty.history)
    assert hasty.state == "active"
