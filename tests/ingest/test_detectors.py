from __future__ import annotations

import pytest

from errata_client.model import JsonValue
from errata_client.run import StepError, ToolCall, ToolDeclaration
from ingest.adapters.arguments import make_call
from ingest.detectors import fabricated_argument, invalid_json, repeated_call, tool_error, unknown_tool
from ingest.detectors.fabricated_argument import is_identifier
from ingest.detectors.registry import DETECTORS
from knowledge.cases import ERROR_CODES
from tests.ingest.making import a_run, failing, found, step


def test_every_detector_names_codes_of_the_vocabulary() -> None:
    codes = [code for detector in DETECTORS for code in detector.codes]
    assert set(codes) <= set(ERROR_CODES)
    assert len(codes) == len(set(codes))


# tool.error and tool.unavailable


def test_each_failing_call_is_found_and_no_other() -> None:
    run = a_run(
        step(0, "lend"), failing(1, "lend", "Error: no"), step(2, "lend", observation="Error: a title")
    )
    assert [(finding.index, finding.code) for finding in found(tool_error.DETECTOR, run)] == [
        (1, "tool.error")
    ]


@pytest.mark.parametrize(
    ("message", "status", "code"),
    [
        ("Error: 503 Service Unavailable", 503, "tool.unavailable"),
        ("connection refused", None, "tool.unavailable"),
        ("request timed out", None, "tool.unavailable"),
        ("服务不可用", None, "tool.unavailable"),
        ("flight HAT030 not available on date 2024-05-13", None, "tool.error"),
        ("rate limit reached", 429, "tool.error"),
        ("", None, "tool.error"),
    ],
)
def test_a_tool_that_did_not_answer_is_told_apart(message: str, status: int | None, code: str) -> None:
    run = a_run(failing(0, "lend", message, error=StepError(message=message, status=status)))
    assert [finding.code for finding in found(tool_error.DETECTOR, run)] == [code]


def test_errors_of_the_persons_side_count_too() -> None:
    run = a_run(failing(0, "check_card", "Error: expired", requestor="user"))
    assert len(found(tool_error.DETECTOR, run)) == 1


# tool.unknown


@pytest.mark.parametrize(
    "reply",
    [
        "Unknown action lent",
        "Error: no such tool",
        "Tool 'lent' not found.",
        "工具 lent 不存在",
        "Error: lent is an unknown function",
    ],
)
def test_a_reply_that_says_there_is_no_such_tool(reply: str) -> None:
    assert len(found(unknown_tool.DETECTOR, a_run(failing(0, "lent", reply)))) == 1


@pytest.mark.parametrize(
    "reply",
    ["Error: book not found", "Error: tool box B-1001 of the garden shed collection was not found here"],
)
def test_other_things_that_are_not_found_are_no_unknown_tools(reply: str) -> None:
    assert not found(unknown_tool.DETECTOR, a_run(failing(0, "lend", reply)))


def test_a_tool_that_was_not_declared_is_unknown_unless_it_answered() -> None:
    declared = (ToolDeclaration(name="lend"),)
    refused, answered = failing(0, "rent", "Error: no"), step(1, "borrow")
    unanswered = step(2, "buy", answered=False)
    run = a_run(refused, answered, unanswered, step(3, "lend"), tools=declared)
    assert [finding.index for finding in found(unknown_tool.DETECTOR, run)] == [0, 2]
    assert not found(unknown_tool.DETECTOR, a_run(refused))


# output.invalid_json


