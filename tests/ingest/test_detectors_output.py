"""Detectors of what the agent writes: outputs, permissions, arguments and results."""

from __future__ import annotations

import pytest

from errata_client.deliberation import Plan, PlanStep
from errata_client.model import JsonValue
from errata_client.run import Outcome, Step, ToolDeclaration
from ingest.detectors import (
    multiple_actions,
    no_action,
    not_permitted,
    premature_answer,
    schema_violation,
    shape_mismatch,
    tool_timeout,
    unresolved_reference,
)
from ingest.detectors.schemas import violations
from tests.ingest.making import a_run, failing, found, step

ONE = "Thought: look it up\nAction: find\nAction Input: {}"
TWO = "Thought: look\nAction: find\nObservation: it is there\nAction: lend"
TWO_ZH = "思考1：先查\n动作1：查找\n观察1：有\n动作2：借出"


def words(index: int, text: str, **fields: JsonValue) -> Step:
    """A turn of the agent without a call."""
    return Step(index=index, raw_output=text, **fields)


# output.multiple_actions


@pytest.mark.parametrize("text", [TWO, TWO_ZH, "<tool_call>{}</tool_call>\n<tool_call>{}</tool_call>"])
def test_an_output_with_two_actions_is_found_once(text: str) -> None:
    (finding,) = found(multiple_actions.DETECTOR, a_run(step(0, "find", raw_output=text)))
    assert finding.evidence["actions"] == 2
    assert finding.evidence["called"] == "find"
    assert finding.evidence["wrote_observations"] is ("tool_call" not in text)


@pytest.mark.parametrize(
    "text", [ONE, f"<think>{TWO}</think>{ONE}", "Action: find\nObservation: x\nAction: Finish[it is there]"]
)
def test_one_action_what_was_only_thought_and_finishing_are_no_second_action(text: str) -> None:
    assert not found(multiple_actions.DETECTOR, a_run(step(0, "find", raw_output=text)))


def test_the_word_action_in_a_chat_and_calls_of_one_message_are_no_actions_as_text() -> None:
    talk = words(1, "**Action:** renew\n\n**Action:** return\n\nShall I?")
    assert not found(multiple_actions.DETECTOR, a_run(step(0, "find"), talk))
    both = a_run(step(0, "find", raw_output=TWO, batch=1), step(1, "lend", batch=1))
    assert not found(multiple_actions.DETECTOR, both)


# output.no_action


@pytest.mark.parametrize(
    "text",
    [
        "<think>hm, the person wants a book</think>",
        "I'll look up your loan now. Please hold on for a moment.",
        "Let me check that for you. One moment, please.",
        "我来帮您查询借阅记录，请稍等。",
    ],
)
def test_a_turn_that_only_thinks_or_announces_is_found(text: str) -> None:
    heard = Step(index=1, user_input="ok")
    assert [finding.index for finding in found(no_action.DETECTOR, a_run(words(0, text), heard))] == [0]


@pytest.mark.parametrize(
    "text",
    [
        "Your book is due on Friday.",
        "Let me check: do you mean the blue one? One moment is enough.",
        "I'll transfer you to a librarian, please hold on.",
        "好的，我来为您转接人工，请稍等。",
        "One moment, please.",
    ],
)
def test_answers_questions_and_handing_over_are_turns(text: str) -> None:
    assert not found(no_action.DETECTOR, a_run(words(0, text)))


def test_an_announcement_behind_which_the_loop_goes_on_is_none() -> None:
    run = a_run(words(0, "I'll look that up, one moment please."), step(1, "find"))
    assert not found(no_action.DETECTOR, run)


def test_an_agent_that_acts_by_text_has_to_act() -> None:
    acted = step(0, "find", raw_output=ONE)
    lost = words(1, "Action: I should look for the other one")
    thought = words(1, "Thought: there are two of them")
    spoke = words(1, 'Action:\n{"name": "respond", "arguments": {"content": "Which one?"}}')
    answer = words(1, "Thought: done\nFinal Answer: B-1001")
    goes_on = step(2, "lend", raw_output=ONE)
    assert [one.index for one in found(no_action.DETECTOR, a_run(acted, lost))] == [1]
    assert [one.index for one in found(no_action.DETECTOR, a_run(acted, thought, goes_on))] == [1]
    assert not found(no_action.DETECTOR, a_run(acted, spoke))
    assert not found(no_action.DETECTOR, a_run(acted, answer))


# output.premature_answer


@pytest.mark.parametrize(
    "answer", ["Final Answer: it is there", "最终答案：在架上", "Action: Finish[it is there]"]
)
def test_an_answer_beside_an_action_has_not_seen_its_result(answer: str) -> None:
    run = a_run(step(0, "find", raw_output=f"{ONE}\n{answer}"))
    assert [finding.index for finding in found(premature_answer.DETECTOR, run)] == [0]


