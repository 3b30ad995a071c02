"""Traces in every container, encoding and spelling: the same run comes out of all of them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.masking import Masker
from ingest.service import ingest_file
from knowledge.errors import BadInputError
from knowledge.store import Store
from tests.ingest.making import KEY, a_shift, read
from tests.ingest.spans import (
    LENT,
    START,
    TRACE,
    a_trace,
    agent,
    attributes,
    exception,
    protobuf,
    request,
    span,
    tool,
    with_base64_ids,
)

Json = Any


def dumped(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def pretty(*values: Json) -> bytes:
    return "\n".join(json.dumps(value, indent=2) for value in values).encode()


def lines(*values: Json) -> bytes:
    return b"".join(dumped(value) + b"\n" for value in values)


def snake(value: Json) -> Json:
    """With the names of the fields as protobuf spells them."""
    if isinstance(value, list):
        return [snake(item) for item in value]
    if not isinstance(value, dict):
        return value
    spelled = ("".join("_" + c.lower() if c.isupper() else c for c in key) for key in value)
    return {key: snake(below) for key, below in zip(spelled, value.values(), strict=True)}


def as_numbers(value: Json) -> Json:
    """With times as numbers, and states by name."""
    if isinstance(value, list):
        return [as_numbers(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: int(below)
        if key.endswith("UnixNano")
        else {"code": "STATUS_CODE_UNSET"}
        if key == "status"
        else "SPAN_KIND_INTERNAL"
        if key == "kind"
        else as_numbers(below)
        for key, below in value.items()
    }


def jaeger(spans: list[Json]) -> Json:
    """The spans as Jaeger's query service answers them."""

    def tag(pair: Json) -> Json:
        (kind, value), *_ = pair["value"].items()
        told = {"stringValue": "string", "intValue": "int64", "boolValue": "bool"}[kind]
        return {"key": pair["key"], "type": told, "value": int(value) if told == "int64" else value}

    made = [
        {
            "traceID": one["traceId"],
            "spanID": one["spanId"].lstrip("0"),
            "operationName": one["name"],
            "references": [
                {"refType": "CHILD_OF", "traceID": one["traceId"], "spanID": one["parentSpanId"]}
                for _ in range("parentSpanId" in one)
            ],
            "startTime": int(one["startTimeUnixNano"]) // 1000,
            "duration": 500_000,
            "tags": [tag(pair) for pair in one["attributes"]],
            "logs": [],
            "processID": "p1",
            "warnings": None,
        }
        for one in spans
    ]
    processes = {"p1": {"serviceName": "library-desk", "tags": []}}
    return {"data": [{"traceID": TRACE, "spans": made, "processes": processes}], "total": 0, "errors": None}


def console(one: Json) -> Json:
    """A span as the SDK's console exporter prints it."""
    held = {pair["key"]: next(iter(pair["value"].items())) for pair in one["attributes"]}
    values = {key: int(value) if kind == "intValue" else value for key, (kind, value) in held.items()}
    parent = one.get("parentSpanId")
    second = int(one["spanId"], 16)
    return {
        "name": one["name"],
        "context": {"trace_id": f"0x{one['traceId']}", "span_id": f"0x{one['spanId']}", "trace_state": "[]"},
        "kind": "SpanKind.INTERNAL",
        "parent_id": f"0x{parent}" if parent else None,
        "start_time": f"2026-02-25T06:13:{20 + second:02}.000000Z",
        "end_time": f"2026-02-25T06:13:{20 + second:02}.500000Z",
        "status": {"status_code": "UNSET"},
        "attributes": values,
        "events": [],
        "links": [],
        "resource": {"attributes": {"service.name": "library-desk"}, "schema_url": ""},
    }


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def in_pieces(size: Callable[[int], bytes]) -> bytes:
    """Each span in a message of its own, behind its length."""
    return b"".join(size(len(data)) + data for data in (protobuf(request(one)) for one in a_trace()))


