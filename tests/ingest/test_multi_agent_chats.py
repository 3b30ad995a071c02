"""Chats of several agents: each message a step, code that was run a call, and labels never read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errata_client.run import Run
from ingest.masking import Masker
from ingest.service import ingest_file
from knowledge.store import Store
from tests.ingest.making import KEY, a_shift, read, written, written_lines

CODE = "Let us count.\n```python\nprint(len(loans))\n```"
FAILED = (
    "exitcode: 1 (execution failed)\nCode output: Traceback (most recent call last):\n"
    "  File \"count.py\", line 1, in <module>\n    print(len(loans))\nNameError: name 'loans' is not defined\n"
)
WORKED = "exitcode: 0 (execution succeeded)\nCode output: Error: 3 books are overdue\n"


def said(name: str, content: Any, role: str = "user", **more: Any) -> dict[str, Any]:
    return {"name": name, "role": role, "content": content, **more}


def a_chat(*messages: dict[str, Any], **about: Any) -> dict[str, Any]:
    return {"question": "How many books are lent?", "history": [*messages], **about}


def the_run(tmp_path: Path, record: Any) -> Run:
    (run,), left_out = read(written(tmp_path / "chat.json", record))
    assert not left_out
    return run


def test_each_message_is_a_step_named_after_who_spoke(tmp_path: Path) -> None:
    run = the_run(
        tmp_path,
        a_chat(
            said("Loans_Expert", CODE),
            said("Computer_terminal", FAILED),
            said("Reviewer", "B-77 is missing."),
        ),
    )
    assert [(step.index, step.step_id) for step in run.steps] == [
        (0, "Loans_Expert"),
        (1, "Computer_terminal"),
        (2, "Reviewer"),
    ]
    assert run.steps[0].user_input == run.user_intent == "How many books are lent?"
    assert run.steps[2].observation == "B-77 is missing."


def test_code_that_was_run_is_a_call_at_the_step_that_wrote_it(tmp_path: Path) -> None:
    run = the_run(
        tmp_path,
        a_chat(said("Loans_Expert", CODE), said("Computer_terminal", FAILED), said("Reviewer", "No.")),
    )
    call, error = run.steps[0].tool_call, run.steps[0].error
    assert call is not None
    assert error is not None
    assert (call.tool, call.arguments) == (
        "Computer_terminal",
        {"code": "print(len(loans))", "language": "python"},
    )
    assert (error.message, error.type) == ("NameError: name 'loans' is not defined", "NameError")
    assert run.steps[1].tool_call is None


def test_exit_code_0_is_a_success_whatever_was_printed(tmp_path: Path) -> None:
    run = the_run(
        tmp_path,
        a_chat(said("Loans_Expert", CODE), said("Computer_terminal", WORKED), said("Reviewer", "So?")),
    )
    assert run.steps[0].tool_call is not None
    assert run.steps[0].error is None
    assert run.steps[0].observation == WORKED


def test_the_answer_of_code_that_nobody_wrote_is_told(tmp_path: Path) -> None:
    record = a_chat(said("Loans_Expert", "Ready."), said("Computer_terminal", FAILED))
    (run,), left_out = read(written(tmp_path / "chat.json", record))
    assert [step.tool_call for step in run.steps] == [None, None]
    assert left_out[0].position == "line 1, message 2"


def test_the_last_exception_of_an_output_is_the_error_and_an_output_without_one_ends_it(
    tmp_path: Path,
) -> None:
    chained = (
        FAILED
        + "\nDuring handling of the above exception, another exception occurred:\n\n"
        + (
            'Traceback (most recent call last):\n  File "count.py", line 3, in <module>\nshelf.errors.NoShelf: shelf 7\n'
        )
    )
    bare = "exitcode: 1 (execution failed)\nCode output: \nunknown language json"
    run = the_run(
        tmp_path,
        a_chat(
            said("A_Expert", CODE), said("terminal", chained), said("B_Expert", CODE), said("terminal", bare)
        ),
    )
    errors = [step.error for step in run.steps if step.error]
    assert [(error.message, error.type) for error in errors] == [
        ("shelf.errors.NoShelf: shelf 7", "NoShelf"),
        ("unknown language json", None),
    ]


def test_the_newer_words_of_an_executor_are_read_too(tmp_path: Path) -> None:
    answer = (
        "The script ran, then exited with an error (POSIX exit code: 1)\nIts output was:\nKeyError: 'B-77'"
    )
    run = the_run(
        tmp_path, a_chat(said("Loans_Expert", CODE), said("executor", answer), said("Reviewer", "Hm."))
    )
    assert run.steps[0].error is not None
    assert run.steps[0].error.message == "KeyError: 'B-77'"


def test_labels_are_never_read(tmp_path: Path, store: Store) -> None:
    labels = {
        "ground_truth": "LABEL-1",
        "mistake_agent": "LABEL-2",
        "mistake_step": 977,
        "mistake_reason": "LABEL-3",
        "is_correct": False,
    }
    record = a_chat(said("Loans_Expert", CODE), said("Computer_terminal", FAILED), **labels)
    run = the_run(tmp_path, record)
    assert run.outcome.status == "failure"
    text = run.model_dump_json()
    assert "LABEL" not in text
    assert "977" not in text
    bare = {key: value for key, value in record.items() if key not in labels}
    other = the_run(tmp_path, bare)
    assert (other.run_id, other.steps) == (run.run_id, run.steps)
    ingest_file(written(tmp_path / "chat.json", record), "auto", a_shift(store), Masker(KEY))


def test_agentchat_messages_with_requests_and_results_are_calls_and_answers(tmp_path: Path) -> None:
    request = [{"id": "c1", "name": "lend", "arguments": json.dumps({"book_id": "B-77"})}]
    result = [{"call_id": "c1", "name": "lend", "content": "book is lent", "is_error": True}]
    usage = {"prompt_tokens": 5, "completion_tokens": 2}
    record = {
        "messages": [
            {"source": "user", "type": "TextMessage", "content": "Lend me B-77."},
            {
                "source": "desk_agent",
                "type": "ToolCallRequestEvent",
                "content": request,
                "models_usage": usage,
            },
            {"source": "desk_agent", "type": "ToolCallExecutionEvent", "content": result},
            {"source": "desk_agent", "type": "TextMessage", "content": "It is lent.", "models_usage": usage},
        ],
        "stop_reason": "max turns",
    }
    run = the_run(tmp_path, record)
    called = run.steps[1]
    assert called.tool_call is not None
    assert (called.tool_call.tool, called.tool_call.arguments) == ("lend", {"book_id": "B-77"})
    assert called.error is not None
    assert called.error.message == "book is lent"
    assert run.user_intent == "Lend me B-77."
    assert run.steps[3].input_tokens == 5


def test_a_group_chat_with_tool_responses_is_read(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "lend", "arguments": '{"book_id": "B-77"}'}}
    replies = [{"tool_call_id": "c1", "role": "tool", "content": '{"error": "book is lent"}'}]
    record = [
        said("user_proxy", "Lend me B-77."),
        said("Desk", None, role="assistant", tool_calls=[call]),
        said("user_proxy", '{"error": "book is lent"}', role="tool", tool_responses=replies),
        said("Reviewer", "Sorry."),
    ]
    run = the_run(tmp_path, record)
    assert [step.step_id for step in run.steps] == ["user_proxy", "Desk", "user_proxy", "Reviewer"]
    assert run.steps[1].error is not None


def test_a_chat_of_one_agent_stays_a_chat(tmp_path: Path) -> None:
    messages = [said("mia", "Lend me B-77."), said("desk", "Done.", role="assistant")]
    del messages[0]["name"]
    path = written_lines(tmp_path / "chats.jsonl", [{"messages": messages}, {"messages": messages}])
    runs, _ = read(path, "openai_chat")
    assert read(path) == (runs, [])


@pytest.mark.parametrize("wrong", [42, None, {"content": "nobody"}, []])
def test_a_message_without_a_speaker_is_told_and_the_rest_goes_on(tmp_path: Path, wrong: Any) -> None:
    record = a_chat(said("A_Expert", "One."), said("B_Expert", "Two."))
    record["history"].insert(1, wrong)
    (run,), left_out = read(written(tmp_path / "chat.json", record))
    assert [step.step_id for step in run.steps] == ["A_Expert", "B_Expert"]
    assert [item.position for item in left_out] == ["line 1, message 2"]


def test_a_role_that_says_whom_it_speaks_to_is_the_same_speaker(tmp_path: Path) -> None:
    record = {
        "question": "图书馆几点关门？",
        "history": [
            {"role": "human", "content": "图书馆几点关门？"},
            {"role": "Orchestrator (thought)", "content": "先查网页。"},
            {"role": "Orchestrator (-> WebSurfer)", "content": "请查开放时间。"},
            {"role": "WebSurfer", "content": "21:30 关门。"},
        ],
    }
    run = the_run(tmp_path, record)
    assert [step.step_id for step in run.steps] == ["human", "Orchestrator", "Orchestrator", "WebSurfer"]
    assert run.user_intent == "图书馆几点关门？"


ASKED = [{"id": "c1", "arguments": '{"book_id": "B-1001"}', "name": "lend"}]
TOLD = [{"content": "book is lent", "name": "lend", "call_id": "c1", "is_error": True}]
AGENT_CHAT = [
    {"source": "user", "models_usage": None, "content": "Lend me B-1001.", "type": "TextMessage"},
    {"source": "desk", "models_usage": None, "content": ASKED, "type": "ToolCallRequestEvent"},
    {"source": "desk", "models_usage": None, "content": TOLD, "type": "ToolCallExecutionEvent"},
]


def _saved(thread: list[Any]) -> Any:
    told = [
        {"content": "Lend me B-1001.", "source": "user", "type": "UserMessage"},
        {"content": ASKED, "thought": None, "source": "desk", "type": "AssistantMessage"},
        {"content": TOLD, "type": "FunctionExecutionResultMessage"},
    ]
    inner = {"type": "AssistantAgentState", "version": "1.0.0", "llm_context": {"messages": told}}
    desk = {"type": "ChatAgentContainerState", "agent_state": inner, "message_buffer": []}
    manager = {"type": "RoundRobinManagerState", "message_thread": thread, "current_turn": 0}
    return {"type": "TeamState", "version": "1.0.0", "agent_states": {"desk": desk, "manager": manager}}


@pytest.mark.parametrize("kept", ["a message a line", "a state with calls", "a state without calls"])
def test_a_chat_of_autogen_is_read_a_message_a_line_and_out_of_a_saved_state(
    tmp_path: Path, kept: str
) -> None:
    path = tmp_path / "chat"
    if kept == "a message a line":
        written_lines(path, AGENT_CHAT)
    else:
        written(path, _saved(AGENT_CHAT if kept == "a state with calls" else AGENT_CHAT[:1]))
    (run,), left_out = read(path)
    assert not left_out
    made = [step for step in run.steps if step.tool_call]
    assert [(step.tool_call.tool, step.tool_call.arguments) for step in made if step.tool_call] == [
        ("lend", {"book_id": "B-1001"})
    ]
    assert [step.error.message for step in made if step.error] == ["book is lent"]
    assert run.user_intent == "Lend me B-1001."