def test_an_answer_of_its_own_is_not_premature() -> None:
    run = a_run(step(0, "find", raw_output=ONE), words(1, "Thought: done\nFinal Answer: it is there"))
    assert not found(premature_answer.DETECTOR, run)


def test_an_answer_before_the_plan_was_done_names_the_open_steps() -> None:
    plan = Plan(steps=(PlanStep(step_id="find", tool="find"), PlanStep(step_id="renew", tool="renew")))
    ended = [step(0, "find", step_id="find"), words(1, "All done.")]
    (finding,) = found(premature_answer.DETECTOR, a_run(*ended, plans=(plan,)))
    assert finding.evidence["open_steps"] == ["renew: renew"]
    fine = a_run(*ended, plans=(plan,), outcome=Outcome(status="success"))
    skipped = plan.model_copy(
        update={"steps": (plan.steps[0], plan.steps[1].model_copy(update={"status": "skipped"}))}
    )
    assert not found(premature_answer.DETECTOR, fine)
    assert not found(premature_answer.DETECTOR, a_run(*ended, plans=(skipped,)))


# tool.not_permitted


def test_a_tool_outside_of_what_the_run_or_the_plan_permits_is_found() -> None:
    by_run = a_run(step(0, "find"), step(1, "delete_reader"), permitted_tools=("find",))
    (finding,) = found(not_permitted.DETECTOR, by_run)
    assert (finding.index, finding.evidence["by"], finding.evidence["tool_answered"]) == (1, "run", True)
    plans = (Plan(at=0, allowed_tools=("查找",)), Plan(at=2, allowed_tools=("删除",)))
    by_plan = a_run(step(0, "查找"), step(1, "删除"), step(2, "删除"), plans=plans)
    assert [one.index for one in found(not_permitted.DETECTOR, by_plan)] == [1]


def test_no_bound_no_such_tool_and_the_persons_own_calls_are_no_matter_of_permission() -> None:
    assert not found(not_permitted.DETECTOR, a_run(step(0, "find")))
    unknown = a_run(failing(0, "rent", "Error: no such tool"), permitted_tools=("find",))
    theirs = a_run(step(0, "check_card", requestor="user"), permitted_tools=("find",))
    assert not found(not_permitted.DETECTOR, unknown)
    assert not found(not_permitted.DETECTOR, theirs)


# args.schema_violation

LEND: JsonValue = {
    "type": "object",
    "properties": {
        "book_id": {"type": "string", "pattern": "^B-[0-9]{4}$"},
        "days": {"type": "integer", "maximum": 30},
        "place": {"type": "string", "enum": ["hall", "阅览室"]},
        "copies": {"type": "array", "items": {"type": "object", "required": ["id"]}},
    },
    "required": ["book_id"],
    "additionalProperties": False,
}
DECLARED = (ToolDeclaration.model_validate({"name": "lend", "parameters": LEND}),)


@pytest.mark.parametrize(
    ("arguments", "place", "keyword"),
    [
        ({}, "/book_id", "required"),
        ({"book_id": 7}, "/book_id", "type"),
        ({"book_id": "1001"}, "/book_id", "pattern"),
        ({"book_id": "B-1001", "days": 90}, "/days", "maximum"),
        ({"book_id": "B-1001", "days": "ten"}, "/days", "type"),
        ({"book_id": "B-1001", "place": "花园"}, "/place", "enum"),
        ({"book_id": "B-1001", "colour": "red"}, "/colour", "additionalProperties"),
        ({"book_id": "B-1001", "copies": [{}, {}]}, "/copies/*/id", "required"),
    ],
)
def test_a_rejected_call_that_breaks_its_schema_names_the_argument(
    arguments: JsonValue, place: str, keyword: str
) -> None:
    run = a_run(failing(0, "lend", "Error: 参数错误", arguments), tools=DECLARED)
    (finding,) = found(schema_violation.DETECTOR, run)
    assert (finding.evidence["argument"], finding.evidence["keyword"]) == (place, keyword)
    assert finding.evidence["tool_accepted"] is False


def test_what_the_tool_took_all_the_same_counts_only_where_something_was_lost() -> None:
    loose: JsonValue = {"book_id": 7, "place": "garden"}
    assert not found(schema_violation.DETECTOR, a_run(step(0, "lend", loose), tools=DECLARED))
    ignored: JsonValue = {"book_id": "B-1001", "colour": "red"}
    (finding,) = found(schema_violation.DETECTOR, a_run(step(0, "lend", ignored), tools=DECLARED))
    assert finding.evidence["tool_accepted"] is True


@pytest.mark.parametrize(
    "arguments",
    [{"book_id": "B-1001"}, {"book_id": "B-1001", "days": None}, {"book_id": "B-1001", "days": 3.0}],
)
def test_arguments_that_fit_and_nulls_that_need_not_be_there_are_fine(arguments: JsonValue) -> None:
    run = a_run(failing(0, "lend", "Error: lent", arguments), tools=DECLARED)
    assert not found(schema_violation.DETECTOR, run)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"$ref": "https://example.org/schema.json"},
        {"properties": {"book_id": {"pattern": "(?<=x)y"}}},
        {"$ref": "#/$defs/none"},
    ],
)
def test_a_schema_that_cannot_be_used_says_nothing(schema: JsonValue) -> None:
    assert isinstance(schema, dict)
    assert violations(schema, {"book_id": "x"}) == []


