"""What the engine decides."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from client.tests.making import TODAY, a_rule, a_view
from errata_client.decision import Decision
from errata_client.engine import Engine
from errata_client.rule import Rule
from errata_client.view import CallView


def decide(rules: Rule | list[Rule], view: CallView | None = None, **options: Any) -> Decision:
    made = [rules] if isinstance(rules, Rule) else rules
    return Engine(made).decide(view or a_view(), TODAY, **options)


def fired(decision: Decision) -> list[tuple[str, str]]:
    return [(firing.rule_id, firing.mode) for firing in decision.fired]


def rewrite_to(template: str) -> dict[str, str]:
    return {"kind": "rewrite", "field": "args.order_id", "template": template}


def test_without_a_rule_the_call_passes_with_the_very_same_arguments() -> None:
    view = a_view()
    decision = decide([], view)
    assert decision == Decision(arguments=view.arguments)
    assert decision.arguments is view.arguments
    assert decide(a_rule(pattern="^(nothing)$"), view).arguments is view.arguments


def test_a_rewrite_gives_the_changed_arguments_and_leaves_the_view_alone() -> None:
    view = a_view()
    decision = decide(a_rule(), view)
    assert (decision.outcome, decision.arguments) == ("rewrite", {"order_id": "#W2378156"})
    assert view.arguments == {"order_id": "2378156"}
    (firing,) = decision.fired
    assert (firing.before, firing.after) == (view.arguments, decision.arguments)
    assert (firing.rule_id, firing.kind, firing.field, firing.mode) == (
        "ST-0001",
        "rewrite",
        "args.order_id",
        "active",
    )


@pytest.mark.parametrize(
    "changes", [{"step_id": "other"}, {"tool": "other"}, {"phase": "after"}, {"step_id": "Fetch"}]
)
def test_a_rule_applies_only_at_its_exact_step_tool_and_phase(changes: dict[str, Any]) -> None:
    assert decide(a_rule(), a_view(**changes)).outcome == "pass"


@pytest.mark.parametrize(("today", "outcome"), [(date(2026, 12, 31), "rewrite"), (date(2027, 1, 1), "pass")])
def test_a_rule_applies_up_to_its_last_day_and_never_after(today: date, outcome: str) -> None:
    assert Engine([a_rule()]).decide(a_view(), today).outcome == outcome


def test_a_shadow_rule_is_recorded_and_changes_nothing() -> None:
    decision = decide(a_rule(mode="shadow"))
    assert (decision.outcome, decision.arguments) == ("pass", {"order_id": "2378156"})
    assert fired(decision) == [("ST-0001", "shadow")]
    assert decision.fired[0].after == {"order_id": "#W2378156"}


def test_the_backtest_may_ask_shadow_rules_as_if_they_were_live() -> None:
    decision = Engine([a_rule(mode="shadow")], treat_shadow_as_active=True).decide(a_view(), TODAY)
    assert (decision.outcome, fired(decision)) == ("rewrite", [("ST-0001", "active")])


def test_a_withheld_rule_is_recorded_and_changes_nothing() -> None:
    decision = decide([a_rule("ST-1"), a_rule("ST-2", {"kind": "hint", "text": "h"})], withheld={"ST-1"})
    assert decision.outcome == "hint"
    assert fired(decision) == [("ST-1", "shadow"), ("ST-2", "active")]


def test_rules_apply_in_the_order_of_their_ids_whatever_order_they_came_in() -> None:
    rules = [a_rule("ST-2", pattern="^#W(.*)$", action=rewrite_to("B{1}")), a_rule("ST-1")]
    decision = decide(rules)
    assert decision.arguments == {"order_id": "B2378156"}
    assert fired(decision) == [("ST-1", "active"), ("ST-2", "active")]


def test_two_rules_that_undo_each_other_each_fire_once() -> None:
    rules = [
        a_rule("ST-1", pattern="^A$", action=rewrite_to("B")),
        a_rule("ST-2", pattern="^B$", action=rewrite_to("A")),
    ]
    decision = decide(rules, a_view({"order_id": "A"}))
    assert fired(decision) == [("ST-1", "active"), ("ST-2", "active")]
    assert decision.arguments == {"order_id": "A"}


def test_a_later_rule_no_longer_sees_what_a_rewrite_replaced() -> None:
    stop = a_rule("ST-2", pattern=r"^\d", action={"kind": "block", "text": "no"})
    assert decide([a_rule("ST-1"), stop]).outcome == "rewrite"


def test_a_shadow_rewrite_is_not_seen_by_later_rules() -> None:
    stop = a_rule("ST-2", pattern=r"^\d", action={"kind": "block", "text": "no"})
    assert decide([a_rule("ST-1", mode="shadow"), stop]).outcome == "block"


def test_a_stop_wins_over_a_rewrite_and_a_rewrite_over_hints() -> None:
    hint = a_rule("ST-1", {"kind": "hint", "text": "h"})
    stop = a_rule("ST-9", {"kind": "confirm", "text": "sure?"}, pattern=".")
    decision = decide([hint, a_rule("ST-2"), stop])
    assert (decision.outcome, decision.text) == ("confirm", "sure?")
    assert decision.arguments == {"order_id": "#W2378156"}
    assert fired(decision) == [("ST-2", "active"), ("ST-9", "active")]
    decision = decide([hint, a_rule("ST-2")])
    assert (decision.outcome, decision.text) == ("rewrite", "h")


def test_the_first_stop_wins_and_only_it_has_fired() -> None:
    rules = [a_rule(f"ST-{number}", {"kind": "block", "text": str(number)}) for number in (3, 1, 2)]
    decision = decide(rules)
    assert (decision.text, fired(decision)) == ("1", [("ST-1", "active")])


def test_the_texts_of_several_hints_are_joined_and_equal_ones_said_once() -> None:
    rules = [a_rule(f"ST-{at}", {"kind": "hint", "text": text}) for at, text in enumerate(("a", "b", "a"))]
    decision = decide(rules)
    assert (decision.outcome, decision.text, len(decision.fired)) == ("hint", "a\n\nb", 3)


@pytest.mark.parametrize("field", ["user_input", "thought", "raw_output"])
def test_a_trigger_may_look_at_what_was_said_thought_or_written(field: str) -> None:
    rule = a_rule(field=field, pattern="请取消", action={"kind": "hint", "text": "h"})
    assert decide(rule, a_view(**{field: "您好,请取消订单"})).outcome == "hint"
    assert decide(rule).outcome == "pass"


@pytest.mark.parametrize("field", ["observation", "error"])
def test_after_the_call_a_trigger_may_look_at_what_came_back(field: str) -> None:
    rule = a_rule(field=field, pattern="503", action={"kind": "retry", "attempts": 2, "delay_ms": 50})
    decision = decide(rule, a_view(phase="after", **{field: "503 busy"}))
    assert (decision.outcome, decision.attempts, decision.delay_ms) == ("retry", 2, 50)
    assert decide(rule, a_view(**{field: "503 busy"})).outcome == "pass"
    assert decide(rule, a_view(phase="after")).outcome == "pass"


def test_the_first_retry_wins_hints_go_with_it_and_a_replan_beats_both() -> None:
    after = {"field": "error", "pattern": "."}
    retry = a_rule("ST-1", {"kind": "retry", "attempts": 1, "delay_ms": 0}, **after)
    more = a_rule("ST-2", {"kind": "retry", "attempts": 5, "delay_ms": 0}, **after)
    hint = a_rule("ST-3", {"kind": "hint", "text": "h"}, **after)
    replan = a_rule("ST-4", {"kind": "replan", "text": "r"}, **after)
    view = a_view(phase="after", error="boom")
    decision = decide([retry, more, hint], view)
    assert (decision.outcome, decision.attempts, decision.text) == ("retry", 1, "h")
    assert fired(decision) == [("ST-1", "active"), ("ST-3", "active")]
    decision = decide([retry, hint, replan], view)
    assert (decision.outcome, decision.attempts, decision.text) == ("replan", 0, "r")


@pytest.mark.parametrize(
    ("pattern", "value", "matches"),
    [
        ("^120$", 120, True),
        ("^true$", True, True),
        ("^null$", None, True),
        (r'^\["a","b"\]$', ["a", "b"], True),
        (r'"x":1', {"x": 1}, True),
        ("^a", "b", False),
    ],
)
def test_an_argument_is_matched_as_a_string_or_as_compact_json(
    pattern: str, value: Any, matches: bool
) -> None:
    rule = a_rule(pattern=pattern, action={"kind": "hint", "text": "h"})
    assert (decide(rule, a_view({"order_id": value})).outcome == "hint") is matches


def test_a_trigger_may_point_below_an_argument_and_an_absent_one_never_matches() -> None:
    rule = a_rule(field="args.items/0/id", pattern=".*", action={"kind": "hint", "text": "h"})
    assert decide(rule, a_view({"items": [{"id": ""}]})).outcome == "hint"
    assert decide(rule, a_view({"items": []})).outcome == "pass"
    assert decide(a_rule(pattern=".*", action={"kind": "hint", "text": "h"}), a_view({})).outcome == "pass"


def test_text_that_is_not_unicode_neither_matches_wrongly_nor_fails() -> None:
    assert decide(a_rule(), a_view({"order_id": "\ud800"})).outcome == "pass"
    hint = a_rule(pattern="^a.b$", action={"kind": "hint", "text": "h"})
    assert decide(hint, a_view({"order_id": "a\ud800b"})).outcome == "hint"
    assert (
        decide(a_rule(pattern="(.*)", action=rewrite_to("{1}x")), a_view({"order_id": "\ud800"})).outcome
        == "rewrite"
    )


@pytest.mark.parametrize(
    "rule",
    [
        *(
            a_rule(conditions=[condition])
            for condition in (
                {"kind": "unseen", "field": "args.order_id"},
                {"kind": "not_called", "tool": "x"},
                {"kind": "called", "tool": "x"},
                {"kind": "repeated", "times": 1},
                {"kind": "last_error", "pattern": ""},
                {"kind": "fact", "tool": "x", "path": "/y", "pattern": "", "negate": True},
            )
        ),
        a_rule(action={"kind": "require_call", "tool": "x", "text": "t"}),
        a_rule(
            action={
                "kind": "derive",
                "field": "args.order_id",
                "source": "last_error",
                "pattern": "",
                "template": "x",
            }
        ),
    ],
)
def test_without_a_run_context_a_rule_that_needs_one_never_fires_and_is_counted(rule: Rule) -> None:
    engine = Engine([rule])
    assert engine.decide(a_view(has_context=False), TODAY).fired == ()
    assert engine.unanswerable == 1


def test_ten_thousand_rules_of_one_scope_are_told_apart() -> None:
    rules = [a_rule(f"ST-{n:05d}", pattern=rf"^#?W?({n:05d}\d\d)$") for n in range(10_000)]
    decision = decide(rules, a_view({"order_id": "0123456"}))
    assert fired(decision) == [("ST-01234", "active")]
    assert decision.arguments == {"order_id": "#W0123456"}


SUM = {
    "kind": "derive",
    "field": "args.payments/-/amount",
    "source": "error",
    "pattern": r"total is (\d+), paid (\d+)",
    "template": "{1} - {2} + {value}",
    "arithmetic": True,
}


def test_a_call_is_made_again_with_what_its_own_error_tells() -> None:
    engine = Engine([a_rule(action=SUM, field="error", pattern="total is")])
    view = a_view(
        {"payments": [{"amount": 100}, {"amount": 50}]}, phase="after", error="total is 190, paid 150"
    )

    decision = engine.decide(view, TODAY)

    assert (decision.outcome, decision.attempts, decision.delay_ms) == ("retry", 1, 0)
    assert decision.arguments == {"payments": [{"amount": 100}, {"amount": 90}]}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"payments": [{"amount": 100}]}, "no numbers here"),
        ({"payments": []}, "total is 190, paid 150"),
        ({"payments": [{"amount": "all"}]}, "total is 190, paid 150"),
        ({}, "total is 190, paid 150"),
    ],
)
def test_where_there_is_nothing_to_compute_the_error_stands(arguments: dict[str, Any], error: str) -> None:
    engine = Engine([a_rule(action=SUM, field="error", pattern=".")])
    assert engine.decide(a_view(arguments, phase="after", error=error), TODAY).outcome == "pass"


@pytest.mark.parametrize(
    "change", [{"field": "args.order_id"}, {"action": {**SUM, "source": "last_error"}, "field": "error"}]
)
def test_a_derivation_from_the_calls_own_error_follows_that_error_alone(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"error|follow"):
        a_rule(**{"action": SUM, **change})
