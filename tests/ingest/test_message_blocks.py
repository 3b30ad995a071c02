"""Messages made of blocks: Anthropic's, Bedrock's, Gemini's and the AI SDK's give the same run as OpenAI's would."""

from __future__ import annotations

from pathlib import Path

import pytest

from errata_client.run import Run
from tests.ingest.making import Json, read, user, written

SCHEMA = {"type": "object", "properties": {"book_id": {"type": "string"}}}
ASKED = {"book_id": "B-1001"}
WORDS = "Lend me B-1001."

ANTHROPIC = {
    "model": "some-model",
    "system": [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}],
    "tools": [{"name": "lend", "input_schema": SCHEMA}],
    "messages": [
        user(WORDS),
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "It may be lent.", "signature": "c2ln"},
                {"type": "text", "text": "One moment."},
                {"type": "tool_use", "id": "toolu_1", "name": "lend", "input": ASKED},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_1",
                    "content": [{"type": "text", "text": "book is lent"}],
                    "is_error": True,
                }
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "It is lent."}]},
    ],
}
BEDROCK = {
    "system": [{"text": "Be kind."}],
    "toolConfig": {"tools": [{"toolSpec": {"name": "lend", "inputSchema": {"json": SCHEMA}}}]},
    "messages": [
        {"role": "user", "content": [{"text": WORDS}]},
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "It may be lent."}}},
                {"text": "One moment."},
                {"toolUse": {"toolUseId": "t1", "name": "lend", "input": ASKED}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"toolResult": {"toolUseId": "t1", "content": [{"text": "book is lent"}], "status": "error"}}
            ],
        },
        {"role": "assistant", "content": [{"text": "It is lent."}]},
    ],
}
GEMINI = {
    "systemInstruction": {"parts": [{"text": "Be kind."}]},
    "tools": [{"functionDeclarations": [{"name": "lend", "parameters": SCHEMA}]}],
    "contents": [
        {"role": "user", "parts": [{"text": WORDS}]},
        {
            "role": "model",
            "parts": [
                {"text": "It may be lent.", "thought": True},
                {"text": "One moment."},
                {"functionCall": {"name": "lend", "args": ASKED}},
            ],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "lend", "response": {"error": "book is lent"}}}],
        },
        {"role": "model", "parts": [{"text": "It is lent."}]},
    ],
}
SDK_MODEL = {
    "system": "Be kind.",
    "tools": [{"name": "lend", "inputSchema": SCHEMA}],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": WORDS}]},
        {
            "role": "assistant",
            "content": [
                {"type": "reasoning", "text": "It may be lent."},
                {"type": "text", "text": "One moment."},
                {"type": "tool-call", "toolCallId": "c1", "toolName": "lend", "input": ASKED},
            ],
        },
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "c1",
                    "toolName": "lend",
                    "output": {"type": "error-text", "value": "book is lent"},
                }
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "It is lent."}]},
    ],
}
SDK_INTERFACE = {
    "system": "Be kind.",
    "tools": [{"name": "lend", "inputSchema": SCHEMA}],
    "messages": [
        {"id": "m1", "role": "user", "parts": [{"type": "text", "text": WORDS}]},
        {
            "id": "m2",
            "role": "assistant",
            "parts": [
                {"type": "step-start"},
                {"type": "reasoning", "text": "It may be lent."},
                {"type": "text", "text": "One moment."},
                {
                    "type": "tool-lend",
                    "toolCallId": "c1",
                    "state": "output-error",
                    "input": ASKED,
                    "errorText": "book is lent",
                },
                {"type": "step-start"},
                {"type": "text", "text": "It is lent.", "state": "done"},
            ],
        },
    ],
}
MAKERS = {
    "anthropic": ANTHROPIC,
    "bedrock": BEDROCK,
    "gemini": GEMINI,
    "sdk model": SDK_MODEL,
    "sdk interface": SDK_INTERFACE,
}


def the_run(tmp_path: Path, record: Json) -> Run:
    (run,), left_out = read(written(tmp_path / "one.json", record))
    assert not left_out
    return run


def called(run: Run) -> list[tuple[str, Json, Json, bool]]:
    """Of each call its tool, its arguments, its answer, and whether that is an error."""
    return [
        (step.tool_call.tool, step.tool_call.arguments, step.observation, step.error is not None)
        for step in run.steps
        if step.tool_call
    ]


