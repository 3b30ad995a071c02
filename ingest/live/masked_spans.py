"""Spans masked before they are kept, with what their attributes hold as JSON text masked as the JSON that it is."""

from __future__ import annotations

from dataclasses import replace

import orjson

from errata_client.model import JsonValue
from ingest.adapters.otlp.flattened import decoded
from ingest.adapters.otlp.span import Attributes, Event, Span, packed
from ingest.masking import Masker

MAX_NESTED = 8
"""JSON texts within JSON texts that are opened."""


def masked_span(span: Span, masker: Masker) -> list[JsonValue]:
    """The span as it is kept. A secret that is found anywhere in it is replaced everywhere in it; its ids and times stay."""
    told: list[JsonValue] = [
        span.name,
        span.status_message,
        dict(span.attributes),
        dict(span.resource),
        [[event.name, dict(event.attributes)] for event in span.events],
    ]
    masked = masker.remembering(lambda: masker.value(opened(told)))
    name, message, attributes, resource, events = _list(closed(told, masked))
    pairs = [_list(event) for event in _list(events)]
    return packed(
        replace(
            span,
            name=str(name),
            status_message=str(message),
            attributes=_object(attributes),
            resource=_object(resource),
            events=tuple(
                Event(str(told), event.at, _object(held))
                for event, (told, held) in zip(span.events, pairs, strict=True)
            ),
        )
    )


def opened(value: JsonValue, depth: int = 0) -> JsonValue:
    """`value` with the texts of JSON objects and lists in it as those."""
    if isinstance(value, str):
        inner = decoded(value) if depth < MAX_NESTED else value
        return value if isinstance(inner, str) else opened(inner, depth + 1)
    if isinstance(value, dict):
        return {key: opened(below, depth) for key, below in value.items()}
    return [opened(below, depth) for below in value] if isinstance(value, list) else value


def closed(before: JsonValue, masked: JsonValue, depth: int = 0) -> JsonValue:
    """`masked`, which `opened` made of `before` with other texts, with JSON as text where it was text before."""
    if isinstance(before, str):
        if isinstance(masked, str) or depth >= MAX_NESTED:
            return masked
        return orjson.dumps(closed(decoded(before), masked, depth + 1)).decode()
    if isinstance(before, dict) and isinstance(masked, dict) and len(before) == len(masked):
        pairs = zip(masked.items(), before.values(), strict=True)
        return {key: closed(old, below, depth) for (key, below), old in pairs}
    if isinstance(before, list) and isinstance(masked, list):
        return [closed(old, below, depth) for old, below in zip(before, masked, strict=True)]
    return masked


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _object(value: JsonValue) -> Attributes:
    return value if isinstance(value, dict) else {}
