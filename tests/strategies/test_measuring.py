"""The night measures every live rule on the runs in the store, and says what a person should decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from errata_client.decision import DecisionReport, Firing
from errata_client.run import Outcome, Run
from ingest.masking import Masker
from ingest.service import ingest_runs
from knowledge.kinds import EFFECTS, STRATEGIES
from knowledge.stage import Shift
from knowledge.store import Query, Store
from strategies import measuring, review
from strategies.decisions import take_reports
from tests.strategies.shop import NOW, PROJECT, bare_orders, explain, fine_orders, night, shift_of

LIVE = NOW + timedelta(hours=8)


@pytest.fixture
def shift(store: Store) -> Shift:
    night(store, [*fine_orders(), *bare_orders(12)])
    morning = replace(shift_of(store), now=LIVE)
    review.approve(morning, "ST-0001", "mei", "the rows are right")
    return replace(morning, now=LIVE + timedelta(days=1))


def told(runs: Iterator[Run], arm: str | None, revision: int | None = 1, *, good: bool = True) -> list[Run]:
    """These runs, an hour after the rule went live, as clients tell them."""
    return [
        run.model_copy(
            update={
                "run_id": f"{arm}-{run.run_id}",
                "arm": arm,
                "active_revision": revision,
                "started_at": LIVE + timedelta(hours=1),
                "outcome": Outcome(status="success" if good else "failure"),
            }
        )
        for run in runs
    ]


def taken(shift: Shift, *runs: Run) -> None:
    ingest_runs(runs, shift, Masker(b"k" * 32))
    explain(shift)


def test_a_rule_that_helps_is_measured_against_the_holdout(shift: Shift) -> None:
    taken(shift, *told(fine_orders(40), "treated"), *told(bare_orders(25), "holdout"))

    report = measuring.measure(shift)
    effect = measuring.newest_effect(shift, "ST-0001")
    assert effect is not None
    assert effect.control == "holdout"
    assert effect.recurrence is not None
    assert (effect.recurrence.treated.count, effect.recurrence.treated.of) == (0, 40)
    assert effect.recurrence.control.count == effect.recurrence.control.of
    assert effect.alarms == ()
    assert report.counts == {"measured": 1, "proposed_for_rollback": 0}


def test_a_rule_that_harms_is_proposed_for_rollback_once(shift: Shift) -> None:
    bad, good = told(fine_orders(40), "treated", good=False), told(fine_orders(40), "holdout")
    taken(shift, *bad, *good)

    assert measuring.measure(shift).counts["proposed_for_rollback"] == 1
    stored = shift.store.collection(PROJECT, STRATEGIES).get("ST-0001")
    assert stored is not None
    assert stored.item.state == "active"
    assert stored.item.history[-1].reason.startswith("proposed for rollback: the run does not succeed")

    assert measuring.measure(shift).counts["proposed_for_rollback"] == 0
    assert shift.store.collection(PROJECT, STRATEGIES).get("ST-0001") == stored
    assert len(list(shift.store.collection(PROJECT, EFFECTS).scan(Query()))) == 1


def test_runs_that_do_not_say_their_revision_are_left_out_and_it_is_said(shift: Shift) -> None:
    taken(shift, *told(fine_orders(30), None, revision=None))
    (left_out,) = measuring.measure(shift).skipped
    assert (left_out["strategy"], left_out["runs"]) == ("ST-0001", 30)


def test_a_changed_rule_is_measured_anew(shift: Shift) -> None:
    taken(shift, *told(fine_orders(40), "treated"), *told(bare_orders(25), "holdout"))
    review.give_share(shift, "ST-0001", 0.5, "mei", "fewer")
    measuring.measure(shift)
    effect = measuring.newest_effect(shift, "ST-0001")
    assert effect is not None
    assert (effect.revision, effect.treated_group.runs) == (2, 0)


def test_only_firings_that_changed_a_call_of_a_treated_run_count(shift: Shift) -> None:
    firing = Firing(
        rule_id="ST-0001", rule_revision=1, mode="active", kind="rewrite", field="args.order_id", reason="r"
    )
    shadow = firing.model_copy(update={"mode": "shadow"})
    reports = [
        DecisionReport(
            report_id=f"{number}", run_id=run_id, step_id="s", tool="t", at=shift.now, bundle_revision=1,
            arm=arm, firing=fired,
        )
        for number, (run_id, arm, fired) in enumerate(
            [("a", "treated", firing), ("a", "treated", firing), ("b", "treated", firing),
             ("c", "holdout", firing), ("d", "treated", shadow)]
        )
    ]  # fmt: skip
    take_reports(shift, reports)
    measuring.measure(shift)
    effect = measuring.newest_effect(shift, "ST-0001")
    assert effect is not None
    assert (effect.fired, effect.fired_runs) == (3, 2)


def test_a_project_without_live_rules_has_nothing_to_measure(store: Store) -> None:
    assert measuring.measure(shift_of(store)).counts == {"measured": 0}