@pytest.mark.parametrize("record", MAKERS.values(), ids=MAKERS.keys())
def test_messages_of_every_maker_give_one_run(tmp_path: Path, record: Json) -> None:
    run = the_run(tmp_path, record)
    first, last = run.steps
    assert first.tool_call is not None
    assert (first.user_input, first.thought, last.raw_output) == (WORDS, "One moment.", "It is lent.")
    assert (first.tool_call.tool, first.tool_call.arguments) == ("lend", ASKED)
    assert first.error is not None
    assert first.error.message == "book is lent"
    assert (run.prompt, run.user_intent) == ("Be kind.", WORDS)
    assert [(tool.name, tool.parameters) for tool in run.tools] == [("lend", SCHEMA)]


@pytest.mark.parametrize("record", MAKERS.values(), ids=MAKERS.keys())
def test_a_list_of_messages_alone_is_a_run(tmp_path: Path, record: Json) -> None:
    run = the_run(tmp_path, record.get("messages") or record["contents"])
    assert len(called(run)) == 1


def test_other_words_in_parts_are_another_run(tmp_path: Path) -> None:
    def asking(words: str) -> Json:
        return {"contents": [{"role": "user", "parts": [{"text": words}]}]}

    assert the_run(tmp_path, asking("one")).run_id != the_run(tmp_path, asking("two")).run_id


def test_tools_that_the_maker_runs_are_answered_within_the_message(tmp_path: Path) -> None:
    too_often = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    blocks = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "rain"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": too_often},
        {"type": "mcp_tool_use", "id": "s2", "name": "echo", "server_name": "x", "input": {"a": 1}},
        {"type": "mcp_tool_result", "tool_use_id": "s2", "is_error": False, "content": [{"type": "text", "text": "1"}]},
        {"type": "text", "text": "Rain."},
    ]  # fmt: skip
    run = the_run(tmp_path, {"messages": [user("Rain?"), {"role": "assistant", "content": blocks}]})
    assert called(run) == [
        ("web_search", {"query": "rain"}, "max_uses_exceeded", True),
        ("echo", {"a": 1}, "1", False),
    ]
    assert run.steps[-1].raw_output == "Rain."
    assert {step.batch for step in run.steps} == {None}, "the one followed upon the other"


def test_every_reply_of_one_message_answers_its_call(tmp_path: Path) -> None:
    asked = [
        {"type": "tool-call", "toolCallId": f"c{n}", "toolName": "lend", "args": {"n": n}} for n in range(2)
    ]
    told = [
        {"type": "tool-result", "toolCallId": "c1", "toolName": "lend", "result": "no such book", "isError": True},
        {"type": "tool-result", "toolCallId": "c0", "toolName": "lend", "result": {"lent": True}},
    ]  # fmt: skip
    messages = [user("Two."), {"role": "assistant", "content": asked}, {"role": "tool", "content": told}]
    run = the_run(tmp_path, {"messages": messages})
    assert called(run) == [
        ("lend", {"n": 0}, {"lent": True}, False),
        ("lend", {"n": 1}, "no such book", True),
    ]
    assert run.steps[0].batch == run.steps[1].batch is not None


def test_parts_of_the_interface_hold_a_call_with_its_result(tmp_path: Path) -> None:
    invocation = {"state": "result", "toolCallId": "c1", "toolName": "lend", "args": ASKED, "result": "lent"}
    waiting = {
        "type": "dynamic-tool",
        "toolName": "ask",
        "toolCallId": "c2",
        "state": "input-available",
        "input": {},
    }
    parts = [
        {"type": "tool-invocation", "toolInvocation": invocation},
        waiting,
        {"type": "text", "text": "Done."},
    ]
    run = the_run(
        tmp_path, {"messages": [user(WORDS), {"role": "assistant", "content": "Done.", "parts": parts}]}
    )
    lent, asked, last = run.steps
    assert called(run) == [("lend", ASKED, "lent", False), ("ask", {}, None, False)]
    assert (lent.answered, asked.answered, last.raw_output) == (True, False, "Done.")
    older = {"role": "assistant", "content": "Done.", "toolInvocations": [invocation]}
    assert called(the_run(tmp_path, [user(WORDS), older])) == [("lend", ASKED, "lent", False)]
