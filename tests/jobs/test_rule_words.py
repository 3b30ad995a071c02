from __future__ import annotations

from typing import Any

import pytest

from errata_client.rule import Rule
from jobs.cli.rule_edit import edited
from knowledge.errors import BadInputError
from strategies.rule_words import in_words

RULE: dict[str, Any] = {
    "id": "ST-0007",
    "revision": 3,
    "root_cause": "RC-042",
    "scope": {"step_id": "fetch_order_data", "tool": "get_order_details"},
    "trigger": {"field": "args.order_id", "pattern": r"^#?W?(\d{7})$"},
    "action": {"kind": "rewrite", "field": "args.order_id", "template": "#W{1}"},
    "mode": "shadow",
    "valid_until": "2027-02-28",
}


def rule(**changes: Any) -> Rule:
    return Rule.model_validate({**RULE, **changes})


BEFORE = {"field": "args.a", "pattern": ".*"}
AFTER = {"field": "error", "pattern": "timeout"}


@pytest.mark.parametrize(
    ("trigger", "action", "said"),
    [
        (BEFORE, {"kind": "rewrite", "field": "args.a", "template": "#{0}"}, "write args.a as #{0}"),
        (BEFORE, {"kind": "set", "field": "args.a", "cast": "integer"}, "make args.a into its integer form"),
        (BEFORE, {"kind": "set", "field": "args.a", "value": ["x"]}, 'make args.a ["x"]'),
        (BEFORE, {"kind": "rename", "field": "args.a", "to": "args.b"}, "call args.a args.b instead"),
        (BEFORE, {"kind": "drop", "field": "args.a"}, "leave args.a out"),
        (
            BEFORE,
            {
                "kind": "derive",
                "field": "args.a",
                "source": "last_error",
                "pattern": "max (1)",
                "template": "{1}",
            },
            "compute args.a as {1} from max (1) in the last error",
        ),
        (BEFORE, {"kind": "hint", "text": "look first"}, "let it pass and say: look first"),
        (
            BEFORE,
            {"kind": "require_call", "tool": "find", "text": "first"},
            "stop until find was called, and say: first",
        ),
        (BEFORE, {"kind": "block", "text": "ask"}, "stop the call and say: ask"),
        (BEFORE, {"kind": "confirm", "text": "sure?"}, "let a person confirm the call: sure?"),
        (BEFORE, {"kind": "replan", "text": "anew"}, "stop, the plan no longer holds: anew"),
        (BEFORE, {"kind": "extract_json"}, "read the arguments out of what the model wrote"),
        (
            AFTER,
            {"kind": "retry", "attempts": 2, "delay_ms": 500},
            "call again up to 2 times, after 500 ms and doubling",
        ),
    ],
)
def test_every_kind_of_action_has_its_words(
    trigger: dict[str, Any], action: dict[str, Any], said: str
) -> None:
    assert in_words(rule(trigger=trigger, action=action)).endswith(f": {said}")


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ({"kind": "unseen", "field": "args.a"}, "nobody gave the value of args.a"),
        ({"kind": "not_called", "tool": "find"}, "find has not succeeded yet"),
        ({"kind": "called", "tool": "find"}, "find has succeeded before"),
        ({"kind": "repeated", "times": 2}, "the very same call was made 2 times already"),
        (
            {"kind": "repeated", "times": 1, "error": ".", "unless": "x" * 70},
            f"the very same call was made already, and failed (unless with {'x' * 59}…)",
        ),
        ({"kind": "argument", "field": "args.b", "pattern": "^c"}, "args.b matches ^c"),
        ({"kind": "absent", "field": "args.b"}, "args.b is not given"),
        ({"kind": "unstopped"}, "no rule has stopped it in this run"),
        ({"kind": "said", "pattern": "^yes"}, "what the person said last matches ^yes"),
        (
            {"kind": "said", "pattern": "^yes", "negate": True},
            "what the person said last does not match ^yes",
        ),
        (
            {"kind": "fact", "path": "/s", "pattern": "^p$", "about": "args.a"},
            "the latest result about args.a says ^p$ at /s",
        ),
        ({"kind": "last_error", "pattern": "x"}, "the call before failed with x"),
        (
            {"kind": "fact", "tool": "get", "path": "/s", "pattern": "^p$", "negate": True},
            "get does not say ^p$ at /s",
        ),
        (
            {"kind": "arguments", "left": "args.a", "relation": "different_length", "right": "args.b"},
            "args.a is not as long as args.b",
        ),
    ],
)
def test_every_kind_of_condition_has_its_words(condition: dict[str, Any], said: str) -> None:
    told = in_words(
        rule(trigger={**BEFORE, "conditions": [condition]}, action={"kind": "block", "text": "no"})
    )
    assert told == f"When args.a is given and {said}: stop the call and say: no"


def test_single_fields_are_changed_and_the_rest_stays() -> None:
    changed = edited(
        rule(),
        None,
        ["trigger.pattern=[0-9]{7}", "valid_until=2028-01-01", "share=0.5", "action.template=#W{0}"],
    )
    assert changed.trigger.pattern == "[0-9]{7}"
    assert (changed.share, changed.valid_until.isoformat()) == (0.5, "2028-01-01")
    assert changed.scope == rule().scope


def test_a_value_may_hold_the_sign_that_ends_the_path() -> None:
    assert edited(rule(), None, ["trigger.pattern=^a=(b)$"]).trigger.pattern == "^a=(b)$"


def test_a_list_is_written_as_yaml() -> None:
    changed = edited(rule(), None, ["trigger.conditions=[{kind: called, tool: find}]"])
    assert [condition.kind for condition in changed.trigger.conditions] == ["called"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("trigger.pattern", "PATH=VALUE"),
        ("=x", "PATH=VALUE"),
        ("triger.pattern=x", "a rule has no triger.pattern"),
        ("colour=red", "not a rule: colour"),
        ("trigger.pattern=(", "not a rule: trigger.pattern"),
        ("action.template=#W{2}", "uses {2}"),
        ("scope.tool=*", "both exact"),
    ],
)
def test_a_change_that_makes_no_rule_is_refused_and_says_where(change: str, said: str) -> None:
    with pytest.raises(BadInputError) as caught:
        edited(rule(), None, [change])
    assert said in str(caught.value)


def test_nothing_to_change_is_told() -> None:
    with pytest.raises(BadInputError, match="nothing to change"):
        edited(rule(), None, [])


@pytest.mark.parametrize("text", ["[1, 2]", "a: [", ""])
def test_a_file_that_holds_no_rule_is_refused(tmp_path: Any, text: str) -> None:
    path = tmp_path / "rule.yaml"
    path.write_text(text)
    with pytest.raises(BadInputError, match=r"rule\.yaml"):
        edited(rule(), str(path), [])
    with pytest.raises(BadInputError, match="cannot be read"):
        edited(rule(), str(tmp_path / "none.yaml"), [])
