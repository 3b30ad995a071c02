"""Rules that get in each other's way are found before approval, also where no recorded call shows it."""

from __future__ import annotations

from typing import Any

import pytest

from client.tests.making import a_rule, a_view
from errata_client.rule import Rule
from knowledge.errors import ConflictError
from knowledge.kinds import STRATEGIES
from knowledge.store import Store
from strategies import review
from strategies.conflicts import Conflict, Placed, conflicts
from strategies.neighbours import conflicts_of
from tests.strategies.shop import PROJECT, bare_orders, fine_orders, night, shift_of

BLOCK = {"kind": "block", "text": "Ask for it."}
HINT = {"kind": "hint", "text": "Order ids begin with #W."}


def between(one: Rule, other: Rule) -> list[Conflict]:
    found = conflicts(Placed(one), [Placed(other)])
    assert {item.kind for item in conflicts(Placed(other), [Placed(one)])} == {item.kind for item in found}
    return found


def kinds(one: Rule, other: Rule) -> set[str]:
    return {item.kind for item in between(one, other)}


def writes(rule_id: str, pattern: str, template: str, field: str = "args.order_id", **changes: Any) -> Rule:
    action = {"kind": "rewrite", "field": field, "template": template}
    return a_rule(rule_id, action, pattern=pattern, field=field, **changes)


def stops(rule_id: str, pattern: str, **changes: Any) -> Rule:
    return a_rule(rule_id, changes.pop("action", BLOCK), pattern=pattern, **changes)


def test_two_rewrites_of_overlapping_patterns_conflict_with_a_call_that_shows_it() -> None:
    (found,) = between(writes("ST-0001", r"^W(\d{3,})$", "#{1}"), writes("ST-0002", r"^(\w{4})$", "#W{1}"))

    assert (found.kind, found.grade, found.recorded) == ("both_change", "refused", False)
    assert found.call == {"order_id": "W000"}
    assert "ST-0001 and ST-0002 both change the same calls" in found.words


def test_patterns_that_share_no_text_do_not_conflict() -> None:
    assert not between(writes("ST-0001", r"^(\d{7})$", "#W{1}"), writes("ST-0002", r"^(\d{8})$", "#V{1}"))


def test_rules_of_different_scopes_or_phases_never_meet() -> None:
    other_tool = writes("ST-0002", "^(.*)$", "x{1}", scope={"step_id": "fetch", "tool": "get_user"})
    retried = a_rule("ST-0003", {"kind": "retry", "attempts": 1, "delay_ms": 0}, field="error", pattern="503")
    assert not between(writes("ST-0001", "^(.*)$", "y{1}"), other_tool)
    assert not between(writes("ST-0001", "^(.*)$", "y{1}"), retried)


def test_a_stop_that_shadows_a_rewrite_is_refused_whichever_comes_first() -> None:
    for stop, mend in (("ST-0001", "ST-0002"), ("ST-0002", "ST-0001")):
        found = between(stops(stop, "^[0-9]"), writes(mend, r"^(\d{7})$", "#W0{1}0"))
        assert found[0].grade == "refused" or stop == "ST-0002"
    assert kinds(stops("ST-0001", "^[0-9]"), writes("ST-0002", r"^(\d{7})$", "#W{1}")) == {"shadows"}


def test_what_is_mended_first_is_told() -> None:
    (found,) = between(writes("ST-0001", r"^(\d{7})$", "#W{1}"), stops("ST-0002", "^[0-9]"))
    assert (found.kind, found.grade) == ("mended_first", "note")


@pytest.mark.parametrize(
    ("pattern", "template", "other"),
    [
        (r"^(\d{7})$", "#W{1}", "^#W"),
        (r"^(\d{7})$", "#W{1}", "^#W0+$"),
        (r"^(?:order )?(\d+)$", "{1}", "^42$"),
        (r"^订单(\d+)$", "{1}号", "号$"),
        (r"^(\w+)-(\d+)$", "{2}{1}", "^[0-9]+[a-z]+$"),
    ],
)
def test_a_rewrite_whose_output_makes_another_fire_is_refused(
    pattern: str, template: str, other: str
) -> None:
    for second in (stops("ST-0002", other), writes("ST-0002", other, "z")):
        found = between(writes("ST-0001", pattern, template), second)
        assert found[0].grade == "refused"
        assert "chains" in {item.kind for item in found} or found[0].kind in {"both_change", "shadows"}


def test_order_by_id_decides_what_can_chain() -> None:
    reads_first = writes("ST-0001", "^#W(.*)$", "{1}")
    writes_later = writes("ST-0002", r"^(\d{7})$", "#W{1}")
    assert kinds(reads_first, writes_later) == {"chains"}  # what ST-0001 writes, ST-0002 takes
    assert not between(writes("ST-0001", "^#W(.*)$", "z{1}"), writes_later)