SPANS = a_trace()
SHAPES: dict[str, bytes] = {
    "one request": dumped(request(*SPANS)),
    "one request, pretty": pretty(request(*SPANS)),
    "an array of requests": dumped([request(one) for one in SPANS]),
    "lines of requests": lines(*(request(one) for one in SPANS)),
    "one request a line, one line": lines(request(*SPANS)),
    "pretty requests one after the other": pretty(*(request(one) for one in reversed(SPANS))),
    "spans out of order": dumped(request(*reversed(SPANS))),
    "snake case": dumped(snake(request(*SPANS))),
    "times as numbers, states by name": dumped(as_numbers(request(*SPANS))),
    "base64 ids": dumped(with_base64_ids(request(*SPANS))),
    "ids in capitals": dumped(request(*SPANS)).replace(TRACE.encode(), TRACE.upper().encode()),
    "Tempo's batches": dumped({"batches": with_base64_ids(request(*SPANS))["resourceSpans"]}),
    "Tempo's trace": dumped({"trace": request(*SPANS), "metrics": {}}),
    "old library spans": dumped(request(*SPANS)).replace(b"scopeSpans", b"instrumentationLibrarySpans"),
    "a bare list of spans": dumped(SPANS),
    "lines of bare spans": lines(*SPANS),
    "a list of spans in an object": dumped({"spans": SPANS}),
    "the SDK's console": pretty(*map(console, SPANS)),
    "Jaeger": dumped(jaeger(SPANS)),
    "one of Jaeger's traces": pretty(jaeger(SPANS)["data"][0]),
    "gzip": gzip.compress(dumped(request(*SPANS))),
    "UTF-16": json.dumps(request(*SPANS)).encode("utf-16"),
    "protobuf": protobuf(request(*SPANS)),
    "protobuf requests one after the other": b"".join(protobuf(request(one)) for one in SPANS),
    "protobuf, gzip": gzip.compress(protobuf(request(*SPANS))),
    "protobuf behind varints": in_pieces(varint),
    "protobuf behind four bytes": in_pieces(lambda size: size.to_bytes(4, "big")),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_run_comes_out_of_every_shape(tmp_path: Path, shape: str) -> None:
    (tmp_path / "wanted").write_bytes(SHAPES["one request"])
    (tmp_path / "file").write_bytes(SHAPES[shape])
    (wanted,), _ = read(tmp_path / "wanted")
    (run,), left_out = read(tmp_path / "file")
    assert run == wanted
    assert not left_out


def test_the_run_of_a_trace_is_what_happened_in_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(SHAPES["one request"])
    (run,), _ = read(tmp_path / "file")
    first, last = run.steps
    assert (run.run_id, run.agent.name, run.agent.version) == (TRACE, "desk", "1.4")
    assert run.model_version == "some-model"
    assert run.user_intent == "Please lend me B-1001."
    assert run.prompt == "You are the desk of a library."
    assert first.user_input == "Please lend me B-1001."
    assert first.thought == "I lend it."
    assert first.tool_call is not None
    assert (first.tool_call.tool, first.tool_call.arguments) == ("lend", {"book_id": "B-1001"})
    assert first.error is not None
    assert first.error.message == LENT
    assert (first.input_tokens, first.output_tokens) == (32, 5)
    assert first.started_at is not None
    assert first.started_at.timestamp() * 10**9 == START + 3 * 10**9
    assert last.raw_output == "It is lent."


def test_a_span_alone_is_a_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(pretty(tool(1, LENT, parent=None)))
    (run,), left_out = read(tmp_path / "file")
    assert [step.error.message for step in run.steps if step.error] == [LENT]
    assert not left_out


def test_attributes_of_every_type_are_read(tmp_path: Path) -> None:
    given = {
        "text": "三",
        "whole": 2**53 + 1,
        "share": 0.5,
        "yes": True,
        "list": [1, "b"],
        "deep": {"a": ["x"]},
    }
    one = tool(1, "lent", parent=None)
    one["attributes"] = [
        *attributes({"gen_ai.tool.name": "lend", "gen_ai.tool.call.arguments": given}),
        {"key": "raw", "value": {"bytesValue": "AQI="}},
        {"key": "none", "value": {}},
    ]
    (tmp_path / "json").write_bytes(dumped(request(one)))
    (tmp_path / "proto").write_bytes(protobuf(request(one)))
    for name in ("json", "proto"):
        (run,), _ = read(tmp_path / name)
        assert run.steps[0].tool_call is not None
        assert run.steps[0].tool_call.arguments == given


def test_what_is_no_span_is_reported_at_its_place_and_the_rest_goes_on(tmp_path: Path) -> None:
    broken = [tool(1, LENT, parent=None), {**tool(2), "traceId": ""}, 7, {"order": 1}]
    (tmp_path / "file").write_bytes(dumped(request(*broken)))
    runs, left_out = read(tmp_path / "file")
    assert len(runs) == 1
    assert [(item.position, item.reason) for item in left_out] == [
        ("line 1, span 2", "a span without a trace id"),
        ("line 1, span 3", "a span is an object, this is a number"),
        ("line 1, span 4", "no span: an object with the keys order"),
    ]


def test_protobuf_that_ends_early_gives_what_was_before_the_cut(tmp_path: Path) -> None:
    data = SHAPES["protobuf requests one after the other"]
    (tmp_path / "file").write_bytes(data[:-20])
    (run,), left_out = read(tmp_path / "file")
    assert run.steps[0].error is not None
    assert [item.position for item in left_out] == ["after message 3"]


def test_a_request_that_is_too_long_to_be_read_whole_is_taken_apart(tmp_path: Path) -> None:
    parts = [request(one)["resourceSpans"][0] for one in SPANS]
    (tmp_path / "file").write_bytes(dumped({"resourceSpans": parts}))
    (run,), left_out = read(tmp_path / "file", limit=2_000)
    assert run.run_id == TRACE
    assert not left_out


def test_traces_of_no_agent_are_an_error_that_says_so(tmp_path: Path, store: Store) -> None:
    (tmp_path / "file").write_bytes(dumped(request(span(1, "GET /books", {"http.request.method": "GET"}))))
    with pytest.raises(BadInputError, match="no span of it is of a model, a tool or an agent"):
        ingest_file(tmp_path / "file", "auto", a_shift(store), Masker(KEY))


def test_traces_of_no_agent_among_others_are_counted(tmp_path: Path) -> None:
    others = [span(n, "GET /books", trace=f"{n:032x}") for n in range(1, 4)]
    (tmp_path / "file").write_bytes(lines(*map(request, [*others, *SPANS])))
    runs, left_out = read(tmp_path / "file")
    assert len(runs) == 1
    assert [item.position for item in left_out] == [f"trace {1:032x} (and 2 more traces)"]


@pytest.mark.parametrize(
    ("shape", "why"),
    [
        (
            "one request",
            "its records are OTLP requests (resourceSpans), with attributes of OpenTelemetry GenAI",
        ),
        (
            "Tempo's batches",
            "its records are OTLP requests (batches), with attributes of OpenTelemetry GenAI",
        ),
        ("protobuf", "it is OTLP protobuf, with attributes of OpenTelemetry GenAI"),
    ],
)
def test_auto_says_what_it_recognised_and_by_what(tmp_path: Path, store: Store, shape: str, why: str) -> None:
    (tmp_path / "file").write_bytes(SHAPES[shape])
    report = ingest_file(tmp_path / "file", "auto", a_shift(store), Masker(KEY))
    assert (report.source, report.why) == ("otlp", why)
    assert report.by_error_code == {"tool.error": 1}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"resourceLogs": []}, "resourceLogs"),
        ({"resourceSpans": []}, "no run could be read as otlp"),
        ([{"traceId": TRACE, "spanId": "", "name": "x"}], "a span without a span id"),
    ],
)
def test_a_file_without_a_span_is_an_error_that_says_what_it_is(
    tmp_path: Path, store: Store, content: Json, told: str
) -> None:
    (tmp_path / "file").write_bytes(dumped(content))
    with pytest.raises(BadInputError, match=told):
        ingest_file(tmp_path / "file", "auto", a_shift(store), Masker(KEY))


