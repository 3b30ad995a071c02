"""What a live rule did, told apart from what would have happened without it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from errata_client.arms import arm_of, in_share
from errata_client.rule import Block, Rule, Scope, Trigger
from errata_client.run import Agent, Outcome
from knowledge.effects import Effect
from knowledge.runs import RunRecord
from knowledge.strategies import Evidence, Strategy
from strategies.effect import Arms, Marks, Trial, counted, measured, placed
from tests.strategies.shop import NOW

LIVE = NOW + timedelta(days=1)


def trial(share: float = 1.0, holdout: float = 0.0) -> Trial:
    rule = Rule(
        id="ST-0001",
        revision=2,
        root_cause="RC-1",
        scope=Scope(step_id="pay", tool="pay"),
        trigger=Trigger(field="args.amount", pattern="^0$"),
        action=Block(text="Ask for the amount."),
        mode="active",
        valid_until=date(2027, 1, 1),
        share=share,
    )
    evidence = Evidence(support=3, tasks=3, references=30, fired=3, right=3, wrong=0, harmed=0)
    strategy = Strategy(
        strategy_id="ST-0001", draft_key="k", synthesiser="s", state="active", rule=rule, evidence=evidence
    )
    return Trial(strategy, "shop", holdout, LIVE, revision=4)


def record(
    name: str,
    arm: str | None = "treated",
    revision: int | None = 4,
    at: datetime = LIVE,
    *,
    good: bool | None = True,
) -> RunRecord:
    outcome = "unknown" if good is None else "success" if good else "failure"
    return RunRecord(
        run_id=name,
        agent=Agent(),
        user_intent="",
        outcome=Outcome(status=outcome),
        occurred_at=at,
        active_revision=revision,
        arm=arm,
    )


def marks(
    recurred: range | None = None, failed: range | None = None, *, fired: int = 0, prefix: str = "t"
) -> Marks:
    return Marks(
        frozenset(f"{prefix}{n}" for n in recurred or ()),
        frozenset(f"{prefix}{n}" for n in failed or recurred or ()),
        frozenset(f"t{n}" for n in range(fired)),
        fired,
    )


def joined(*several: Marks) -> Marks:
    return Marks(
        frozenset().union(*(one.recurred for one in several)),
        frozenset().union(*(one.failed for one in several)),
        frozenset().union(*(one.fired_runs for one in several)),
        sum(one.fired for one in several),
    )


def effect_of(found: Marks, *runs: RunRecord, of: Trial | None = None) -> Effect:
    known = of or trial()
    return measured(known, counted(Arms.empty(), known, found, runs), found, LIVE + timedelta(days=1))


def arm(prefix: str, count: int, bad: int = 0, **options: object) -> list[RunRecord]:
    return [record(f"{prefix}{n}", good=n >= bad, **options) for n in range(count)]  # type: ignore[arg-type]


def test_a_run_counts_only_where_its_client_had_the_revision() -> None:
    known = trial()
    assert placed(record("a"), known) == "treated"
    assert placed(record("a", arm="holdout"), known) == "holdout"
    assert placed(record("a", revision=3), known) is None
    assert placed(record("a", revision=None), known) is None
    assert placed(record("a", revision=None, at=LIVE - timedelta(hours=1)), known) == "before"


def test_a_run_that_does_not_say_its_arm_has_the_one_that_its_id_gives_it() -> None:
    known = trial(holdout=0.5)
    for name in map(str, range(50)):
        assert placed(record(name, arm=None), known) == arm_of(name, "shop", 0.5)


def test_a_run_outside_the_canary_share_is_one_without_the_rule() -> None:
    known = trial(share=0.3)
    for name in map(str, range(50)):
        wanted = "treated" if in_share(name, "share:ST-0001", 0.3) else "holdout"
        assert placed(record(name), known) == wanted


def test_recurrence_in_the_treated_arm_is_compared_with_the_holdout() -> None:
    found = joined(marks(range(2)), marks(range(25), prefix="h"))
    effect = effect_of(found, *arm("t", 100), *arm("h", 50, arm="holdout"))

    assert effect.control == "holdout"
    assert effect.recurrence is not None
    assert (effect.recurrence.treated.count, effect.recurrence.control.count) == (2, 25)
    assert effect.recurrence.change == pytest.approx(-0.96)
    assert effect.recurrence.difference_high < 0
    assert effect.alarms == ()


def test_without_a_holdout_the_runs_before_are_compared_and_it_is_said() -> None:
    before = arm("b", 40, at=LIVE - timedelta(days=2), revision=None)
    effect = effect_of(marks(range(20), prefix="b"), *arm("t", 40), *before)
    assert effect.control == "before"
    assert effect.recurrence is not None
    assert effect.recurrence.change == -1.0


def test_a_handful_of_runs_says_nothing() -> None:
    effect = effect_of(marks(range(10)), *arm("t", 19, bad=19), *arm("h", 200, arm="holdout"))
    assert (effect.control, effect.recurrence, effect.alarms) == ("none", None, ())


def test_a_rule_whose_runs_fail_more_often_is_proposed_for_rollback() -> None:
    effect = effect_of(marks(), *arm("t", 60, bad=40), *arm("h", 60, bad=10, arm="holdout"))
    assert [(alarm.kind, alarm.proposal) for alarm in effect.alarms] == [("worse", "rollback")]
    assert "66.7%" in effect.alarms[0].text


def test_a_rule_whose_scope_fails_more_often_is_proposed_too() -> None:
    found = marks(range(0), range(45))
    effect = effect_of(found, *arm("t", 100), *arm("h", 100, arm="holdout"))
    assert [alarm.kind for alarm in effect.alarms] == ["worse"]


def test_equal_arms_raise_no_alarm() -> None:
    found = joined(marks(range(10)), marks(range(11), prefix="h"))
    effect = effect_of(found, *arm("t", 100, bad=30), *arm("h", 100, bad=28, arm="holdout"))
    assert [alarm.kind for alarm in effect.alarms] == ["still_frequent"]


def test_a_cause_that_mostly_comes_back_is_flagged() -> None:
    found = joined(marks(range(60)), marks(range(70), prefix="h"))
    effect = effect_of(found, *arm("t", 100), *arm("h", 100, arm="holdout"))
    assert [(alarm.kind, alarm.proposal) for alarm in effect.alarms] == [("still_frequent", None)]
    assert "surely" in effect.alarms[0].text


def test_a_rule_that_touches_far_more_runs_than_fail_is_too_wide() -> None:
    found = joined(marks(fired=60), marks(range(10), prefix="h"))
    effect = effect_of(found, *arm("t", 100), *arm("h", 100, arm="holdout"))
    assert [alarm.kind for alarm in effect.alarms] == ["scope_too_wide"]


def test_runs_whose_outcome_nobody_knows_are_not_called_successful() -> None:
    unknown = [record(f"t{n}", good=None) for n in range(60)]
    effect = effect_of(marks(), *unknown, *arm("h", 60, arm="holdout"))
    assert effect.treated_group.judged == 0
    assert effect.unsuccessful is None


def test_counting_in_pieces_gives_what_counting_at_once_gives() -> None:
    runs = [*arm("t", 30, bad=3), *arm("h", 30, arm="holdout"), record("x", revision=None)]
    known, found = trial(), marks(range(5))
    whole = counted(Arms.empty(), known, found, runs)
    pieces = Arms.empty()
    for at in range(0, len(runs), 7):
        pieces = counted(pieces, known, found, runs[at : at + 7])
    assert pieces == whole
    assert replace(pieces, uncounted=0).treated.runs == 30
    assert whole.uncounted == 1


def test_a_rule_that_would_have_touched_calls_that_work_is_proposed_for_rollback_at_once() -> None:
    found = replace(marks(range(2), prefix="h"), would_fire=frozenset(f"h{n}" for n in range(6)))
    effect = effect_of(found, *arm("t", 30), *arm("h", 8, arm="holdout"))
    assert effect.spared is not None
    assert (effect.spared.count, effect.spared.of) == (4, 6)
    assert [(alarm.kind, alarm.proposal) for alarm in effect.alarms] == [("touches_good_calls", "rollback")]


def test_a_rule_that_only_acts_where_calls_fail_is_none_of_those() -> None:
    found = replace(marks(range(6), prefix="h"), would_fire=frozenset(f"h{n}" for n in range(6)))
    assert effect_of(found, *arm("h", 8, arm="holdout")).alarms == ()


def test_an_oddity_or_two_among_many_is_no_alarm() -> None:
    odd = replace(marks(range(98), prefix="h"), would_fire=frozenset(f"h{n}" for n in range(100)))
    assert effect_of(odd, *arm("h", 100, arm="holdout")).alarms == ()


def test_a_rule_in_shadow_is_measured_by_what_it_would_have_done() -> None:
    known = trial()
    rule = known.strategy.rule.model_copy(update={"mode": "shadow"})
    shadow = replace(known, strategy=known.strategy.model_copy(update={"rule": rule, "state": "shadow"}))
    found = Marks(frozenset(), frozenset(), frozenset(), 0, frozenset(f"t{n}" for n in range(5)))
    effect = effect_of(found, *arm("t", 40), of=shadow)
    assert (effect.control, effect.treated_group.runs) == ("none", 0)
    assert [alarm.kind for alarm in effect.alarms] == ["touches_good_calls"]