@pytest.mark.parametrize(
    ("raw", "what", "recovered"),
    [
        ("{'thought': 'hm'}", "the text of a Python dict", True),
        ('{"book_id": "B-1"', "a JSON object with its end cut off", True),
        ('{"book_id" "B-1"}', "a broken JSON object", True),
        ('["B-1"]', "a JSON list", False),
        ("B-1", "plain text", False),
        ("42", "a JSON number", False),
    ],
)
def test_arguments_that_are_no_json_object_say_what_they_are(raw: str, what: str, recovered: bool) -> None:
    run = a_run(step(0, "think", tool_call=make_call("think", raw)))
    (finding,) = found(invalid_json.DETECTOR, run)
    assert finding.evidence["is"] == what
    assert finding.evidence["recovered"] is recovered
    assert finding.evidence["tool_answered"] is True


@pytest.mark.parametrize("raw", ['{"book_id": "B-1"}', "{}", "", None, {"book_id": "B-1"}, ' {"n": NaN} '])
def test_arguments_that_can_be_read_as_an_object_are_fine(raw: object) -> None:
    run = a_run(step(0, "lend", tool_call=make_call("lend", raw)))
    assert not found(invalid_json.DETECTOR, run)


# args.fabricated


@pytest.mark.parametrize(
    "value",
    [
        "#W2378156",
        "mia_li_3668",
        "B-1001",
        "credit_card_7334",
        "mia@example.org",
        "4602305039",
        "HAT030",
        4602305039,
        "3f2a9c1e-0b7d-4c55-9e0a-1d2f3a4b5c6d",
        "JKL7Q9",
        "ZFA04Y",
    ],
)
def test_what_names_one_particular_thing_is_an_identifier(value: JsonValue) -> None:
    assert is_identifier(value)


@pytest.mark.parametrize(
    "value",
    [
        True, None, 3, 299, 1_203_000, 12.5, -3, "", "yes", "economy", "Mia Li", "Lend me B-1001 please", "2024-05-15",
        "2024-05-15T10:00:00Z", "15/05/2024", "20240515", "10:30", "10am", "2024-Q3", "may2024", "27-inch", "10th", "500ml",
        "1080p", "4K", "v2.1", "A4", "$12.50", "12%", "100-20", "19122", "1,000", "P1D", "书1001", "a" * 200 + "1",
    ],
)  # fmt: skip
def test_dates_amounts_measures_words_and_texts_are_none(value: JsonValue) -> None:
    assert not is_identifier(value)


def test_a_value_that_nobody_gave_is_found_once_for_each_argument() -> None:
    invented: dict[str, JsonValue] = {"book_ids": ["B-7001", "B-7002"], "reader": "mia_li_3668"}
    findings = found(
        fabricated_argument.DETECTOR, a_run(step(0, "lend", invented, user_input="Lend me something."))
    )
    assert [(finding.detail, finding.evidence["provenance"]) for finding in findings] == [
        ("/book_ids/*", "nowhere"),
        ("/reader", "nowhere"),
    ]
    assert findings[0].evidence["values"] == ["B-7001", "B-7002"]


def test_a_value_that_stands_only_in_the_prompt_is_fabricated() -> None:
    run = a_run(step(0, "lend", {"book_id": "B-0000"}), prompt="Ids look like B-0000.")
    (finding,) = found(fabricated_argument.DETECTOR, run)
    assert finding.evidence["provenance"] == "prompt"


def test_a_value_that_stands_only_in_a_schema_is_told_apart_and_each_argument_names_its_source() -> None:
    example: JsonValue = {"properties": {"book_id": {"type": "string", "examples": ["B-9999"]}}}
    tools = (ToolDeclaration.model_validate({"name": "lend", "parameters": example}),)
    given: dict[str, JsonValue] = {"book_id": "B-9999", "shelf": "三楼", "copy": "C-777"}
    run = a_run(step(0, "lend", given, user_input="借一本在三楼的书"), tools=tools)
    schema, nowhere = found(fabricated_argument.DETECTOR, run)
    assert (schema.evidence["provenance"], nowhere.evidence["provenance"]) == ("schema", "nowhere")
    assert "schemas" in schema.message
    assert schema.evidence["sources"] == {"/book_id": "schema", "/shelf": "person", "/copy": "nowhere"}


