"""When each kind of condition holds."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from client.tests.making import TODAY, a_rule, a_view
from errata_client.conditions import CONDITIONS
from errata_client.engine import Engine
from errata_client.rule import Condition
from errata_client.view import Fact, PriorCall

WORKED = PriorCall(tool="find_user", ok=True)
FAILED = PriorCall(tool="find_user", ok=False, error="503 busy")
OTHER = PriorCall(tool="think", ok=True)


def holds(condition: dict[str, Any], arguments: dict[str, Any] | None = None, **view: Any) -> bool:
    rule = a_rule(action={"kind": "hint", "text": "h"}, field="thought", pattern=".*", conditions=[condition])
    return Engine([rule]).decide(a_view(arguments, **view), TODAY).outcome == "hint"


def test_every_kind_of_condition_of_a_rule_is_implemented() -> None:
    schema = TypeAdapter(Condition).json_schema()
    assert set(schema["discriminator"]["mapping"]) == set(CONDITIONS)


@pytest.mark.parametrize(
    ("provenance", "expected"),
    [("nowhere", True), ("prompt", True), ("pending", False), ("tool", False), ("person", False)],
)
def test_a_value_is_unseen_in_prompt_text_and_nowhere(provenance: str, expected: bool) -> None:
    condition = {"kind": "unseen", "field": "args.order_id"}
    assert holds(condition, provenance={"/order_id": provenance, "/x": "person"}) is expected


def test_a_list_is_unseen_if_one_of_its_values_is_and_an_absent_value_never() -> None:
    condition = {"kind": "unseen", "field": "args.items"}
    assert holds(condition, {"items": ["a", "b"]}, provenance={"/items/0": "tool", "/items/1": "nowhere"})
    assert not holds(condition, {"items": ["a"]}, provenance={"/items/0": "tool", "/items_x": "nowhere"})
    assert not holds(condition, {})


def test_a_value_that_an_earlier_rule_made_is_not_unseen() -> None:
    stop = a_rule(
        "ST-2",
        {"kind": "block", "text": "b"},
        pattern=".",
        conditions=[{"kind": "unseen", "field": "args.order_id"}],
    )
    view = a_view(provenance={"/order_id": "nowhere"})
    assert Engine([stop]).decide(view, TODAY).outcome == "block"
    assert Engine([a_rule("ST-1"), stop]).decide(view, TODAY).outcome == "rewrite"


@pytest.mark.parametrize(
    ("calls", "called"),
    [((), False), ((FAILED,), False), ((WORKED,), True), ((WORKED, FAILED), True), ((OTHER,), False)],
)
def test_a_tool_was_called_once_it_succeeded(calls: tuple[PriorCall, ...], called: bool) -> None:
    assert holds({"kind": "called", "tool": "find_user"}, calls_before=calls) is called
    assert holds({"kind": "not_called", "tool": "find_user"}, calls_before=calls) is not called


@pytest.mark.parametrize(("repeats", "expected"), [(0, False), (1, False), (2, True), (9, True)])
def test_a_call_is_repeated_from_the_given_time_on(repeats: int, expected: bool) -> None:
    assert holds({"kind": "repeated", "times": 2}, repeats=repeats) is expected


def test_a_call_that_an_earlier_rule_changed_is_no_longer_the_same() -> None:
    stop = a_rule(
        "ST-2", {"kind": "block", "text": "b"}, pattern=".", conditions=[{"kind": "repeated", "times": 1}]
    )
    assert Engine([a_rule("ST-1"), stop]).decide(a_view(repeats=3), TODAY).outcome == "rewrite"


@pytest.mark.parametrize(
    ("calls", "expected"),
    [((), False), ((FAILED,), True), ((FAILED, OTHER), False), ((OTHER, FAILED), True), ((WORKED,), False)],
)
def test_only_the_latest_earlier_call_is_the_last_error(calls: tuple[PriorCall, ...], expected: bool) -> None:
    assert holds({"kind": "last_error", "pattern": "^503"}, calls_before=calls) is expected
    assert not holds({"kind": "last_error", "pattern": "404"}, calls_before=calls)


@pytest.mark.parametrize(
    ("pattern", "negate", "value", "expected"),
    [
        ("^delivered$", False, "delivered", True),
        ("^delivered$", True, "delivered", False),
        ("^delivered$", True, "pending", True),
        ("^3$", False, 3, True),
        ("^true$", False, True, True),
        ("^null$", False, None, True),
    ],
)
def test_a_fact_matches_or_does_not(pattern: str, negate: bool, value: Any, expected: bool) -> None:
    facts = (Fact(tool="get_order", path="/status", value=value, about="W1"),)
    condition = {"kind": "fact", "tool": "get_order", "path": "/status", "pattern": pattern, "negate": negate}
    assert holds(condition, facts=facts) is expected


@pytest.mark.parametrize("changes", [{"tool": "other"}, {"path": "/other"}])
@pytest.mark.parametrize("negate", [True, False])
def test_a_fact_that_is_not_known_never_holds(changes: dict[str, str], negate: bool) -> None:
    facts = (Fact(tool="get_order", path="/status", value="x", about="W1"),)
    condition = {
        "kind": "fact",
        "tool": "get_order",
        "path": "/status",
        "pattern": "",
        "negate": negate,
    } | changes
    assert not holds(condition, facts=facts)


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (1, 1.0, True),
        (True, 1, False),
        ("a", "a", True),
        ("1", 1, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ([1, 2], [2, 1], False),
        (None, None, True),
    ],
)
def test_two_arguments_are_equal_or_different_in_value(left: Any, right: Any, equal: bool) -> None:
    for relation, expected in (("equal", equal), ("different", not equal)):
        condition = {"kind": "arguments", "left": "args.a", "relation": relation, "right": "args.b"}
        assert holds(condition, {"a": left, "b": right}) is expected


@pytest.mark.parametrize(
    ("left", "right", "same"), [([1], [2], True), ([1], [], False), ("ab", "cd", True), ({}, {"a": 1}, False)]
)
def test_two_arguments_have_the_same_length_or_not(left: Any, right: Any, same: bool) -> None:
    for relation, expected in (("same_length", same), ("different_length", not same)):
        condition = {"kind": "arguments", "left": "args.a", "relation": relation, "right": "args.b"}
        assert holds(condition, {"a": left, "b": right}) is expected


@pytest.mark.parametrize("relation", ["equal", "different", "same_length", "different_length"])
def test_an_absent_argument_stands_in_no_relation(relation: str) -> None:
    condition = {"kind": "arguments", "left": "args.a", "relation": relation, "right": "args.b"}
    assert not holds(condition, {"a": [1]})
    assert not holds(condition, {"b": [1]})


@pytest.mark.parametrize(("left", "right"), [(1, 2), ([1], "a"), (None, []), ([1], {"a": 1})])
@pytest.mark.parametrize("relation", ["same_length", "different_length"])
def test_what_has_no_length_to_compare_stands_in_no_relation_of_length(
    left: Any, right: Any, relation: str
) -> None:
    condition = {"kind": "arguments", "left": "args.a", "relation": relation, "right": "args.b"}
    assert not holds(condition, {"a": left, "b": right})


def test_conditions_about_arguments_need_no_run_context() -> None:
    condition = {"kind": "arguments", "left": "args.a", "relation": "equal", "right": "args.b"}
    assert holds(condition, {"a": 1, "b": 1}, has_context=False)


def test_every_condition_must_hold() -> None:
    conditions = [{"kind": "called", "tool": "find_user"}, {"kind": "repeated", "times": 1}]
    engine = Engine([a_rule(conditions=conditions)])
    assert engine.decide(a_view(calls_before=(WORKED,), repeats=1), TODAY).outcome == "rewrite"
    assert engine.decide(a_view(calls_before=(WORKED,)), TODAY).outcome == "pass"
    assert engine.decide(a_view(repeats=1), TODAY).outcome == "pass"


@pytest.mark.parametrize(
    ("error", "expected"), [("Error: not found", True), ("Error: 503", False), (None, False)]
)
def test_a_repeated_call_may_have_to_have_failed_in_a_certain_way(error: str | None, expected: bool) -> None:
    condition = {"kind": "repeated", "times": 1, "error": "not found"}
    assert holds(condition, repeats=1, repeated_error=error) is expected
    unless = {"kind": "repeated", "times": 1, "error": ".", "unless": "503"}
    assert holds(unless, repeats=1, repeated_error=error) is expected


PENDING = Fact(tool="get_order", path="/status", value="pending", about="#W1")
RETURNED = Fact(tool="return_order", path="/status", value="returned", about="#W1")
CARD = Fact(tool="get_card", path="/status", value="blocked", about="card_4421")


def test_without_a_tool_the_latest_result_of_any_tool_tells() -> None:
    condition = {"kind": "fact", "path": "/status", "pattern": "^pending$"}
    assert holds(condition, facts=(PENDING,))
    assert not holds(condition, facts=(RETURNED, PENDING))


def test_a_fact_about_another_argument_is_none_about_this_one() -> None:
    condition = {"kind": "fact", "path": "/status", "pattern": "^blocked$", "about": "args.card"}
    arguments = {"order_id": "#W1", "card": "card_4421"}
    assert holds(condition, arguments, facts=(PENDING, CARD))
    assert not holds({**condition, "about": "args.order_id"}, arguments, facts=(PENDING, CARD))
    assert not holds({**condition, "about": "args.absent"}, arguments, facts=(PENDING, CARD))


def test_of_several_ids_in_a_path_one_is_enough() -> None:
    facts = tuple(
        Fact(tool="get_product", path="/variants/{id}/available", value=value, about=about)
        for about, value in (("11112222", True), ("33334444", False))
    )
    condition = {"kind": "fact", "path": "/variants/{id}/available", "pattern": "^false$"}
    assert holds(condition, facts=facts)
    assert not holds(condition, facts=facts[:1])


@pytest.mark.parametrize(
    ("arguments", "negate", "expected"),
    [
        ({"paid": [{"by": "cash"}, {"by": "card_1"}]}, False, True),
        ({"paid": [{"by": "card_1"}, {"by": "cash"}]}, False, False),
        ({"paid": [{"by": "card_1"}, {"by": "cash"}]}, True, True),
        ({"paid": []}, True, False),
        ({}, True, False),
    ],
)
def test_an_argument_may_be_the_last_item_of_a_list(
    arguments: dict[str, Any], negate: bool, expected: bool
) -> None:
    condition = {"kind": "argument", "field": "args.paid/-/by", "pattern": "^card_", "negate": negate}
    assert holds(condition, arguments) is expected
    assert holds(condition, arguments, has_context=False) is expected


@pytest.mark.parametrize(
    ("heard", "negate", "expected"),
    [
        ("Yes, do it", False, True),
        ("Yes, do it", True, False),
        ("not yet", False, False),
        ("not yet", True, True),
        ("", False, False),
        ("", True, False),
    ],
)
def test_what_a_person_said_last_is_matched_and_silence_never(
    heard: str, negate: bool, expected: bool
) -> None:
    condition = {"kind": "said", "pattern": r"(?i)\byes\b", "negate": negate}
    assert holds(condition, user_input=heard) is expected


def test_what_a_person_said_is_unknown_without_a_run_context() -> None:
    assert not holds({"kind": "said", "pattern": "yes"}, user_input="yes", has_context=False)


@pytest.mark.parametrize(("stops", "expected"), [(0, True), (1, False)])
def test_what_is_said_once_is_said_before_the_first_stop(stops: int, expected: bool) -> None:
    assert holds({"kind": "unstopped"}, stops=stops) is expected
