"""Traces of OpenAI's Agents SDK: one failure for each call that failed, whatever container they lie in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errata_client.run import Run
from ingest.detectors.max_steps import DETECTOR as MAX_STEPS
from tests.ingest.making import Json, found, read, user, written, written_lines

TRACE = {
    "object": "trace",
    "id": "trace_1",
    "workflow_name": "Library desk",
    "group_id": "conv-7",
    "metadata": None,
}
LENT = {"message": "Error running tool (non-fatal)", "data": {"tool_name": "lend", "error": "book is lent"}}
ASKED = json.dumps({"book_id": "B-1001"})


def span(number: int, kind: str, parent: int | None = 1, error: Json = None, **data: Json) -> Json:
    return {
        "object": "trace.span",
        "id": f"span_{number}",
        "trace_id": "trace_1",
        "parent_id": f"span_{parent}" if parent else None,
        "started_at": f"2026-03-01T10:00:0{number}+00:00",
        "ended_at": f"2026-03-01T10:00:0{number}.5+00:00",
        "span_data": {"type": kind, **data},
        "error": error,
    }


def call(call_id: str) -> Json:
    return {"id": call_id, "type": "function", "function": {"name": "lend", "arguments": ASKED}}


DESK = [
    TRACE,
    span(1, "agent", None, name="Desk", handoffs=[], tools=["lend"], output_type="str"),
    span(2, "generation", input=[user("Lend me B-1001.")], output=[{"role": "assistant", "content": None, "tool_calls": [call("c1")]}], model="some-model", usage={"input_tokens": 3, "output_tokens": 2}),
    span(3, "function", error=LENT, name="lend", input=ASKED, output="An error occurred while running the tool."),
    span(4, "guardrail", error={"message": "Guardrail tripwire triggered", "data": {}}, name="polite", triggered=True),
    span(5, "handoff", from_agent="Desk", to_agent="Refunds"),
]  # fmt: skip


def the_run(path: Path) -> Run:
    (run,), left_out = read(path)
    assert not left_out
    return run


def called(run: Run) -> list[tuple[str, Json, str | None]]:
    return [
        (step.tool_call.tool, step.tool_call.arguments, step.error.message if step.error else None)
        for step in run.steps
        if step.tool_call
    ]


@pytest.mark.parametrize("kept", ["array", "lines", "posted", "in the trace", "out of order"])
def test_a_trace_is_a_run_wherever_its_spans_lie(tmp_path: Path, kept: str) -> None:
    path = tmp_path / "trace"
    if kept == "lines":
        written_lines(path, DESK)
    else:
        held: dict[str, Json] = {
            "array": DESK,
            "posted": {"data": DESK},
            "in the trace": {**TRACE, "spans": DESK[1:]},
            "out of order": DESK[::-1],
        }
        written(path, held[kept])
    run = the_run(path)
    assert called(run) == [("lend", {"book_id": "B-1001"}, "book is lent")]
    assert (run.run_id, run.agent.name, run.conversation_id) == ("trace_1", "Library desk", "conv-7")
    assert (run.user_intent, run.model_version, run.steps[0].input_tokens) == (
        "Lend me B-1001.",
        "some-model",
        3,
    )
    assert len(run.steps) == 1, "a guardrail that stopped a run is no step"


def test_responses_that_are_exported_whole_are_turns(tmp_path: Path) -> None:
    item = {"type": "function_call", "call_id": "c1", "name": "lend", "arguments": ASKED}
    response = {"id": "resp_1", "model": "some-model", "instructions": "Be kind.", "output": [item]}
    spans = [
        span(2, "response", None, response_id="resp_1", response=response, input=[user("Lend me B-1001.")]),
        span(3, "function", None, name="lend", input=ASKED, output="lent"),
    ]
    run = the_run(written(tmp_path / "trace", spans))
    assert called(run) == [("lend", {"book_id": "B-1001"}, None)]
    assert (run.user_intent, run.prompt) == ("Lend me B-1001.", "Be kind.")


def test_turns_that_ran_out_end_the_run_at_its_bound(tmp_path: Path) -> None:
    spent = {"message": "Max turns exceeded", "data": {"max_turns": 2}}
    spans = [
        span(1, "agent", None, spent, name="Desk"),
        span(2, "function", name="lend", input=ASKED, output="lent"),
    ]
    (run,), _ = read(written(tmp_path / "trace", spans))
    assert (run.outcome.status, run.max_steps) == ("failure", 2)
    assert [finding.code for finding in found(MAX_STEPS, run)] == ["loop.max_steps"]


def test_a_trace_without_spans_is_said(tmp_path: Path) -> None:
    runs, left_out = read(written(tmp_path / "trace", [*DESK, {**TRACE, "id": "trace_2"}]))
    assert len(runs) == 1
    assert [(item.position, item.reason) for item in left_out] == [
        ("trace trace_2", "no span of it is in the file")
    ]


def test_where_nobodys_words_were_exported_no_value_is_called_invented(tmp_path: Path) -> None:
    spans = [
        span(2, "response", None, response_id="resp_1"),
        span(3, "function", None, name="lend", input=ASKED),
    ]
    assert not the_run(written(tmp_path / "trace", spans)).complete
    assert the_run(written(tmp_path / "desk", DESK)).complete
