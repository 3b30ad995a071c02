"""Spans as JSON: OTLP requests and their parts, Tempo's answers, the SDKs' console, bare spans."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from errata_client.model import JsonValue
from ingest.adapters.jsonvalue import clean_text, json_kind
from ingest.adapters.otlp.jaeger import is_jaeger_span, is_jaeger_trace, jaeger_span, jaeger_spans
from ingest.adapters.otlp.phoenix import is_row, of_row, rows_of, spelled_out
from ingest.adapters.otlp.span import Attributes, Event, Span, SpanError
from ingest.adapters.otlp.values import attributes_of, id_of, nanoseconds_of, status_of

RESOURCES = ("resourceSpans", "resource_spans", "batches")
SCOPES = (
    "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans", "ilSpans",
)  # fmt: skip
WRAPPERS = ("trace", "data", "traces", "traceData")
SPANS = ("spans", "span")
MAX_WRAPPED = 8

Found = Span | SpanError


@dataclass(frozen=True)
class _Around:
    """What stands around a span: its resource."""

    resource: Attributes = field(default_factory=dict)
    depth: int = 0

    def deeper(self, resource: Attributes | None = None) -> _Around:
        return _Around(self.resource if resource is None else resource, self.depth + 1)


def spans_in(value: JsonValue, around: _Around | None = None) -> Iterator[Found]:
    """The spans of a JSON value of any known shape; a SpanError for each part of it that is no span."""
    around = around or _Around()
    if around.depth > MAX_WRAPPED:
        yield SpanError("wrapped too often")
    elif isinstance(value, list):
        for item in value:
            yield from spans_in(item, around.deeper())
    elif isinstance(value, dict):
        yield from _spans_of_object(value, around)
    else:
        yield SpanError(f"a span is an object, this is {json_kind(value)}")


def shape_of(value: JsonValue) -> str | None:
    """What a JSON value is, in words, if it is one of the shapes that hold spans."""
    if isinstance(value, list):
        return next((f"lists of {found}" for item in value[:3] if (found := shape_of(item))), None)
    if not isinstance(value, dict):
        return None
    return next((told for is_so, told in _SHAPES if is_so(value)), None) or _named_shape(value)


def _named_shape(value: dict[str, JsonValue]) -> str | None:
    for names, told in ((RESOURCES, "OTLP requests"), (SCOPES, "OTLP spans of a resource")):
        if name := _first(value, names):
            return f"{told} ({name})"
    return _wrapped_shape(value)


def _wrapped_shape(value: dict[str, JsonValue]) -> str | None:
    for name in (*WRAPPERS, *SPANS):
        if isinstance(held := value.get(name), dict | list) and (found := shape_of(held)):
            return f"{found} under {name!r}"
    return None


def _spans_of_object(value: dict[str, Any], around: _Around) -> Iterator[Found]:
    if is_jaeger_trace(value):
        yield from jaeger_spans(value)
        return
    held = [(name, value[name]) for name in (*RESOURCES, *SCOPES) if isinstance(value.get(name), list)]
    if held:
        inner = around.deeper(_resource(value) if _first(value, SCOPES) else None)
        for _, parts in held:
            for part in parts:
                yield from spans_in(part, inner)
    elif is_jaeger_span(value):
        yield jaeger_span(value, {})
    elif is_row(value):
        for row in rows_of(value):
            yield _read(of_row(row), around.resource)
    elif _is_console(value) or _is_span(value):
        yield _read(value, around.resource)
    else:
        yield from _unwrapped(value, around)


def _unwrapped(value: dict[str, Any], around: _Around) -> Iterator[Found]:
    held = [value[name] for name in (*WRAPPERS, *SPANS) if isinstance(value.get(name), dict | list)]
    for inner in held:
        yield from spans_in(inner, around.deeper())
    if not held and not _is_empty(value):
        keys = ", ".join(list(value)[:6])
        yield SpanError(f"no span: an object with the keys {keys}"[:200])


def _is_empty(value: dict[str, Any]) -> bool:
    """A request, or a part of one, that says that it holds nothing."""
    known = {*RESOURCES, *SCOPES, *WRAPPERS, *SPANS, "resource", "scope", "schemaUrl", "schema_url"}
    return set(value) <= known


def _read(value: dict[str, Any], resource: Attributes) -> Found:
    try:
        return _console_span(value) if _is_console(value) else _span(value, resource)
    except SpanError as error:
        return error


def _span(value: dict[str, Any], resource: Attributes) -> Span:
    status = value.get("status")
    state = status if isinstance(status, dict) else {"code": status}
    return Span(
        trace_id=_required(_either(value, "traceId", "trace_id"), 16, "a trace id"),
        span_id=_required(_either(value, "spanId", "span_id"), 8, "a span id"),
        parent_id=id_of(_either(value, "parentSpanId", "parent_span_id"), 8),
        name=_text(value.get("name")),
        start=nanoseconds_of(_either(value, "startTimeUnixNano", "start_time_unix_nano", "startTime")),
        end=nanoseconds_of(_either(value, "endTimeUnixNano", "end_time_unix_nano", "endTime")),
        attributes=attributes_of(value.get("attributes")),
        events=tuple(_event(item) for item in _objects(value.get("events"))),
        status=status_of(_either(state, "code", "status_code")),
        status_message=_text(_either(state, "message", "description")),
        resource=_resource(value) or resource,
    )


def _console_span(value: dict[str, Any]) -> Span:
    """A span as `span.to_json()` of an SDK writes it, or as Phoenix does, which has the status beside the name."""
    context = value["context"]
    status = value.get("status")
    state = status if isinstance(status, dict) else {}
    state = state or {"status_code": value.get("status_code"), "description": value.get("status_message")}
    return Span(
        trace_id=_required(_either(context, "trace_id", "traceId"), 16, "a trace id"),
        span_id=_required(_either(context, "span_id", "spanId"), 8, "a span id"),
        parent_id=id_of(_either(value, "parent_id", "parentSpanId"), 8),
        name=_text(value.get("name")),
        start=nanoseconds_of(value.get("start_time")),
        end=nanoseconds_of(value.get("end_time")),
        attributes=spelled_out(_with_kind(value)),
        events=tuple(_event(item) for item in _objects(value.get("events"))),
        status=status_of(_either(state, "status_code", "code")),
        status_message=_text(_either(state, "description", "message")),
        resource=_resource(value),
    )


def _with_kind(value: dict[str, Any]) -> Attributes:
    """The attributes; Phoenix keeps OpenInference's kind beside them too."""
    given = attributes_of(value.get("attributes"))
    kind = value.get("span_kind")
    told = {"openinference.span.kind": kind} if isinstance(kind, str) and "openinference" not in given else {}
    return {**told, **given}


