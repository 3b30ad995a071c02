"""Langfuse's traces, observations, events and scores, in every form in which they are exported."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from errata_client.run import Run
from tests.ingest.making import read, written, written_lines
from tests.ingest.tracing import lf_trace, observation

CALL = {"name": "lend", "args": {"book_id": "B-77"}, "id": "c1", "type": "tool_call"}
SCHEMA = {"type": "function", "function": {"name": "lend", "parameters": {"type": "object"}}}
PROMPT = [
    {"role": "system", "content": "You are the desk."},
    {"role": "user", "content": "Lend me B-77."},
    {"role": "tool", "content": SCHEMA},
]


def a_trace(**more: Any) -> dict[str, Any]:
    """An agent that asks for a call which raises; inputs are JSON in strings, children stand before parents."""
    failed = {"level": "ERROR", "statusMessage": "book is lent"}
    return lf_trace(
        observation(
            3, "TOOL", "lend", input='{"book_id": "B-77"}', metadata={"langgraph_node": "tools"}, **failed
        ),
        observation(
            2,
            "GENERATION",
            "ChatModel",
            model="some-model",
            usageDetails={"input": 21, "output": 4, "total": 25},
            input=json.dumps(PROMPT),
            output=json.dumps({"role": "assistant", "content": "One moment.", "tool_calls": [CALL]}),
        ),
        observation(1, "AGENT", "library_desk", **failed),
        release="v3",
        **more,
    )


def called(run: Run) -> list[tuple[str, dict[str, Any], str | None]]:
    return [
        (step.tool_call.tool, step.tool_call.arguments, step.error.message if step.error else None)
        for step in run.steps
        if step.tool_call
    ]


EXPECTED = [("lend", {"book_id": "B-77"}, "book is lent")]


def the_run(tmp_path: Path, records: Any) -> Run:
    (run,), left_out = read(written(tmp_path / "traces.json", records), "langfuse")
    assert not left_out
    return run


def test_a_trace_is_read_with_all_that_it_says_of_itself(tmp_path: Path) -> None:
    score = {"id": "s1", "traceId": "trace-1", "name": "user-feedback", "value": 0, "dataType": "NUMERIC"}
    run = the_run(tmp_path, a_trace(scores=[score]))
    assert called(run) == EXPECTED
    (step,) = run.steps
    assert (step.step_id, step.thought, step.user_input) == ("tools", "One moment.", "Lend me B-77.")
    assert (step.input_tokens, step.output_tokens) == (21, 4)
    assert (run.run_id, run.agent.name, run.agent.version) == ("trace-1", "library_desk", "v3")
    assert (run.conversation_id, run.model_version, run.prompt) == (
        "session-1",
        "some-model",
        "You are the desk.",
    )
    assert [tool.name for tool in run.tools] == ["lend"]
    assert (run.outcome.status, run.outcome.reward) == ("failure", 0.0)


def snake(value: dict[str, Any]) -> dict[str, Any]:
    return {re.sub(r"(?<=[a-z])([A-Z])", r"_\1", key).lower(): below for key, below in value.items()}


def events() -> list[dict[str, Any]]:
    """The trace as it was sent: creates first, then updates, of which one does not say its trace."""
    trace = a_trace()
    bodies = trace.pop("observations")
    late = ("output", "level", "statusMessage", "endTime")
    creates = [{key: value for key, value in body.items() if key not in (*late, "type")} for body in bodies]
    updates = [{"id": body["id"], **{key: body[key] for key in late}} for body in bodies]
    kinds = [body["type"].lower() for body in bodies]
    sent = [("trace-create", trace)]
    sent += [(f"{kind}-create", body) for kind, body in zip(kinds, creates, strict=True)]
    sent += [(f"{kind}-update", body) for kind, body in zip(kinds, updates, strict=True)]
    return [
        {"id": f"e{number}", "type": kind, "timestamp": "2026-03-01T10:00:09Z", "body": body}
        for number, (kind, body) in enumerate(sent)
    ]


def containers() -> dict[str, Any]:
    trace = a_trace()
    alone = {key: value for key, value in trace.items() if key not in {"observations", "scores"}}
    enriched = [
        snake({**item, "sessionId": "session-1", "traceName": "desk", "release": "v3"})
        for item in trace["observations"]
    ]
    for item in enriched:
        item["start_time"] = item["start_time"].replace("T", " ").replace("Z", "000")
    return {
        "one trace": trace,
        "list of traces": [trace],
        "page of traces": {"data": [trace], "meta": {"page": 1}},
        "page of observations": {"data": trace["observations"], "meta": {"cursor": None}},
        "download": {"trace": alone, "observations": trace["observations"]},
        "observations": trace["observations"],
        "blob storage": enriched,
        "batch": {"batch": events(), "metadata": {}},
        "events": events(),
        "apart": [snake(alone), *(snake(item) for item in trace["observations"])],
    }


@pytest.mark.parametrize("name", containers())
def test_every_form_holds_the_same_run(tmp_path: Path, name: str) -> None:
    held = containers()[name]
    for path in (
        written(tmp_path / "file.json", held),
        written_lines(tmp_path / "file.jsonl", held if isinstance(held, list) else [held]),
    ):
        runs, left_out = read(path)
        assert not left_out
        assert [(run.run_id, called(run)) for run in runs] == [("trace-1", EXPECTED)]
        assert runs[0].steps[0].started_at is not None
        assert runs[0].steps[0].started_at.isoformat() == "2026-03-01T10:00:03+00:00"


def test_observations_of_several_traces_may_be_mixed(tmp_path: Path) -> None:
    first = a_trace()["observations"]
    second = [
        {**item, "traceId": "trace-2", "id": f"x{item['id']}", "parentObservationId": None} for item in first
    ]
    mixed = [item for pair in zip(first, second, strict=True) for item in pair]
    runs, left_out = read(written_lines(tmp_path / "observations.jsonl", mixed))
    assert not left_out
    assert [(run.run_id, called(run)) for run in runs] == [("trace-1", EXPECTED), ("trace-2", EXPECTED)]


def test_a_call_typed_as_a_plain_span_is_a_call(tmp_path: Path) -> None:
    trace = a_trace()
    trace["observations"][0]["type"] = "SPAN"
    trace["observations"].append(observation(4, "SPAN", "format", output="Error: none"))
    assert called(the_run(tmp_path, trace)) == EXPECTED


def test_a_span_that_names_a_tool_in_its_metadata_is_a_call(tmp_path: Path) -> None:
    named = observation(
        1,
        "SPAN",
        "execute_tool lend",
        input={"book_id": "B-77"},
        output="lent",
        metadata={"attributes": {"gen_ai.tool.name": "lend"}},
    )
    assert called(the_run(tmp_path, lf_trace(named))) == [("lend", {"book_id": "B-77"}, None)]


@pytest.mark.parametrize(
    ("level", "message", "output", "failed"),
    [
        ("ERROR", "book is lent", None, True),
        ("ERROR", None, None, True),
        ("WARNING", "slow answer", "lent", False),
        ("DEFAULT", None, "Error: book is lent", True),
        ("DEFAULT", None, '{"error": "book is lent"}', True),
        ("DEFAULT", None, '{"errors": []}', False),
        ("DEFAULT", None, "an error in the title", False),
        ("ERROR", "GraphInterrupt((Interrupt(value='sure?'),))", None, False),
        ("ERROR", "KeyboardInterrupt", None, False),
    ],
)
def test_levels_and_answers_say_what_failed(
    tmp_path: Path, level: str, message: str | None, output: str | None, failed: bool
) -> None:
    told = observation(
        1, "TOOL", "lend", input={"book_id": "B-77"}, level=level, statusMessage=message, output=output
    )
    run = the_run(tmp_path, lf_trace(told))
    assert (run.steps[0].error is not None) is failed


def test_calls_that_an_export_lists_beside_the_output_are_read(tmp_path: Path) -> None:
    row = observation(
        1,
        "GENERATION",
        "ChatModel",
        output="",
        toolCalls=[json.dumps({"id": "c1", "name": "lend", "arguments": '{"book_id": "B-77"}'})],
        toolDefinitions={"lend": json.dumps({"description": "Lends.", "parameters": {"type": "object"}})},
    )
    run = the_run(tmp_path, [snake(row)])
    assert called(run) == [("lend", {"book_id": "B-77"}, None)]
    assert not run.steps[0].answered
    assert [(tool.name, tool.description) for tool in run.tools] == [("lend", "Lends.")]


def test_a_trace_without_observations_is_read_by_its_own_words(tmp_path: Path) -> None:
    bare = {
        "id": "t",
        "timestamp": "2026-03-01T10:00:00Z",
        "name": "desk",
        "userId": "mia",
        "input": '{"question": "Open?"}',
        "output": "Yes.",
    }
    run = the_run(tmp_path, [bare])
    assert (run.user_intent, run.steps[-1].raw_output) == ("Open?", "Yes.")


@pytest.mark.parametrize(
    ("scores", "status"),
    [
        ([("correctness", 1, "NUMERIC", None)], "success"),
        ([("task_success", 0, "BOOLEAN", "False")], "failure"),
        ([("outcome", 2, "CATEGORICAL", "incorrect")], "failure"),
        ([("hallucination", 0, "NUMERIC", None)], "unknown"),
        ([("toxicity", 1, "NUMERIC", None), ("resolved", 1, "BOOLEAN", "True")], "success"),
    ],
)
def test_scores_are_the_outcome_where_their_names_say_so(
    tmp_path: Path, scores: list[Any], status: str
) -> None:
    listed = [
        {
            "id": f"s{number}",
            "traceId": "trace-1",
            "name": name,
            "value": value,
            "dataType": kind,
            "stringValue": said,
        }
        for number, (name, value, kind, said) in enumerate(scores)
    ]
    quiet = observation(1, "TOOL", "lend", input={}, output="lent")
    assert the_run(tmp_path, lf_trace(quiet, scores=listed)).outcome.status == status


def test_scores_of_a_trace_that_is_not_there_are_told(tmp_path: Path) -> None:
    score = {"id": "s1", "traceId": "trace-9", "name": "correctness", "value": 0, "dataType": "NUMERIC"}
    runs, left_out = read(written(tmp_path / "file.json", [a_trace(), score]))
    assert len(runs) == 1
    assert [item.position for item in left_out] == ["trace trace-9"]


@pytest.mark.parametrize(
    "metadata",
    [
        {"attributes": {"openinference.span.kind": "TOOL"}},
        {"attributes": {"gen_ai.operation.name": "execute_tool"}},
        {"attributes.traceloop.span.kind": "tool"},
    ],
)
def test_a_span_that_its_attributes_call_a_tool_is_one(tmp_path: Path, metadata: Any) -> None:
    lent = observation(
        2, "SPAN", "lend", input='{"a": 1}', level="ERROR", statusMessage="lent", metadata=metadata
    )
    (run,), left_out = read(written(tmp_path / "trace.json", lf_trace(lent)))
    assert not left_out
    (step,) = [step for step in run.steps if step.tool_call]
    assert step.error is not None
    assert step.error.message == "lent"