def test_a_value_that_a_person_said_or_a_tool_returned_is_not() -> None:
    run = a_run(
        step(0, "find", {"title": "x"}, user_input="Lend me b-1001 please.", observation='{"id": "B-2002"}'),
        step(1, "lend", {"book_id": "B-1001"}),
        step(2, "lend", {"book_id": "B-2002"}),
    )
    assert not found(fabricated_argument.DETECTOR, run)


def test_digits_that_the_person_said_make_a_code_theirs() -> None:
    run = a_run(step(0, "lend", {"order_id": "#W9502127"}, user_input="I think it's 9502127."))
    assert not found(fabricated_argument.DETECTOR, run)
    other = a_run(step(0, "lend", {"order_id": "#W9502127"}, user_input="I think it's 95021273."))
    assert found(fabricated_argument.DETECTOR, other)


def test_a_value_with_which_a_call_succeeded_is_confirmed() -> None:
    guess: dict[str, JsonValue] = {"reader": "mia_li_3668"}
    run = a_run(step(0, "find", guess), step(1, "lend", guess), user_intent="hello")
    assert [finding.index for finding in found(fabricated_argument.DETECTOR, run)] == [0]


def test_keys_that_the_agent_may_fill_freely_and_calls_of_the_person_are_left_alone() -> None:
    free: dict[str, JsonValue] = {"request_id": "req-12345", "query": "ISBN12345", "date": "D20240101"}
    run = a_run(step(0, "find", free), step(1, "check", {"card": "C-12345"}, requestor="user"))
    assert not found(fabricated_argument.DETECTOR, run)


# loop.repeated_call


def test_the_third_same_result_in_a_row_is_a_loop_and_is_told_once() -> None:
    run = a_run(*(step(n, "find", {"title": "x"}, observation="[]") for n in range(6)))
    findings = found(repeated_call.DETECTOR, run)
    assert [(finding.index, finding.evidence["steps"]) for finding in findings] == [(2, [0, 1, 2])]


def test_the_second_same_error_is_a_loop_unless_trying_again_can_help() -> None:
    lost = a_run(*(failing(n, "find", "Error: not found", {"id": 1}) for n in range(3)))
    assert [finding.index for finding in found(repeated_call.DETECTOR, lost)] == [1]
    down = a_run(*(failing(n, "find", "Error: 503 Service Unavailable", {"id": 1}) for n in range(5)))
    assert not found(repeated_call.DETECTOR, down)


def test_another_argument_answer_or_change_in_between_is_no_loop() -> None:
    other_arguments = a_run(*(step(n, "find", {"page": n}, observation="[]") for n in range(5)))
    other_answers = a_run(*(step(n, "poll", {}, observation=f"{n} %") for n in range(5)))
    changed = a_run(
        step(0, "get_book", {"id": 1}),
        step(1, "get_book", {"id": 1}),
        step(2, "update_book", {"id": 1}, requestor="user"),
        step(3, "get_book", {"id": 1}),
    )
    repaired = a_run(
        failing(0, "lend", "Error: card expired", {"id": 1}),
        step(1, "renew_card", {}),
        failing(2, "lend", "Error: card expired", {"id": 1}),
    )
    for run in (other_arguments, other_answers, changed, repaired):
        assert not found(repeated_call.DETECTOR, run)


def test_calls_of_one_message_went_out_together() -> None:
    assert not found(repeated_call.DETECTOR, a_run(*(step(n, "find", {}, batch=1) for n in range(4))))


def test_a_call_that_is_not_paired_or_answered_repeats_nothing() -> None:
    unpaired = a_run(*(step(n, "find", tool_call=ToolCall(tool="find"), paired=False) for n in range(4)))
    unanswered = a_run(*(step(n, "find", answered=False) for n in range(4)))
    assert not found(repeated_call.DETECTOR, unpaired)
    assert not found(repeated_call.DETECTOR, unanswered)
