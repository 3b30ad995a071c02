"""What holds for every input."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from client.tests.making import TODAY, a_rule
from errata_client.context import RunContext
from errata_client.engine import Engine
from errata_client.provenance import Sources
from errata_client.rule import Rule
from errata_client.view import CallView

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
values = st.recursive(
    scalars,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=4), below, max_size=3),
)
arguments = st.dictionaries(
    st.sampled_from(["order_id", "items", "x"]) | st.text(max_size=3), values, max_size=4
)
words = st.text("abcxyz0123456789äßЖ", min_size=1, max_size=12)

RULES: list[Rule] = [
    a_rule("ST-01"),
    a_rule("ST-02", {"kind": "set", "field": "args.items", "cast": "array"}, field="args.items", pattern=""),
    a_rule("ST-03", {"kind": "rename", "field": "args.x", "to": "args.items"}, field="args.x", pattern=""),
    a_rule("ST-04", {"kind": "drop", "field": "args.items/0"}, field="args.items", pattern=""),
    a_rule("ST-05", {"kind": "set", "field": "args.x/a", "value": 1}, field="user_input", pattern=""),
    a_rule(
        "ST-06", {"kind": "rewrite", "field": "args.x", "template": "{1}!"}, field="args.x", pattern="(.)"
    ),
    a_rule("ST-07", {"kind": "extract_json"}, field="raw_output", pattern=""),
    a_rule(
        "ST-08",
        {"kind": "confirm", "text": "sure?"},
        field="args.order_id",
        pattern="",
        conditions=[{"kind": "arguments", "left": "args.x", "relation": "different", "right": "args.items"}],
    ),
]


@settings(deadline=None)
@given(arguments, st.text())
def test_deciding_is_pure_and_fails_on_no_call(given_arguments: dict[str, Any], said: str) -> None:
    view = CallView.model_construct(
        run_id="r",
        step_id="fetch",
        tool="get_order",
        arguments=given_arguments,
        raw_output=said,
        user_input=said,
    )
    before = copy.deepcopy(given_arguments)
    engine = Engine(RULES)
    first = engine.decide(view, TODAY)
    assert engine.decide(view, TODAY) == first
    assert view.arguments == before
    assert len({firing.rule_id for firing in first.fired}) == len(first.fired)


@settings(deadline=None)
@given(arguments, st.lists(st.text(max_size=30), max_size=4))
def test_a_view_can_be_made_of_any_call_and_every_scalar_is_traced(
    given_arguments: dict[str, Any], said: list[str]
) -> None:
    context = RunContext("r", prompt="".join(said))
    for text in said:
        context.hear(text)
    view = context.view("t", given_arguments)
    context.finish(context.start(view), "".join(said))
    context.fail(context.start(view), "".join(said))
    assert set(view.provenance.values()) <= {"person", "prompt", "nowhere"}
    assert context.view("t", given_arguments).repeats == 2


@settings(deadline=None)
@given(st.lists(words, min_size=1, max_size=6), st.data())
def test_a_word_that_was_said_is_from_a_person_and_so_is_what_stands_in_one_text(
    said: list[str], data: st.DataObject
) -> None:
    sources = Sources()
    sources.hear(f"({', '.join(said)})")
    assert sources.provenance(data.draw(st.sampled_from(said))) == "person"
    assert sources.provenance(", ".join(said)) == "person"


@settings(deadline=None)
@given(st.lists(st.text("ab1,. @_-#", max_size=40), max_size=8), words)
def test_forgetting_the_old_leaves_exactly_what_the_rest_says(texts: list[str], value: str) -> None:
    bounded, fresh = Sources(limit=60), Sources()
    for text in texts:
        bounded.hear(text)
    kept = list(bounded._texts)
    for text in kept:
        fresh.hear(text.whole)
    expected = fresh.provenance(value)
    assert bounded.provenance(value) == (
        "pending" if expected == "nowhere" and bounded.forgotten else expected
    )
    counted = [sources._indexes["person"] for sources in (bounded, fresh)]
    for index in counted:
        index._count_new()
    assert counted[0]._words == counted[1]._words
    assert counted[0]._reshaped == counted[1]._reshaped
