"""What each kind of action does, and when it cannot be done and so does not fire."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from client.tests.making import TODAY, a_rule, a_view
from errata_client.actions import ACTIONS
from errata_client.actions.extracting import extracted
from errata_client.actions.writing import looks_like_sql
from errata_client.engine import Engine
from errata_client.rule import Action
from errata_client.view import PriorCall

NOTHING = "it does not fire"


def done(
    action: dict[str, Any],
    arguments: dict[str, Any],
    *,
    field: str = "thought",
    pattern: str = ".*",
    **view: Any,
) -> Any:
    """The arguments after a rule with `action` fired, or NOTHING."""
    rule = a_rule(action=action, field=field, pattern=pattern)
    decision = Engine([rule]).decide(a_view(arguments, **view), TODAY)
    if not decision.fired:
        assert decision.outcome == "pass"
        assert decision.arguments == arguments
        return NOTHING
    return decision.arguments


def rewritten(value: Any, pattern: str, template: str) -> Any:
    """The value after it was rewritten, or NOTHING."""
    action = {"kind": "rewrite", "field": "args.x", "template": template}
    result = done(action, {"x": value}, field="args.x", pattern=pattern)
    return result if result == NOTHING else result["x"]


def test_every_kind_of_action_of_a_rule_is_implemented() -> None:
    schema = TypeAdapter(Action).json_schema()
    assert set(schema["discriminator"]["mapping"]) == set(ACTIONS)


@pytest.mark.parametrize(
    ("value", "pattern", "template", "expected"),
    [
        ("ab-12", r"([a-z]+)-(\d+)", "{2}{1}", "12ab"),
        ("say x", "x", "[{0}]", "[x]"),
        ("x", "x", "{{{0}}}", "{x}"),
        ("北京市", "^(.*)市$", "{1}", "北京"),
        ("é1", r"(\d)", "{1}", "1"),
        (120, r"^(\d)(\d+)$", "{2}", 20),
        (120, r"^(\d+)$", "{1}.5", 120.5),
        (120, r"^(\d+)$", "{1} USD", "120 USD"),
        (120, r"^1", "007", "007"),
        (1.5, r"^(\d)", "{1}", 1),
        ("120", r"^(\d)(\d+)$", "{2}", "20"),
        (True, "true", "yes", "yes"),
        ("same", "^(.*)$", "{1}", NOTHING),
        (120, "^(.*)$", "{1}", NOTHING),
        (120.0, "^120", "120", NOTHING),
        ("a", "(a)|(b)", "{2}", NOTHING),
    ],
)
def test_a_rewrite_fills_the_template_with_the_captures(
    value: Any, pattern: str, template: str, expected: Any
) -> None:
    result = rewritten(value, pattern, template)
    assert (type(result), result) == (type(expected), expected)


def test_a_rewrite_may_add_an_argument_from_what_a_person_said_but_not_below_nothing() -> None:
    action = {"kind": "rewrite", "field": "args.user_id", "template": "{1}"}
    said = {"field": "user_input", "pattern": r"my id is (\w+)", "user_input": "my id is mia_1"}
    assert done(action, {}, **said) == {"user_id": "mia_1"}
    assert done(action | {"field": "args.a/b"}, {}, **said) == NOTHING
    assert done(action | {"field": "args.a/0"}, {"a": ["x"]}, **said) == {"a": ["mia_1"]}


@pytest.mark.parametrize("name", ["sql", "SQL_query", "raw_sql"])
def test_a_capture_never_lands_in_an_argument_that_is_named_sql(name: str) -> None:
    action = {"kind": "rewrite", "field": f"args.{name}", "template": "x{1}"}
    assert done(action, {name: "a b"}, field=f"args.{name}", pattern="(b)") == NOTHING
    assert done(action | {"template": "constant"}, {name: "a b"}, field=f"args.{name}", pattern="(b)") == {
        name: "constant"
    }


@pytest.mark.parametrize(
    "value",
    [
        "SELECT * FROM users WHERE id = 7",
        "select\n1",
        "Insert/**/into t values (7)",
        "update t set a = 7",
        "delete from t where id=7",
        "7; DROP TABLE users",
        "7 UNION ALL SELECT password",
        "alter table t add c7 int",
        "create  view v7",
        "TRUNCATE TABLE t7",
        "merge into t using 7",
        "grant all on t to u7",
        "x' OR '7'='7",
        "7; -- x",
    ],
)
def test_a_capture_never_lands_in_what_reads_like_sql(value: str) -> None:
    assert looks_like_sql(value)
    assert rewritten(value, r"(\d)", "{1}") == NOTHING
    action = {"kind": "rewrite", "field": "args.x", "template": "{0}"}
    assert done(action, {"x": "plain"}, field="user_input", pattern="(?s).+", user_input=value) == NOTHING


@pytest.mark.parametrize(
    "value", ["a fresh update", "please select one", "drop me a note", "the union of 7", "O'Neill", "7"]
)
def test_everyday_words_are_no_sql(value: str) -> None:
    assert not looks_like_sql(value)


def test_set_puts_a_constant_of_any_type_where_its_parent_is() -> None:
    action = {"kind": "set", "field": "args.x", "value": {"a": [1, None]}}
    assert done(action, {"x": 1, "y": 2}) == {"x": {"a": [1, None]}, "y": 2}
    assert done(action, {}) == {"x": {"a": [1, None]}}
    assert done(action, {"x": {"a": [1, None]}}) == NOTHING
    assert done({"kind": "set", "field": "args.x", "value": None}, {"x": 1}) == {"x": None}
    assert done({"kind": "set", "field": "args.x/y/z", "value": 1}, {"x": {}}) == NOTHING
    assert done({"kind": "set", "field": "args.x", "value": True}, {"x": 1}) == {"x": True}


@pytest.mark.parametrize(
    ("cast", "value", "expected"),
    [
        ("string", 120, "120"),
        ("string", True, "true"),
        ("string", [1], "[1]"),
        ("string", "a", NOTHING),
        ("string", None, NOTHING),
        ("integer", "12", 12),
        ("integer", " 12 ", 12),
        ("integer", "-3", -3),
        ("integer", "12.0", 12),
        ("integer", 12.0, 12),
        ("integer", 12.5, NOTHING),
        ("integer", "12a", NOTHING),
        ("integer", "012", NOTHING),
        ("integer", "1e3", NOTHING),
        ("integer", True, NOTHING),
        ("integer", 12, NOTHING),
        ("number", "12.5", 12.5),
        ("number", "12", 12),
        ("number", "nan", NOTHING),
        ("number", "9" * 400, NOTHING),
        ("boolean", "True", True),
        ("boolean", "false", False),
        ("boolean", "yes", NOTHING),
        ("boolean", 1, NOTHING),
        ("array", "a", ["a"]),
        ("array", '["a"]', ["a"]),
        ("array", 5, [5]),
        ("array", {"a": 1}, [{"a": 1}]),
        ("array", ["a"], NOTHING),
        ("array", None, NOTHING),
        ("object", '{"a":1}', {"a": 1}),
        ("object", "[1]", NOTHING),
        ("object", '{"a":', NOTHING),
    ],
)
def test_a_cast_is_done_only_where_nothing_is_lost_or_guessed(cast: str, value: Any, expected: Any) -> None:
    result = done({"kind": "set", "field": "args.x", "cast": cast}, {"x": value})
    result = result if result == NOTHING else result["x"]
    assert (type(result), result) == (type(expected), expected)


def test_a_cast_of_what_is_not_there_does_not_fire() -> None:
    assert done({"kind": "set", "field": "args.x", "cast": "string"}, {"y": 1}) == NOTHING


def test_a_rename_moves_a_value_unless_the_place_is_taken_or_nothing_is_there() -> None:
    action = {"kind": "rename", "field": "args.orderid", "to": "args.order_id"}
    assert done(action, {"orderid": None, "x": 1}) == {"order_id": None, "x": 1}
    assert done(action, {"orderid": 1, "order_id": None}) == NOTHING
    assert done(action, {}) == NOTHING
    nested = {"kind": "rename", "field": "args.a", "to": "args.b/c"}
    assert done(nested, {"a": 1, "b": {}}) == {"b": {"c": 1}}
    assert done(nested, {"a": 1}) == NOTHING


def test_a_drop_leaves_the_argument_out() -> None:
    assert done({"kind": "drop", "field": "args.a/0"}, {"a": [1, 2]}) == {"a": [2]}
    assert done({"kind": "drop", "field": "args.a"}, {}) == NOTHING


def derived(
    template: str, error: str, *, value: Any = 5, pattern: str = r"([\d.,$]+) .*?([\d.]+)", **more: Any
) -> Any:
    """The argument after it was derived from an error, or NOTHING."""
    action = {
        "kind": "derive",
        "field": "args.x",
        "source": "last_error",
        "pattern": pattern,
        "template": template,
        **more,
    }
    calls = (PriorCall(tool="pay", ok=False, error=error), PriorCall(tool="think", ok=True))
    result = done(action, {"x": value}, calls_before=calls)
    return result if result == NOTHING else result["x"]


@pytest.mark.parametrize(
    ("template", "error", "expected"),
    [
        ("{1} - {2}", "paid 250 of 100.5", 149.5),
        ("{1} + {2}", "paid 0.1 of 0.2", 0.3),
        ("({1} + 2) * -{2}", "paid 1 of 3", -9),
        ("{1} / {2}", "paid $1,000.00 of 4", 250),
        ("{1} - {2} - 1", "paid 10 of 3", 6),
        ("{1} / {2}", "paid 10 of 0", NOTHING),
        ("{1} * 1", "paid ,, of 4", NOTHING),
        ("{1} * {2}", "no amounts", NOTHING),
        ("{1} - {2}", "paid 10 of 5", NOTHING),
    ],
)
def test_an_amount_is_derived_from_the_last_error_by_checked_arithmetic(
    template: str, error: str, expected: Any
) -> None:
    result = derived(template, error, arithmetic=True)
    assert (type(result), result) == (type(expected), expected)


@pytest.mark.parametrize(
    "template", ["{1} ** 2", "{1} +", "(", "import os", "{1} {2}", "", "(" * 40 + "1" + ")" * 40, "1" * 600]
)
def test_what_is_no_arithmetic_is_refused_when_the_rule_is_made(template: str) -> None:
    with pytest.raises(ValueError, match=r"formula|at least 1 character"):
        derived(template, "paid 1 of 2", arithmetic=True)


def test_text_is_derived_with_the_type_that_stood_there() -> None:
    assert derived("{2}", "paid 250 of 100", value=1) == 100
    assert derived("{2}", "paid 250 of 100", value="1") == "100"
    assert derived("SELECT {2} FROM t", "paid 250 of 100", value="1") == "SELECT 100 FROM t"
    assert derived("SELECT a FROM {2}", "paid 250 of 100", value="1") == NOTHING


def test_an_argument_is_derived_from_an_earlier_observation() -> None:
    action = {
        "kind": "derive",
        "field": "args.order_id",
        "source": "last_observation",
        "pattern": '"id":"([^"]+)"',
        "template": "{1}",
    }
    assert done(action, {}, last_observation='{"id":"#W1"}') == {"order_id": "#W1"}
    assert done(action, {}) == NOTHING


def test_another_tool_is_required_until_it_has_succeeded() -> None:
    action = {"kind": "require_call", "tool": "find_user", "text": "find the user"}
    engine = Engine([a_rule(action=action)])
    failed = (PriorCall(tool="find_user", ok=False, error="x"),)
    decision = engine.decide(a_view(calls_before=failed), TODAY)
    assert (decision.outcome, decision.require_tool, decision.text) == (
        "require_call",
        "find_user",
        "find the user",
    )
    assert (
        engine.decide(a_view(calls_before=(*failed, PriorCall(tool="find_user", ok=True))), TODAY).outcome
        == "pass"
    )


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ('Sure! ```json\n{"a": 1}\n``` done', {"a": 1}),
        ('{"name": "get_order", "arguments": {"a": "}"}}', {"a": "}"}),
        ('{"name": "get_order", "arguments": "{\\"a\\": 1}"}', {"a": 1}),
        ('{"action": "get_order", "action_input": {"a": "\\"{"}}', {"a": '"{'}),
        ('{"function": {"name": "get_order", "arguments": {"a": 1}}}', {"a": 1}),
        ('{"name": "other", "arguments": {"a": 1}}', None),
        ('{"a": 1} {"a": 1}', {"a": 1}),
        ('{"a": 1} {"a": 2}', None),
        ('{"a": "x", "b": [1, 2]', {"a": "x", "b": [1, 2]}),
        ("{'a': 'x', 'b': True,}", {"a": "x", "b": True}),
        ('{"name": "get_order", "arguments": {"订单": "W1"}', {"订单": "W1"}),
        ('{"a": "W123', None),
        ('{"a": 12', None),
        ('{"a": tru', None),
        ('{"a": tru}', None),
        ("no object", None),
        ("", None),
        ("{" * 300, None),
        ('{"a": "' + "x" * 20_000 + '"}', None),
    ],
)
def test_arguments_are_read_out_of_raw_output_only_if_every_value_is_whole(raw: str, expected: Any) -> None:
    assert (extracted(raw, "get_order") or None) == expected


def test_extracted_arguments_take_the_place_of_the_calls() -> None:
    action = {"kind": "extract_json"}
    assert done(action, {}, field="raw_output", raw_output='{"order_id": "W1"}') == {"order_id": "W1"}
    assert done(action, {"order_id": "W1"}, field="raw_output", raw_output='{"order_id": "W1"}') == NOTHING
    assert done(action, {}, field="raw_output", raw_output="{}") == NOTHING