def test_references_that_double_at_each_level_end() -> None:
    levels: dict[str, JsonValue] = {
        f"s{n}": {"anyOf": [{"$ref": f"#/$defs/s{n + 1}"}, {"$ref": f"#/$defs/s{n + 1}"}]} for n in range(40)
    }
    doubling: dict[str, JsonValue] = {"$ref": "#/$defs/s0", "$defs": {**levels, "s40": {"type": "string"}}}
    assert violations(doubling, {"book_id": 1}) == []
    assert violations({"allOf": [{"$ref": "#"}]}, {"book_id": 1}) == []
    used: dict[str, JsonValue] = {"$ref": "#/$defs/a", "$defs": {"a": {"required": ["x"]}}}
    assert [one.what for one in violations(used, {})] == ["is required and missing"]


# args.unresolved_reference


@pytest.mark.parametrize(
    "value",
    [
        "${find.id}", "{{find.id}}", "#E2", "<order_id>", "<the order id>", "{order_id}", "[ORDER_ID]", "YOUR_API_KEY",
        "steps[0].output", "$steps.find.output.id", "output of step 2", "/orders/{order_id}/items", "<订单号>",
        "${查找.编号}", "第2步的输出", "步骤1.结果",
    ],
)  # fmt: skip
def test_a_reference_that_was_sent_is_found(value: str) -> None:
    run = a_run(step(0, "lend", {"book_id": value}))
    (finding,) = found(unresolved_reference.DETECTOR, run)
    assert finding.detail == "/book_id"


@pytest.mark.parametrize(
    "value",
    [
        "B-1001",
        "$12.50",
        "#W2378156",
        "a < b and c > d",
        "{}",
        "[1]",
        "<b>bold</b>",
        "C# and F#",
        "E2",
        "价格$5",
        "x[0]",
    ],
)
def test_amounts_ids_and_marks_are_no_references(value: str) -> None:
    assert not found(unresolved_reference.DETECTOR, a_run(step(0, "lend", {"book_id": value})))


def test_templates_that_are_meant_and_values_that_were_given_are_left_alone() -> None:
    free = step(0, "send", {"template": "Dear {{name}}", "html": "<name>", "query": "${x}"})
    given = step(1, "lend", {"book_id": "#E2"}, user_input="Lend me #E2, please.")
    assert not found(unresolved_reference.DETECTOR, a_run(free, given))


# result.shape_mismatch


def test_a_result_that_is_not_what_was_declared_is_found() -> None:
    shape: JsonValue = {"type": "object", "required": ["书名"], "properties": {"copies": {"type": "integer"}}}
    tools = (ToolDeclaration.model_validate({"name": "find", "output_schema": shape}),)
    wrong = step(0, "find", observation='{"copies": "three"}')
    (finding,) = found(shape_mismatch.DETECTOR, a_run(wrong, tools=tools))
    assert finding.evidence["declared_by"] == "tool"
    assert len(finding.evidence["violations"]) == 2  # type: ignore[arg-type]
    right = step(0, "find", observation={"书名": "红楼梦", "copies": 3, "shelf": "A"})
    error = failing(1, "find", "Error: no")
    assert not found(shape_mismatch.DETECTOR, a_run(right, error, tools=tools))


def test_what_a_plan_expects_goes_before_what_the_tool_declares() -> None:
    plan = Plan(steps=(PlanStep(step_id="look", tool="find", expects={"type": "array"}),))
    (finding,) = found(
        shape_mismatch.DETECTOR, a_run(step(0, "find", step_id="look", observation="none"), plans=(plan,))
    )
    assert (finding.evidence["declared_by"], finding.message) == ("plan", "the result is not of type array")
    assert not found(shape_mismatch.DETECTOR, a_run(step(0, "find", observation="none"), plans=(plan,)))


# tool.timeout


@pytest.mark.parametrize("reason", ["ended by timeout", "the deadline of 60 s passed", "运行超时"])
def test_a_call_that_was_open_when_time_ran_out_is_found(reason: str) -> None:
    cut = a_run(step(0, "find", answered=False), outcome=Outcome(status="failure", reason=reason))
    assert [finding.kind for finding in found(tool_timeout.DETECTOR, cut)] == ["deadline_exceeded"]


def test_an_answered_call_or_a_record_that_merely_ends_timed_nothing_out() -> None:
    answered = a_run(step(0, "find"), outcome=Outcome(status="failure", reason="ended by timeout"))
    ends = a_run(step(0, "find", answered=False), outcome=Outcome(status="failure"))
    assert not found(tool_timeout.DETECTOR, answered)
    assert not found(tool_timeout.DETECTOR, ends)
