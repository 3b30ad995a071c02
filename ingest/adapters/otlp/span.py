"""A span as it is read, whatever wire form it came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from errata_client.model import JsonValue

Attributes = Mapping[str, JsonValue]
Status = Literal["unset", "ok", "error"]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class SpanError(ValueError):
    """Something that stands where a span should be and is none; the text says why."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a span. `at` is in nanoseconds since 1970, 0 where it is unknown."""

    name: str
    at: int = 0
    attributes: Attributes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Span:
    """One span. Ids are lower-case hex (or whatever text stood in their place), times nanoseconds since 1970, 0 where
    they are unknown; `parent_id` None is a root's."""

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    start: int = 0
    end: int = 0
    attributes: Attributes = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    status: Status = "unset"
    status_message: str = ""
    resource: Attributes = field(default_factory=dict)

    @property
    def started_at(self) -> datetime | None:
        """`start` as UTC."""
        return moment_of(self.start)

    @property
    def ended_at(self) -> datetime | None:
        """`end` as UTC."""
        return moment_of(self.end)


def moment_of(nanoseconds: int) -> datetime | None:
    """Nanoseconds since 1970 as UTC; None for 0 and for what no calendar has."""
    if not nanoseconds:
        return None
    try:
        return EPOCH + timedelta(microseconds=nanoseconds // 1000)
    except OverflowError:
        return None


def packed(span: Span) -> list[JsonValue]:
    """The span as JSON, to be kept for a while."""
    events: list[JsonValue] = [[event.name, event.at, dict(event.attributes)] for event in span.events]
    ids: list[JsonValue] = [span.trace_id, span.span_id, span.parent_id, span.name, span.start, span.end]
    return [*ids, dict(span.attributes), events, span.status, span.status_message, dict(span.resource)]


def unpacked(value: Any) -> Span:
    """The span that `packed` made `value` from."""
    trace_id, span_id, parent_id, name, start, end, attributes, events, status, message, resource = value
    found = tuple(Event(*event) for event in events)
    return Span(trace_id, span_id, parent_id, name, start, end, attributes, found, status, message, resource)
