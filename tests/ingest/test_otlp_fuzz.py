"""Whatever a trace holds, reading it never raises and never runs away; what is no span is told."""

from __future__ import annotations

import copy
import json
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata_client.replay import replay
from errata_client.run import Run
from ingest.adapters.otlp.assembly import runs_of
from ingest.adapters.otlp.json_wire import shape_of, spans_in
from ingest.adapters.otlp.proto_wire import request_spans
from ingest.adapters.otlp.span import Span, SpanError, packed, unpacked
from ingest.adapters.otlp.traces import trace_of
from ingest.adapters.port import NotAnalysed
from ingest.adapters.records import open_source
from ingest.adapters.registry import adapter_named
from ingest.live.masked_spans import masked_span
from ingest.masking import Masker
from knowledge.errors import BadInputError
from tests.ingest.making import KEY
from tests.ingest.spans import a_trace, agent, attributes, model, protobuf, request, tool
from tests.ingest.test_otlp_conventions import CONVENTIONS

Json = Any
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(
        ["\x00", "\ud800", "1e999", "NaN", "{", "[", '{"a": ', "STATUS_CODE_ERROR", "0x", "==", "思考"]
    )
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
TRACES = list(CONVENTIONS.values())


def places(value: Json, way: tuple[Json, ...] = ()) -> list[tuple[Json, ...]]:
    """Every place in a JSON value."""
    found = [way] if way else []
    if isinstance(value, dict):
        return found + [place for key, below in value.items() for place in places(below, (*way, key))]
    if isinstance(value, list):
        return found + [place for key, below in enumerate(value) for place in places(below, (*way, key))]
    return found


def put(value: Json, place: tuple[Json, ...], other: Json) -> None:
    *way, last = place
    for part in way:
        value = value[part]
    value[last] = other


def read_all(data: bytes) -> list[Run | NotAnalysed]:
    """All that the adapter gives for a file; nothing where it holds nothing at all."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        try:
            opening = open_source(path)
        except BadInputError:
            return []
        adapter = adapter_named("otlp")
        adapter.recognises(opening)
        return list(adapter.read(opening))


def use(spans: list[Span]) -> None:
    """What becomes of spans afterwards, too: runs and their views, and spans masked and kept."""
    for item in runs_of(trace_of("t", spans)):
        if isinstance(item, Run):
            list(replay(item))
            item.model_dump_json()
    for span in spans:
        kept = json.loads(json.dumps(masked_span(span, Masker(KEY))))
        assert unpacked(kept).span_id == span.span_id


@given(st.sampled_from(TRACES), st.data())
@settings(max_examples=300, deadline=None)
def test_anything_in_any_place_of_a_trace_is_read_or_told(trace: list[Json], data: st.DataObject) -> None:
    value = copy.deepcopy(request(*trace))
    for _ in range(data.draw(st.integers(1, 4))):
        put(value, data.draw(st.sampled_from(places(value))), data.draw(VALUES))
    shape_of(value)
    found = list(spans_in(json.loads(json.dumps(value, allow_nan=True))))
    use([item for item in found if isinstance(item, Span)])


@given(VALUES)
@settings(max_examples=200, deadline=None)
def test_any_json_is_read_or_told(value: Json) -> None:
    for wrapped in (value, {"resourceSpans": value}, {"data": [{"spans": [value], "processes": value}]}):
        shape_of(wrapped)
        list(spans_in(wrapped))


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_read_or_told(data: bytes) -> None:
    read_all(data)
    read_all(b"\n\x7f" + data)
    read_all(b"\x00\x00\x00\x20\n" + data)


@given(st.sampled_from(TRACES), st.data())
@settings(max_examples=200, deadline=None)
def test_damaged_protobuf_is_read_or_told(trace: list[Json], data: st.DataObject) -> None:
    raw = bytearray(protobuf(request(*trace)))
    for _ in range(data.draw(st.integers(1, 6))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(raw[: data.draw(st.integers(0, len(raw)))])
    for one in (bytes(raw), cut):
        read_all(one)
        with suppress(SpanError):
            use([item for item in request_spans(one) if isinstance(item, Span)])


@given(st.sampled_from(TRACES), st.data())
@settings(max_examples=60, deadline=None)
def test_json_that_is_cut_off_anywhere_gives_what_was_before(trace: list[Json], data: st.DataObject) -> None:
    text = "\n".join(json.dumps(request(one)) for one in trace)
    cut = data.draw(st.integers(0, len(text)))
    items = read_all(text[:cut].encode())
    whole_lines = text[:cut].count("\n")
    assert not whole_lines or items


@pytest.mark.parametrize("depth", [10, 60, 70, 5_000])
def test_deep_nesting_is_bounded(depth: int) -> None:
    value: Json = "x"
    for _ in range(depth):
        value = {"arrayValue": {"values": [value]}}
    one = tool(1, "lent", parent=None)
    one["attributes"].append({"key": "input.value", "value": value})
    text = ("[" * depth + "]" * depth) if depth > 1_000 else json.dumps(request(one))
    items = read_all(text.encode())
    assert depth > 1_000 or items


def test_texts_that_nest_json_in_json_are_bounded() -> None:
    told: Json = {"api_key": "sk-proj-Zx81hQ2mLk90PqRsT5vWxYz1"}
    for _ in range(12):
        told = {"again": json.dumps(told)}
    one = tool(1, "lent", parent=None)
    one["attributes"] += attributes({"notes": json.dumps(told)})
    (span,) = (item for item in spans_in(one) if isinstance(item, Span))
    assert "Zx81hQ2mLk90" not in json.dumps(masked_span(span, Masker(KEY)))


def test_a_span_that_was_packed_is_the_same_again() -> None:
    for trace in TRACES:
        spans = [item for item in spans_in(request(*trace)) if isinstance(item, Span)]
        assert [unpacked(json.loads(json.dumps(packed(span)))) for span in spans] == spans


def test_a_trace_of_many_spans_in_one_chain_is_read() -> None:
    chain = [
        agent(),
        *(tool(number, "lent", parent=number - 1, call=f"c{number}") for number in range(2, 3_000)),
    ]
    spans = [item for item in spans_in(request(*chain)) if isinstance(item, Span)]
    (run,) = (item for item in runs_of(trace_of("t", spans)) if isinstance(item, Run))
    assert run.steps


def test_a_long_conversation_whose_every_request_repeats_it_is_read_once() -> None:
    history: list[Json] = [{"role": "user", "parts": [{"type": "text", "content": "Count."}]}]
    spans = [agent()]
    for number in range(2, 120):
        part = {"type": "tool_call", "id": f"c{number}", "name": "count", "arguments": {"to": number}}
        asked = {"role": "assistant", "parts": [part]}
        spans.append(model(number, history, [asked]))
        answer = {"type": "tool_call_response", "id": f"c{number}", "response": str(number)}
        history = [*history, asked, {"role": "tool", "parts": [answer]}]
    found = [item for item in spans_in(request(*spans, *a_trace()[:0])) if isinstance(item, Span)]
    (run,) = (item for item in runs_of(trace_of("t", found)) if isinstance(item, Run))
    assert len(run.steps) == 118
    assert sum(step.answered for step in run.steps) == 117
