"""Traces for the tests, in their wire forms, all invented here."""

from __future__ import annotations

import base64
import json
from typing import Any

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

Json = Any
TRACE = "5b8efff798038103d269b633813fc60c"
START = 1_772_000_000_000_000_000
SECOND = 10**9
ERROR = {"code": 2, "message": ""}


def any_value(value: Json) -> Json:
    """A value as OTLP's JSON writes it."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(item) for item in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": attributes(value)}}
    return {"stringValue": value}


def attributes(values: dict[str, Json]) -> list[Json]:
    return [{"key": key, "value": any_value(value)} for key, value in values.items()]


def event(name: str, values: dict[str, Json], second: int = 0) -> Json:
    return {"name": name, "timeUnixNano": str(START + second * SECOND), "attributes": attributes(values)}


def exception(kind: str, message: str) -> Json:
    return event("exception", {"exception.type": kind, "exception.message": message})


def span(
    number: int,
    name: str,
    values: dict[str, Json] | None = None,
    parent: int | None = None,
    trace: str = TRACE,
    **more: Json,
) -> Json:
    """A span with the id `number`, that begins in that second and lasts half of one."""
    made = {
        "traceId": trace,
        "spanId": f"{number:016x}",
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(START + number * SECOND),
        "endTimeUnixNano": str(START + number * SECOND + SECOND // 2),
        "attributes": attributes(values or {}),
        "status": {},
    }
    if parent is not None:
        made["parentSpanId"] = f"{parent:016x}"
    return made | more


def request(*spans: Json, resource: dict[str, Json] | None = None) -> Json:
    """An ExportTraceServiceRequest as JSON."""
    about = {"attributes": attributes(resource or {"service.name": "library-desk"})}
    return {
        "resourceSpans": [
            {"resource": about, "scopeSpans": [{"scope": {"name": "tests"}, "spans": list(spans)}]}
        ]
    }


def with_base64_ids(value: Json) -> Json:
    """The same with ids as protobuf's own JSON writes them, and Tempo."""
    if isinstance(value, list):
        return [with_base64_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64encode(bytes.fromhex(below)).decode()
        if key in {"traceId", "spanId", "parentSpanId"}
        else with_base64_ids(below)
        for key, below in value.items()
    }


def protobuf(value: Json) -> bytes:
    """The request as an exporter sends it."""
    return json_format.Parse(
        json.dumps(with_base64_ids(value)), ExportTraceServiceRequest()
    ).SerializeToString()


def model(number: int, sent: list[Json], came: list[Json], parent: int | None = 1, **values: Json) -> Json:
    """A model's span by the current conventions of GenAI."""
    return span(
        number,
        "chat some-model",
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "some-model",
            "gen_ai.input.messages": json.dumps(sent, ensure_ascii=False),
            "gen_ai.output.messages": json.dumps(came, ensure_ascii=False),
            "gen_ai.usage.input_tokens": 30 + number,
            "gen_ai.usage.output_tokens": 5,
            **values,
        },
        parent,
    )


def agent(number: int = 1, name: str = "desk", parent: int | None = None, **more: Json) -> Json:
    values = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": name,
        "gen_ai.agent.version": "1.4",
    }
    return span(number, f"invoke_agent {name}", values, parent, **more)


def tool(number: int, result: Json = None, parent: int | None = 1, call: str = "c1", **more: Json) -> Json:
    """A tool's span by the current conventions of GenAI: it lends a book."""
    values: dict[str, Json] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "lend",
        "gen_ai.tool.call.id": call,
        "gen_ai.tool.call.arguments": '{"book_id": "B-1001"}',
    }
    if result is not None:
        values["gen_ai.tool.call.result"] = result
    return span(number, "execute_tool lend", values, parent, **more)


ASKED = {"role": "user", "parts": [{"type": "text", "content": "Please lend me B-1001."}]}
SYSTEM = {"role": "system", "parts": [{"type": "text", "content": "You are the desk of a library."}]}
CALL = {
    "role": "assistant",
    "parts": [
        {"type": "text", "content": "I lend it."},
        {"type": "tool_call", "id": "c1", "name": "lend", "arguments": {"book_id": "B-1001"}},
    ],
    "finish_reason": "tool_call",
}
LENT = "Error: book B-1001 is lent"
ANSWER = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": LENT}]}
SORRY = {"role": "assistant", "parts": [{"type": "text", "content": "It is lent."}], "finish_reason": "stop"}


def a_trace() -> list[Json]:
    """An agent that lends a book that is lent: two calls of a model and one of a tool, which says so in its result."""
    return [
        agent(),
        model(2, [SYSTEM, ASKED], [CALL]),
        tool(3, LENT),
        model(4, [SYSTEM, ASKED, CALL, ANSWER], [SORRY]),
    ]