def test_several_agents_side_by_side_are_a_run_each(tmp_path: Path) -> None:
    spans = [
        span(1, "evaluation"),
        agent(2, parent=1),
        tool(3, LENT, parent=2),
        agent(4, parent=1),
        tool(5, "lent", parent=4, call="c2"),
    ]
    (tmp_path / "file").write_bytes(dumped(request(*spans)))
    runs, _ = read(tmp_path / "file")
    assert [run.run_id for run in runs] == [f"{TRACE}:{2:016x}", f"{TRACE}:{4:016x}"]
    assert [len(run.steps) for run in runs] == [1, 1]


def test_agents_of_one_conversation_are_one_run_and_of_two_are_two(tmp_path: Path) -> None:
    def turn(number: int, conversation: str) -> list[Json]:
        one = agent(number)
        one["attributes"] += attributes({"gen_ai.conversation.id": conversation})
        return [one, tool(number + 1, LENT, parent=number, call=f"c{number}")]

    (tmp_path / "one").write_bytes(dumped(request(*turn(2, "talk-1"), *turn(4, "talk-1"))))
    (tmp_path / "two").write_bytes(dumped(request(*turn(2, "talk-1"), *turn(4, "talk-2"))))
    (run,), _ = read(tmp_path / "one")
    runs, _ = read(tmp_path / "two")
    assert (run.run_id, run.conversation_id, len(run.steps)) == (TRACE, "talk-1", 2)
    assert [run.conversation_id for run in runs] == ["talk-1", "talk-2"]


