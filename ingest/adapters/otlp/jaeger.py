"""Spans as Jaeger's query service gives them: {data: [{traceID, spans, processes}]}; times in microseconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errata_client.model import JsonValue
from ingest.adapters.jsonvalue import NotJsonError, clean_text, json_kind, loads, storable
from ingest.adapters.otlp.span import Attributes, Event, Span, SpanError, Status
from ingest.adapters.otlp.values import id_of, nanoseconds_of, status_of


def is_jaeger_trace(value: dict[str, Any]) -> bool:
    """Whether it is one trace: spans, and the processes they ran in."""
    return isinstance(value.get("spans"), list) and "processes" in value


def is_jaeger_span(value: dict[str, Any]) -> bool:
    """Whether it is one span."""
    return "traceID" in value and ("spanID" in value or "operationName" in value)


def jaeger_spans(value: dict[str, Any]) -> Iterator[Span | SpanError]:
    """The spans of one trace, each with its process as resource."""
    listed = value.get("processes")
    processes = listed if isinstance(listed, dict) else {}
    for item in value["spans"]:
        if isinstance(item, dict):
            process = item.get("process", processes.get(str(item.get("processID"))))
            yield jaeger_span(item, process if isinstance(process, dict) else {})
        else:
            yield SpanError(f"a span is an object, this is {json_kind(item)}")


def jaeger_span(value: dict[str, Any], process: dict[str, Any]) -> Span | SpanError:
    """One span; what OpenTelemetry's exporters put into tags (`otel.status_code`) is read back."""
    trace_id, span_id = id_of(value.get("traceID"), 16), id_of(value.get("spanID"), 8)
    if trace_id is None or span_id is None:
        return SpanError("a span without a trace id or a span id")
    tags = _tags(value.get("tags"))
    start = nanoseconds_of(value.get("startTime")) * 1000
    name = value.get("operationName")
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=_parent(value, trace_id),
        name=clean_text(name) if isinstance(name, str) else "",
        start=nanoseconds_of(start),
        end=nanoseconds_of(start + nanoseconds_of(value.get("duration")) * 1000),
        attributes=tags,
        events=tuple(_event(log) for log in _objects(value.get("logs"))),
        status=_status(tags),
        status_message=str(tags.get("otel.status_description") or ""),
        resource={**_tags(process.get("tags")), "service.name": storable(process.get("serviceName"))},
    )


def _parent(value: dict[str, Any], trace_id: str) -> str | None:
    for reference in _objects(value.get("references")):
        inside = id_of(reference.get("traceID"), 16) in {trace_id, None}
        if reference.get("refType", "CHILD_OF") == "CHILD_OF" and inside:
            return id_of(reference.get("spanID"), 8)
    return id_of(value.get("parentSpanID"), 8)


def _status(tags: Attributes) -> Status:
    told = status_of(tags.get("otel.status_code"))
    return "error" if told == "unset" and tags.get("error") in {True, "true"} else told


def _event(log: dict[str, Any]) -> Event:
    fields = _tags(log.get("fields"))
    name = fields.get("event") or fields.get("name") or ""
    at = nanoseconds_of(log.get("timestamp")) * 1000
    return Event(str(name), nanoseconds_of(at), {key: told for key, told in fields.items() if key != "event"})


def _tags(listed: Any) -> Attributes:
    pairs = (item for item in _objects(listed) if isinstance(item.get("key"), str))
    return {clean_text(item["key"]): _tag(item) for item in pairs}


def _tag(item: dict[str, Any]) -> JsonValue:
    """A tag's value by its type; lists come as the text of their JSON."""
    value = item.get("value")
    if item.get("type") in {"int64", "float64", "bool"} and isinstance(value, str):
        try:
            return loads(value)
        except NotJsonError:
            return clean_text(value)
    return storable(value)


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
