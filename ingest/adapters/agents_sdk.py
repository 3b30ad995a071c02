"""Traces of OpenAI's Agents SDK: `trace` and `trace.span` records, as its exporters write and post them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Outcome, Run
from ingest.adapters.chat import moment
from ingest.adapters.chat_run import declared_tools
from ingest.adapters.containers import OUTER, entries, first_entries
from ingest.adapters.fields import count, first, text
from ingest.adapters.jsonvalue import clean_text
from ingest.adapters.port import NotAnalysed
from ingest.adapters.records import Opening, Unreadable
from ingest.adapters.span_run import run_of
from ingest.adapters.spans import Span, SpanKind, Trace
from ingest.adapters.trace_join import MAX_HELD, Gathered, Piece, gathered

Json = dict[str, Any]
LISTS = frozenset({"data", "spans", "traces", "items"})
KINDS: dict[str, SpanKind] = {"generation": "llm", "response": "llm", "function": "tool", "agent": "agent"}
MAX_LEVELS = 4
_TRACE, _SPAN = "trace", "trace.span"


class AgentsSdk:
    """The adapter. `held`: bytes of spans held while their traces may go on."""

    name = "agents_sdk"
    looks_for = "records {object: trace.span, trace_id, span_data: {type}}, also in data or spans"

    def __init__(self, held: int = MAX_HELD) -> None:
        self._held = held

    def recognises(self, opening: Opening) -> str | None:
        """By spans with a span_data that has a type."""
        samples = (*opening.samples, *first_entries(opening, LISTS))
        if any(_is_span(found) for sample in samples for found in _records(sample, MAX_LEVELS)):
            return "its records are spans of the Agents SDK"
        if any(
            isinstance(found, dict) and _is_trace(found) and "workflow_name" in found for found in samples
        ):
            return "its records are traces of the Agents SDK"
        return None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a trace."""
        seen: set[str] = set()
        for found in gathered(_pieces(opening), self._held):
            if isinstance(found, NotAnalysed):
                yield found
                continue
            trace = _trace(found)
            if not trace.spans:
                yield NotAnalysed(position=f"trace {found.trace}", reason="no span of it is in the file")
                continue
            run, troubles = run_of(trace, seen)
            yield run
            yield from troubles


def _pieces(opening: Opening) -> Iterator[Piece | NotAnalysed]:
    for item in entries(opening, LISTS):
        if isinstance(item, Unreadable):
            yield NotAnalysed(position=item.position, reason=item.reason)
            continue
        found = [*_records(item.value, MAX_LEVELS)]
        yield from (_piece(record, item.position) for record in found)
        if not found and item.position != OUTER:
            yield NotAnalysed(position=item.position, reason="neither a trace nor a span")


def _piece(record: Json, position: str) -> Piece:
    named = text(record.get("trace_id"))
    return Piece(
        position, record, named or (text(record.get("id")) if _is_trace(record) else None) or position
    )


def _records(value: JsonValue, levels: int) -> Iterator[Json]:
    """The traces and spans in a record; a trace may hold its spans."""
    if isinstance(value, list) and levels:
        for item in value:
            yield from _records(item, levels - 1)
    elif isinstance(value, dict) and levels:
        if _is_span(value) or _is_trace(value):
            yield {key: held for key, held in value.items() if key != "spans"}
        for key in LISTS & set(value):
            link = (
                {"trace_id": text(value.get("id")) or text(value.get("trace_id"))} if key == "spans" else {}
            )
            held = value[key]
            for item in held if isinstance(held, list) else [held]:
                yield from _records({**link, **item} if isinstance(item, dict) else item, levels - 1)


def _is_span(value: JsonValue) -> bool:
    data = value.get("span_data") if isinstance(value, dict) and value.get("object", _SPAN) == _SPAN else None
    return isinstance(data, dict) and isinstance(data.get("type"), str)


def _is_trace(value: JsonValue) -> bool:
    return isinstance(value, dict) and value.get("object") == _TRACE


def _trace(found: Gathered) -> Trace:
    records = [value for value in found.values if isinstance(value, dict)]
    about: Json = {}
    for record in records:
        about |= {key: value for key, value in record.items() if _is_trace(record) and value is not None}
    noted = _object(about.get("metadata"))
    spans = [record for record in records if _is_span(record)]
    agents = [text(_data(span).get("name")) for span in spans if _data(span)["type"] == "agent"]
    name = text(about.get("workflow_name"))
    return Trace(
        trace_id=clean_text(found.trace),
        spans=tuple(_span(record, number) for number, record in enumerate(spans)),
        agent_name=(name if name != "Agent workflow" else "") or next(iter(agents), None) or name or None,
        conversation_id=text(about.get("group_id"))
        or first([noted], "conversation_id", "thread_id", "session_id")
        or None,
        task_id=first([noted], "task_id") or None,
        outcome=_outcome(spans),
        max_steps=_limit(spans),
    )


def _span(record: Json, number: int) -> Span:
    data = _data(record)
    kind = KINDS.get(str(data["type"]), "chain")
    response = _object(data.get("response"))
    tokens = _object(data.get("usage")) or _object(response.get("usage"))
    named = text(record.get("id")) or text(record.get("span_id")) or f"unnamed {number}"
    return Span(
        span_id=named,
        name=clean_text(text(data.get("name")) or str(data["type"])),
        kind=kind,
        parent=text(record.get("parent_id")) or None,
        input=_input(data, response) if kind in {"llm", "tool"} else None,
        output=(data.get("output") or response.get("output")) if kind in {"llm", "tool"} else None,
        error=_error(record),
        started_at=moment(record.get("started_at")),
        ended_at=moment(record.get("ended_at")),
        order=f"{number:09d}",
        model=first([data, response], "model") or None,
        input_tokens=count(tokens.get("input_tokens")),
        output_tokens=count(tokens.get("output_tokens")),
        tools=declared_tools(data.get("tools") or response.get("tools")),
    )


def _input(data: Json, response: Json) -> JsonValue:
    """What a span was given; a response's instructions are the makers' words."""
    given: JsonValue = data.get("input")
    instructions = response.get("instructions")
    if not isinstance(instructions, str) or not given:
        return given
    said: JsonValue = [{"role": "user", "content": given}] if isinstance(given, str) else given
    return {"instructions": instructions, "input": said}


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _outcome(spans: list[Json]) -> Outcome:
    """A failure where an agent ended with an error that it did not overcome: its turns ran out, mostly."""
    told = [error for span in spans if _data(span)["type"] == "agent" and (error := _error(span))]
    return Outcome(status="failure", reason=told[0]) if told else Outcome()


def _limit(spans: list[Json]) -> int | None:
    """The bound on turns, of which the SDK tells only once it is reached."""
    held = (_object(_object(span.get("error")).get("data")).get("max_turns") for span in spans)
    return next((count(value) for value in held if count(value)), None)


def _data(record: Json) -> Json:
    data: Json = record["span_data"]
    return data


def _error(record: Json) -> str | None:
    """The error of a span: what the tool raised, where the SDK tells it, else its words. A guardrail that stopped the run
    did what it is there for."""
    error = record.get("error")
    if not isinstance(error, dict) or _data(record)["type"] == "guardrail":
        return None
    raised = text(_object(error.get("data")).get("error"))
    return raised or text(error.get("message")) or "an error without a text"