def test_an_agent_that_another_calls_belongs_to_its_run(tmp_path: Path) -> None:
    spans = [agent(1), agent(2, name="finder", parent=1), tool(3, LENT, parent=2), tool(4, "lent", call="c2")]
    (tmp_path / "file").write_bytes(dumped(request(*spans)))
    (run,), _ = read(tmp_path / "file")
    assert (run.agent.name, len(run.steps)) == ("desk", 2)


def test_spans_in_a_circle_and_without_their_parents_are_read(tmp_path: Path) -> None:
    one, two = tool(1, LENT, parent=2), tool(2, "lent", parent=1, call="c2")
    lost = tool(3, "lent", parent=77, call="c3")
    (tmp_path / "file").write_bytes(dumped(request(one, two, lost)))
    (run,), _ = read(tmp_path / "file")
    assert len(run.steps) >= 2


def test_a_span_that_was_sent_twice_counts_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(lines(request(*SPANS), request(*SPANS)))
    (run,), _ = read(tmp_path / "file")
    assert len(run.steps) == 2


def test_errata_s_own_attributes_name_run_task_revision_and_arm(tmp_path: Path) -> None:
    root = agent(1)
    own = {
        "errata.run_id": "r-7",
        "errata.task_id": "t-7",
        "errata.active_revision": 3,
        "errata.arm": "treated",
    }
    root["attributes"] += attributes(own)
    (tmp_path / "file").write_bytes(dumped(request(root, tool(2, LENT))))
    (run,), _ = read(tmp_path / "file")
    assert (run.run_id, run.task_id, run.active_revision, run.arm) == ("r-7", "t-7", 3, "treated")


def test_a_failed_model_makes_the_run_a_failure_and_is_reported(tmp_path: Path) -> None:
    failed = span(
        2,
        "chat some-model",
        {"gen_ai.operation.name": "chat", "error.type": "RateLimitError"},
        1,
        status={"code": 2, "message": "429: slow down"},
        events=[exception("openai.RateLimitError", "429: slow down")],
    )
    root = agent(1, status={"code": 2, "message": "429: slow down"})
    (tmp_path / "file").write_bytes(dumped(request(root, failed)))
    (run,), left_out = read(tmp_path / "file")
    assert (run.outcome.status, run.outcome.reason) == ("failure", "429: slow down")
    assert "RateLimitError: 429" in left_out[0].reason
