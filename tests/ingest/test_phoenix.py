"""Spans as Phoenix exports them: from its API, as rows and as columns of a dataframe, with attributes flat or nested."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ingest.making import Json, read, written, written_lines

TRACE = "d" * 32
ASKED = json.dumps({"book_id": "B-1001"})
SENT = [{"message.role": "user", "message.content": "Lend me B-1001."}]
CAME = [
    {
        "message.role": "assistant",
        "message.tool_calls": [
            {"tool_call.id": "c1", "tool_call.function.name": "lend", "tool_call.function.arguments": ASKED}
        ],
    }
]
NESTED_CAME = [{"message": {"role": "assistant", "tool_calls": [{"tool_call": {"id": "c1", "function": {"name": "lend", "arguments": ASKED}}}]}}]  # fmt: skip
RAISED = [{"name": "exception", "timestamp": "2026-03-01T10:00:02+00:00", "attributes": {"exception.type": "ValueError", "exception.message": "book is lent"}}]  # fmt: skip


def span(number: int, name: str, kind: str, flat: Json, nested: Json, **more: Json) -> Json:
    return {
        "name": name,
        "span_kind": kind,
        "parent_id": f"{1:016x}" if number > 1 else None,
        "start_time": f"2026-03-01T10:00:0{number}+00:00",
        "end_time": f"2026-03-01T10:00:0{number}.5+00:00",
        "status_code": "OK",
        "status_message": "",
        "events": [],
        "span": f"{number:016x}",
        "flat": flat,
        "nested": nested,
        **more,
    }


SPANS = [
    span(1, "desk", "AGENT", {}, {}),
    span(
        2,
        "ChatCompletion",
        "LLM",
        {"llm.model_name": "some-model", "llm.input_messages": SENT, "llm.output_messages": CAME},
        {
            "llm": {
                "model_name": "some-model",
                "input_messages": [{"message": {"role": "user", "content": "Lend me B-1001."}}],
                "output_messages": NESTED_CAME,
            }
        },
    ),
    span(
        3,
        "lend",
        "TOOL",
        {"tool.name": "lend", "input.value": ASKED},
        {"tool": {"name": "lend"}, "input": {"value": ASKED, "mime_type": "application/json"}},
        status_code="ERROR",
        status_message="ValueError: book is lent",
        events=RAISED,
    ),
]


def from_api(kept: str) -> list[Json]:
    out = []
    for held in SPANS:
        plain = {key: value for key, value in held.items() if key not in {"span", "flat", "nested"}}
        out.append(
            {**plain, "context": {"trace_id": TRACE, "span_id": held["span"]}, "attributes": held[kept]}
        )
    return out


def rows() -> list[Json]:
    out = []
    for held in SPANS:
        plain = {key: value for key, value in held.items() if key not in {"span", "flat", "nested"}}
        given = {f"attributes.{key}": value for key, value in held["flat"].items()}
        kind = {"attributes.openinference.span.kind": held["span_kind"]}
        out.append({**plain, "context.span_id": held["span"], "context.trace_id": TRACE, **kind, **given})
    return out


def columns() -> Json:
    names = dict.fromkeys(name for row in rows() for name in row)
    return {name: {str(index): row.get(name) for index, row in enumerate(rows())} for name in names}


@pytest.mark.parametrize("kept", ["api", "list", "nested", "rows", "lines", "columns"])
def test_the_same_run_comes_out_of_each_export(tmp_path: Path, kept: str) -> None:
    path = tmp_path / "spans"
    if kept == "lines":
        written_lines(path, rows())
    else:
        held = {"api": {"data": from_api("flat"), "next_cursor": None}, "list": from_api("flat"), "nested": from_api("nested"), "rows": rows(), "columns": columns()}  # fmt: skip
        written(path, held[kept])
    (run,), left_out = read(path)
    assert not left_out
    (step,) = run.steps
    assert step.tool_call is not None
    assert (step.tool_call.tool, step.tool_call.arguments, step.tool_call.call_id) == (
        "lend",
        {"book_id": "B-1001"},
        "c1",
    )
    assert step.error is not None
    assert step.error.message == "ValueError: book is lent"
    assert (run.run_id, run.user_intent, run.model_version) == (TRACE, "Lend me B-1001.", "some-model")