def _event(value: dict[str, Any]) -> Event:
    at = _either(value, "timeUnixNano", "time_unix_nano", "timestamp", "time")
    return Event(_text(value.get("name")), nanoseconds_of(at), attributes_of(value.get("attributes")))


def _resource(value: dict[str, Any]) -> Attributes:
    found = value.get("resource")
    return attributes_of(found.get("attributes", found)) if isinstance(found, dict) else {}


def _is_span(value: dict[str, Any]) -> bool:
    return ("traceId" in value or "trace_id" in value) and ("spanId" in value or "span_id" in value)


def _is_console(value: dict[str, Any]) -> bool:
    context = value.get("context")
    return isinstance(context, dict) and ("trace_id" in context or "traceId" in context)


def _required(value: Any, size: int, told: str) -> str:
    found = id_of(value, size)
    if found is None:
        raise SpanError(f"a span without {told}")
    return found


def _first(value: dict[str, Any], names: tuple[str, ...]) -> str | None:
    return next((name for name in names if name in value), None)


def _either(value: dict[str, Any], *names: str) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return clean_text(value) if isinstance(value, str) else ""


_SHAPES: tuple[tuple[Callable[[dict[str, Any]], bool], str], ...] = (
    (is_jaeger_trace, "Jaeger traces (spans with processes)"),
    (is_jaeger_span, "Jaeger spans (traceID, operationName)"),
    (is_row, "rows of spans (context.span_id, attributes.…)"),
    (_is_console, "spans as an SDK prints them (context, start_time)"),
    (_is_span, "OTLP spans (traceId, spanId)"),
)
