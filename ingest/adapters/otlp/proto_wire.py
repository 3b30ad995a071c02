"""Spans as protobuf: what an OTLP exporter sends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1 import trace_pb2

from errata_client.model import JsonValue
from ingest.adapters.jsonvalue import MAX_DEPTH, clean_text, storable
from ingest.adapters.otlp.span import Attributes, Event, Span, SpanError
from ingest.adapters.otlp.values import id_of, nanoseconds_of, status_of


def request_spans(data: bytes) -> Iterator[Span | SpanError]:
    """The spans of an ExportTraceServiceRequest. SpanError where the bytes are none."""
    try:
        request = ExportTraceServiceRequest.FromString(data)
    except DecodeError as error:
        raise SpanError(f"no ExportTraceServiceRequest: {error}"[:200]) from error
    for part in request.resource_spans:
        yield from _resource_spans(part)


def _resource_spans(part: trace_pb2.ResourceSpans) -> Iterator[Span | SpanError]:
    resource = _attributes(part.resource.attributes)
    for scope in part.scope_spans:
        for span in scope.spans:
            yield _span(span, resource)


def _span(span: trace_pb2.Span, resource: Attributes) -> Span | SpanError:
    trace_id, span_id = id_of(span.trace_id, 16), id_of(span.span_id, 8)
    if trace_id is None or span_id is None:
        return SpanError(f"a span without {'a trace id' if trace_id is None else 'a span id'}")
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=id_of(span.parent_span_id, 8),
        name=clean_text(span.name),
        start=nanoseconds_of(span.start_time_unix_nano),
        end=nanoseconds_of(span.end_time_unix_nano),
        attributes=_attributes(span.attributes),
        events=tuple(_event(event) for event in span.events),
        status=status_of(int(span.status.code)),
        status_message=clean_text(span.status.message),
        resource=resource,
    )


def _event(event: trace_pb2.Span.Event) -> Event:
    return Event(clean_text(event.name), nanoseconds_of(event.time_unix_nano), _attributes(event.attributes))


def _attributes(pairs: Iterable[KeyValue]) -> Attributes:
    return {clean_text(pair.key): _plain(pair.value) for pair in pairs}


def _plain(value: AnyValue, depth: int = 0) -> JsonValue:
    """What an AnyValue holds; bytes as hex; deeper than MAX_DEPTH: null."""
    kind = value.WhichOneof("value")
    if kind is None or depth > MAX_DEPTH:
        return None
    if kind == "array_value":
        return [_plain(item, depth + 1) for item in value.array_value.values]
    if kind == "kvlist_value":
        return {clean_text(pair.key): _plain(pair.value, depth + 1) for pair in value.kvlist_value.values}
    held = getattr(value, kind)
    return held.hex() if isinstance(held, bytes) else storable(held)