@pytest.mark.parametrize(
    "action",
    [
        {"kind": "drop", "field": "args.order_id"},
        {"kind": "rename", "field": "args.order_id", "to": "args.id"},
        {"kind": "set", "field": "args.order_id", "value": "fixed"},
    ],
)
def test_taking_away_what_another_looks_at_is_found(action: dict[str, Any]) -> None:
    hinting = a_rule("ST-0002", HINT, pattern=r"^\d{7}$")
    (found,) = between(a_rule("ST-0001", action, pattern=""), hinting)
    assert (found.kind, found.grade) == ("hides", "acknowledge")

    changing = writes("ST-0002", r"^(\d{7})$", "#W{1}")
    assert kinds(a_rule("ST-0001", action, pattern=""), changing) & {"both_change", "hides"}


def test_a_derived_argument_that_another_looks_at_is_found() -> None:
    derive = {
        "kind": "derive",
        "field": "args.order_id",
        "source": "last_error",
        "pattern": r"did you mean (\w+)",
        "template": "{1}",
    }
    hinting = a_rule("ST-0002", HINT, pattern=r"^\d{7}$")
    assert kinds(a_rule("ST-0001", derive, pattern=r"^\d"), hinting) == {"hides"}


def test_a_renamed_argument_is_handed_on() -> None:
    rename = {"kind": "rename", "field": "args.orderId", "to": "args.order_id"}
    (found,) = between(
        a_rule("ST-0001", rename, field="args.orderId", pattern=""), writes("ST-0002", r"^(\w)", "#{1}")
    )
    assert (found.kind, found.grade) == ("hands_over", "acknowledge")


def test_two_that_speak_or_stop_are_told_and_stand_in_nobodys_way() -> None:
    assert kinds(a_rule("ST-0001", HINT), a_rule("ST-0002", HINT | {"text": "Say please."})) == {"both_speak"}
    assert {item.grade for item in between(stops("ST-0001", "^a"), stops("ST-0002", "b$"))} == {"note"}


CONDITIONS: list[list[dict[str, Any]]] = [
    [{"kind": "unseen", "field": "args.order_id"}],
    [{"kind": "called", "tool": "find_user"}, {"kind": "not_called", "tool": "pay"}],
    [{"kind": "repeated", "times": 2, "error": "not found"}],
    [{"kind": "last_error", "pattern": r"code \d+"}],
    [{"kind": "fact", "tool": "get", "path": "/status", "pattern": "^delivered$", "negate": True}],
    [{"kind": "fact", "path": "/status", "pattern": "^pending", "about": "args.order_id"}],
    [{"kind": "argument", "field": "args.cabin", "pattern": "^(economy|first)$"}],
    [{"kind": "absent", "field": "args.currency"}],
    [{"kind": "unstopped"}],
    [{"kind": "said", "pattern": "(?i)^yes", "negate": True}],
    [{"kind": "arguments", "left": "args.a", "relation": "different_length", "right": "args.b"}],
]


@pytest.mark.parametrize("conditions", CONDITIONS, ids=lambda found: found[0]["kind"])
def test_conditions_are_met_in_calls_that_are_made_up(conditions: list[dict[str, Any]]) -> None:
    mending = writes("ST-0002", r"^(\d{7})$", "#W{1}")
    stopping = stops("ST-0001", "", conditions=conditions)
    assert "shadows" in kinds(stopping, mending)


def test_a_recorded_call_is_shown_rather_than_one_that_was_made_up() -> None:
    seen = a_view({"order_id": "W2378156", "note": "express"})
    one, other = writes("ST-0001", "^W", "#"), writes("ST-0002", r"^(\w+)$", "#{1}")
    (found,) = conflicts(Placed(one, (seen,)), [Placed(other)])
    assert found.recorded
    assert found.call == seen.arguments


def test_an_approval_is_refused_or_asks_for_the_harmless_by_name(store: Store) -> None:
    shift = shift_of(store)
    night(store, [*fine_orders(), *bare_orders(12)])
    review.approve(shift, "ST-0001", "mei", "right")
    collection = store.collection(PROJECT, STRATEGIES)
    live = collection.get("ST-0001")
    assert live is not None
    stop = live.item.rule.model_copy(update={"id": "ST-0098", "action": a_rule(action=BLOCK).action})
    hinting = {"id": "ST-0098", "action": a_rule(action=HINT).action}
    bare = stop.model_copy(update=hinting | {"trigger": stop.trigger.model_copy(update={"pattern": r"^\d"})})
    any_id = stop.model_copy(
        update={"id": "ST-0099", "trigger": stop.trigger.model_copy(update={"pattern": "W"})}
    )
    for rule in (bare, any_id):
        waiting = {"strategy_id": rule.id, "draft_key": rule.id, "rule": rule, "state": "in_review"}
        collection.put(live.item.model_copy(update=waiting), None)

    with pytest.raises(ConflictError, match=r"makes ST-0099 fire.*such as"):
        review.approve(shift, "ST-0099", "mei", "why not", acknowledge=("chains:ST-0001",))
    with pytest.raises(ConflictError, match="acknowledge hides:ST-0001"):
        review.approve(shift, "ST-0098", "mei", "why not")
    stored = collection.get("ST-0098")
    assert stored is not None
    (found,) = conflicts_of(shift, stored.item)
    assert (found.grade, found.recorded) == ("acknowledge", True)
    review.approve(shift, "ST-0098", "mei", "mended ones may pass", acknowledge=("hides:ST-0001",))
