"""The Responses API's items, in every container that they are kept in."""

from __future__ import annotations

from pathlib import Path

import pytest

from errata_client.run import Run
from tests.ingest.making import Json, read, user, written, written_lines

ASKED = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "lend", "arguments": '{"book_id": "B-1001"}'}  # fmt: skip
TOLD = {"type": "function_call_output", "call_id": "call_1", "output": "Error: book is lent"}
THOUGHT = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "It may be lent."}],
}
SAID = {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "It is lent.", "annotations": []}]}  # fmt: skip
WORDS = "Lend me B-1001."
ITEMS = [user(WORDS), THOUGHT, ASKED, TOLD, SAID]


def response(number: int, *output: Json, **more: Json) -> Json:
    before = {"previous_response_id": f"resp_{number - 1}"} if number > 1 else {}
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1741476542,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": "some-model",
        "output": [*output],
        **before,
        **more,
    }


CHAINED = [
    {"request": {"model": "some-model", "input": WORDS}, "response": response(1, THOUGHT, ASKED)},
    {"request": {"previous_response_id": "resp_1", "input": [TOLD]}, "response": response(2, SAID)},
]
RUN_ITEMS = {
    "input": WORDS,
    "new_items": [
        {"type": "item", "agent": "Desk", "raw_item": item} for item in (THOUGHT, ASKED, TOLD, SAID)
    ],
    "final_output": "It is lent.",
}
PAGE = {
    "object": "list",
    "data": [dict(item, id=f"i{n}") for n, item in enumerate(ITEMS)][::-1],
    "has_more": False,
}


def the_run(path: Path) -> Run:
    (run,), left_out = read(path)
    assert not left_out
    return run


def in_files(folder: Path) -> dict[str, Path]:
    return {
        "a list": written(folder / "list.json", ITEMS),
        "an item a line": written_lines(folder / "items.jsonl", ITEMS),
        "a list a line": written_lines(folder / "lists.jsonl", [ITEMS]),
        "a request": written(folder / "request.json", {"model": "some-model", "input": ITEMS}),
        "a chain of responses": written_lines(folder / "chain.jsonl", CHAINED),
        "in the other order": written(folder / "pairs.json", [CHAINED[1], CHAINED[0]][::-1]),
        "latest first": written(folder / "page.json", PAGE),
        "a result of the SDK": written(folder / "result.json", RUN_ITEMS),
        "under messages": written(folder / "messages.json", {"messages": ITEMS}),
    }


@pytest.mark.parametrize("kept", [
    "a list", "an item a line", "a list a line", "a request", "a chain of responses", "in the other order", "latest first",
    "a result of the SDK", "under messages",
])  # fmt: skip
def test_items_are_read_wherever_they_are_kept(tmp_path: Path, kept: str) -> None:
    run = the_run(in_files(tmp_path)[kept])
    first, last = run.steps
    assert first.tool_call is not None
    assert (first.user_input, first.thought, last.raw_output) == (WORDS, "It may be lent.", "It is lent.")
    assert (first.tool_call.tool, first.tool_call.arguments, first.tool_call.call_id) == (
        "lend",
        {"book_id": "B-1001"},
        "call_1",
    )
    assert first.error is not None
    assert first.error.message == "Error: book is lent"


def test_calls_of_one_response_went_out_together_and_later_ones_did_not(tmp_path: Path) -> None:
    other = {**ASKED, "id": "fc_2", "call_id": "call_2"}
    third = {**ASKED, "id": "fc_3", "call_id": "call_3"}
    items = [
        user(WORDS),
        ASKED,
        other,
        TOLD,
        {**TOLD, "call_id": "call_2"},
        third,
        {**TOLD, "call_id": "call_3"},
    ]
    batches = [step.batch for step in the_run(written(tmp_path / "a.json", items)).steps]
    assert batches[0] == batches[1] is not None
    assert batches[2] is None


def test_tools_that_are_run_for_the_agent_are_calls_with_their_results(tmp_path: Path) -> None:
    items = [
        user("Find it."),
        {"type": "web_search_call", "id": "ws", "status": "completed", "action": {"type": "search", "query": "price"}},
        {"type": "mcp_call", "id": "m", "server_label": "s", "name": "lend", "arguments": '{"n": 1}', "output": None, "error": {"type": "mcp_protocol_error", "code": 32603, "message": "no such reader"}},
        {"type": "code_interpreter_call", "id": "ci", "status": "failed", "code": "1/0", "outputs": None},
        {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "*** Begin"},
        {"type": "custom_tool_call_output", "call_id": "c", "output": "Done"},
        {"type": "file_search_call", "id": "fs", "status": "in_progress", "queries": ["rules"]},
    ]  # fmt: skip
    steps = the_run(written(tmp_path / "a.json", items)).steps
    told = [
        (step.tool_call.tool, step.tool_call.arguments, step.error.message if step.error else None)
        for step in steps
        if step.tool_call
    ]
    assert told == [
        ("web_search", {"type": "search", "query": "price"}, None),
        ("lend", {"n": 1}, "no such reader"),
        ("code_interpreter", {"code": "1/0"}, "the call failed"),
        ("patch", {"input": "*** Begin"}, None),
        ("file_search", {"queries": ["rules"]}, None),
    ]
    assert [step.answered for step in steps] == [True, True, True, True, False]


def test_responses_without_what_they_answered_make_no_value_invented(tmp_path: Path) -> None:
    run = the_run(written_lines(tmp_path / "a.jsonl", [response(1, ASKED), response(2, SAID)]))
    assert not run.complete
    assert [step.answered for step in run.steps] == [False, True]


def test_a_response_that_failed_is_a_run_that_failed_for_that_reason(tmp_path: Path) -> None:
    error = {"code": "rate_limit_exceeded", "message": "Rate limit reached"}
    (failed,), _ = read(written(tmp_path / "a.json", {"request": {"input": WORDS}, "response": response(1, status="failed", error=error)}))  # fmt: skip
    assert (failed.outcome.status, failed.outcome.reason) == ("failure", "Rate limit reached")
    assert failed.steps[-1].error is not None
    assert failed.steps[-1].tool_call is None


def test_conversations_are_told_apart(tmp_path: Path) -> None:
    lines = [response(1, ASKED, conversation={"id": "a"}), response(2, SAID, conversation={"id": "b"})]
    runs, _ = read(written_lines(tmp_path / "a.jsonl", lines))
    assert sorted(run.run_id for run in runs) == ["a", "b"]


def test_what_holds_no_items_is_said(tmp_path: Path) -> None:
    path = written_lines(tmp_path / "a.jsonl", [{"input": ITEMS}, {"input": [{"x": 1}]}, 3])
    assert [(item.position, item.reason) for item in read(path)[1]] == [
        ("line 2", "no items: neither messages nor calls"),
        ("line 3", "no items: neither messages nor calls"),
    ]
