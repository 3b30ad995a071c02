"""A strategy's life in the hands of an engineer: each step is written down, published, and never undone by a night."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from errata_client.bundle import content_digest
from knowledge.errors import BadInputError, ConflictError, NotFoundError, StaleError
from knowledge.kinds import AUDIT, PUBLICATIONS, STRATEGIES
from knowledge.stage import Shift
from knowledge.store import Query, Store, Stored
from knowledge.strategies import Strategy
from strategies import life, review, stages
from strategies.bundles import current_bundle
from tests.strategies.shop import NOW, PROJECT, bare_orders, filed, fine_orders, night, shift_of

Decide = Callable[..., Stored[Strategy]]


@pytest.fixture
def shift(store: Store) -> Shift:
    night(store, [*fine_orders(), *bare_orders(12)])
    return shift_of(store)


def first(shift: Shift) -> Stored[Strategy]:
    found = shift.store.collection(PROJECT, STRATEGIES).get("ST-0001")
    assert found is not None
    return found


def test_a_draft_that_passed_is_in_review_with_its_evidence_and_history(shift: Shift) -> None:
    strategy = first(shift).item

    assert strategy.state == "in_review"
    assert [step.target for step in strategy.history] == ["draft", "in_review"]
    assert strategy.evidence.support >= 3
    assert strategy.evidence.precision == 1.0
    assert {row.judgement for row in strategy.evidence.rows} <= {"right", "unproven", "idle"}
    assert current_bundle(shift.store, PROJECT, NOW).revision == 0


def test_an_approved_rule_is_in_the_next_revision_of_the_bundle(shift: Shift) -> None:
    review.approve(shift, "ST-0001", "mei", "the rows are right")

    bundle = current_bundle(shift.store, PROJECT, NOW)
    assert bundle.revision == 1
    assert [(rule.id, rule.mode) for rule in bundle.rules] == [("ST-0001", "active")]
    assert bundle.digest == content_digest(bundle)
    assert bundle == current_bundle(shift.store, PROJECT, NOW)


def test_an_approval_in_shadow_is_published_as_shadow_and_may_become_active(shift: Shift) -> None:
    review.approve(shift, "ST-0001", "mei", "watch it", shadow=True)
    assert [rule.mode for rule in current_bundle(shift.store, PROJECT, NOW).rules] == ["shadow"]

    review.activate(shift, "ST-0001", "mei", "no wrong firing")
    assert [rule.mode for rule in current_bundle(shift.store, PROJECT, NOW).rules] == ["active"]


def test_a_retired_rule_leaves_the_bundle_and_the_history_says_who_and_why(shift: Shift) -> None:
    review.approve(shift, "ST-0001", "mei", "right")
    review.retire(shift, "ST-0001", "wang", "the tool takes both forms now")

    assert current_bundle(shift.store, PROJECT, NOW).rules == ()
    last = first(shift).item.history[-1]
    assert (last.source, last.target, last.actor) == ("active", "retired", "wang")
    assert last.reason == "the tool takes both forms now"


def test_each_decision_is_in_the_audit_log(shift: Shift) -> None:
    review.approve(shift, "ST-0001", "mei", "right")
    review.retire(shift, "ST-0001", "wang", "enough")

    entries = [stored.item for stored in shift.store.collection(PROJECT, AUDIT).scan(Query())]
    assert {(entry.action, entry.actor) for entry in entries} == {
        ("strategy.approve", "mei"),
        ("strategy.retire", "wang"),
    }


@pytest.mark.parametrize("decide", [review.approve, review.reject, review.retire, review.activate])
def test_a_stale_version_changes_nothing(shift: Shift, decide: Decide) -> None:
    with pytest.raises(StaleError, match="read it again"):
        decide(shift, "ST-0001", "mei", "right", "an old version")

    assert first(shift).item.state == "in_review"


@pytest.mark.parametrize("decide", [review.approve, review.reject])
def test_what_is_not_in_review_cannot_be_decided_again(shift: Shift, decide: Decide) -> None:
    review.reject(shift, "ST-0001", "mei", "no")

    with pytest.raises(ConflictError, match="rejected"):
        decide(shift, "ST-0001", "mei", "right")


def test_the_second_of_two_who_approve_what_they_both_saw_is_refused(shift: Shift) -> None:
    seen = first(shift).version
    review.approve(shift, "ST-0001", "mei", "right", seen)

    with pytest.raises(StaleError):
        review.approve(shift, "ST-0001", "wang", "right", seen)
    assert current_bundle(shift.store, PROJECT, NOW).revision == 1


@pytest.mark.parametrize("reason", ["", "  ", "x" * 2001])
def test_a_decision_needs_a_reason_of_a_decent_length(shift: Shift, reason: str) -> None:
    with pytest.raises(BadInputError, match="reason"):
        review.approve(shift, "ST-0001", "mei", reason)


def test_a_strategy_that_is_not_there_is_named(shift: Shift) -> None:
    with pytest.raises(NotFoundError, match="ST-0099"):
        review.approve(shift, "ST-0099", "mei", "right")


def test_a_rejected_idea_never_comes_back(shift: Shift, store: Store) -> None:
    review.reject(shift, "ST-0001", "mei", "the tool will be mended")

    assert [found.state for found in night(store, [], number=2)][:1] == ["rejected"]
    assert len(filed(store)) == len(night(store, bare_orders(14), number=3))


def test_an_edited_idea_is_not_drafted_again_in_its_old_form(shift: Shift, store: Store) -> None:
    before = len(filed(store))
    rule = first(shift).item.rule
    edited = rule.model_copy(update={"trigger": rule.trigger.model_copy(update={"pattern": "^([0-9]{7})$"})})
    review.edit(shift, "ST-0001", edited, "mei", "bare digits alone")

    found = night(store, [], number=2)

    assert len(found) == before
    assert found[0].rule.trigger.pattern == "^([0-9]{7})$"
    assert found[0].rule.revision == 2
    assert "edited" in found[0].evidence.flags


def test_a_tainted_draft_is_not_approved_in_one_click(shift: Shift) -> None:
    stored = first(shift)
    evidence = stored.item.evidence.model_copy(update={"flags": ("tainted",)})
    changed = stored.item.model_copy(update={"evidence": evidence})
    shift.store.collection(PROJECT, STRATEGIES).put(changed, stored.version)

    with pytest.raises(ConflictError, match="tainted"):
        review.approve(shift, "ST-0001", "mei", "right")
    review.approve(shift, "ST-0001", "mei", "read every row", acknowledge=("tainted",))


def test_a_rule_past_its_date_is_not_approved_and_a_live_one_expires(shift: Shift) -> None:
    later = replace(shift, now=NOW + timedelta(days=80))
    review.approve(shift, "ST-0001", "mei", "right")
    stages.review_live(later)
    assert first(shift).item.state == "expiring"

    over = replace(shift, now=NOW + timedelta(days=120))
    assert current_bundle(shift.store, PROJECT, over.now).rules == ()
    stages.review_live(over)
    stages.publish(over)
    assert first(shift).item.state == "retired"
    newest = shift.store.collection(PROJECT, PUBLICATIONS).get("2")
    assert newest is not None
    assert newest.item.rules == ()


def test_filing_again_changes_nothing_and_counts_the_same(shift: Shift, store: Store) -> None:
    before = filed(store)

    again = stages.file(shift)

    assert filed(store) == before
    assert again.counts["filed"] == len(before)


@pytest.mark.parametrize("state", list(life.NEXT))
def test_only_the_states_that_may_follow_do(shift: Shift, state: str) -> None:
    strategy = first(shift).item.model_copy(update={"state": state})
    for target in life.NEXT:
        if target in life.NEXT[strategy.state]:
            moved = life.moved(strategy, target, NOW, "mei", "so")
            assert moved.history[:-1] == strategy.history
        else:
            with pytest.raises(ConflictError, match=strategy.strategy_id):
                life.moved(strategy, target, NOW, "mei", "so")


def test_a_canary_is_in_the_bundle_with_its_share_and_grows_to_all_runs(shift: Shift) -> None:
    review.approve(shift, "ST-0001", "mei", "one in ten", share=0.1)
    (canary,) = current_bundle(shift.store, PROJECT, NOW).rules
    assert (canary.share, canary.revision) == (0.1, 1)

    review.give_share(shift, "ST-0001", 1.0, "mei", "no alarm")
    (rule,) = current_bundle(shift.store, PROJECT, NOW).rules
    assert (rule.share, rule.revision) == (1.0, 2)
    assert "to 100% of runs" in first(shift).item.history[-1].reason


@pytest.mark.parametrize("share", [0.0, -0.5, 1.5, float("nan")])
def test_a_share_that_is_none_is_refused(shift: Shift, share: float) -> None:
    with pytest.raises(BadInputError, match="share"):
        review.approve(shift, "ST-0001", "mei", "why", share=share)
    assert first(shift).item.state == "in_review"


def test_a_rolled_back_rule_leaves_the_bundle_and_its_idea_is_not_drafted_again(shift: Shift) -> None:
    review.approve(shift, "ST-0001", "mei", "right")
    review.rollback(shift, "ST-0001", "wang", "more runs fail with it")
    assert current_bundle(shift.store, PROJECT, NOW).rules == ()

    known = [strategy.strategy_id for strategy in filed(shift.store)]
    again = night(shift.store, bare_orders(12), number=2)
    rewrites = [found for found in again if found.rule.action.kind == "rewrite"]
    assert [strategy.strategy_id for strategy in rewrites] == known
    assert again[0].state == "rolled_back"


def test_only_a_live_rule_can_be_rolled_back_extended_or_shared(shift: Shift) -> None:
    for decide in (
        lambda: review.rollback(shift, "ST-0001", "mei", "why"),
        lambda: review.extend(shift, "ST-0001", "mei", "why"),
        lambda: review.give_share(shift, "ST-0001", 0.5, "mei", "why"),
    ):
        with pytest.raises(ConflictError, match="in_review"):
            decide()


def test_one_step_extends_an_expiring_rule(shift: Shift) -> None:
    review.approve(shift, "ST-0001", "mei", "right")
    late = replace(shift, now=NOW + timedelta(days=85))
    stages.review_live(late)
    assert first(shift).item.state == "expiring"

    review.extend(late, "ST-0001", "mei", "still needed")
    extended = first(shift).item
    assert (extended.state, extended.rule.mode) == ("active", "active")
    assert extended.rule.valid_until == (late.now + timedelta(days=90)).date()
    stages.review_live(late)
    assert first(shift).item.state == "active"


@pytest.mark.parametrize("days", [-1, 0, 367])
def test_an_extension_ends_on_a_day_that_comes_within_a_year(shift: Shift, days: int) -> None:
    review.approve(shift, "ST-0001", "mei", "right")
    with pytest.raises(BadInputError, match="366 days"):
        review.extend(shift, "ST-0001", "mei", "why", until=(shift.now + timedelta(days=days)).date())


def second_idea(shift: Shift) -> None:
    """Another strategy in review that changes the same calls."""
    known = first(shift).item
    rule = known.rule.model_copy(update={"id": "ST-0099"})
    other = known.model_copy(
        update={"strategy_id": "ST-0099", "draft_key": "other", "rule": rule, "state": "in_review"}
    )
    shift.store.collection(PROJECT, STRATEGIES).put(other, None)


def test_what_supersedes_a_rule_takes_its_place_in_one_revision(shift: Shift) -> None:
    second_idea(shift)
    review.approve(shift, "ST-0001", "mei", "right")
    with pytest.raises(ConflictError, match="make the same of the same calls"):
        review.approve(shift, "ST-0099", "mei", "better")

    review.approve(shift, "ST-0099", "mei", "better", supersedes="ST-0001")
    bundle = current_bundle(shift.store, PROJECT, NOW)
    assert (bundle.revision, [rule.id for rule in bundle.rules]) == (2, ["ST-0099"])
    assert first(shift).item.history[-1].reason == "superseded by ST-0099: better"


def test_a_supersession_that_died_half_way_is_finished_by_asking_again(shift: Shift) -> None:
    second_idea(shift)
    review.approve(shift, "ST-0001", "mei", "right")
    older = first(shift)
    half = life.moved(older.item, "retired", shift.now, "mei", "superseded by ST-0099: better")
    shift.store.collection(PROJECT, STRATEGIES).put(half, older.version)

    review.approve(shift, "ST-0099", "mei", "better", supersedes="ST-0001")
    assert [rule.id for rule in current_bundle(shift.store, PROJECT, NOW).rules] == ["ST-0099"]
