"""Spans as Phoenix and Arize export them: rows of a dataframe (`context.span_id`, `attributes.llm.model_name`), and spans whose
attributes are nested by the dots of their names."""

from __future__ import annotations

from typing import Any

from errata_client.model import JsonValue
from ingest.adapters.otlp.span import Attributes

_ATTRIBUTES, _CONTEXT = "attributes.", "context."
MAX_NESTED = 8
NESTED = frozenset(
    {
        "openinference",
        "llm",
        "input",
        "output",
        "tool",
        "tool_call",
        "gen_ai",
        "session",
        "agent",
        "traceloop",
        "graph",
        "user",
    }
)
"""First parts of attributes' names: an object under one of these spells longer names."""


def is_row(value: dict[str, Any]) -> bool:
    """Whether the value is a row of a dataframe of spans."""
    return "context.span_id" in value and "context.trace_id" in value


def rows_of(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows: the value itself, or, where a dataframe was written column by column, those that its columns make."""
    index = value["context.span_id"]
    if not isinstance(index, dict):
        return [value]
    columns = {name: held for name, held in value.items() if isinstance(held, dict)}
    return [{name: held.get(key) for name, held in columns.items()} for key in index]


def of_row(value: dict[str, Any]) -> dict[str, Any]:
    """The row as a span with a context and attributes. What a row leaves empty, other rows have."""
    context = {key.removeprefix(_CONTEXT): held for key, held in value.items() if key.startswith(_CONTEXT)}
    given = {
        key.removeprefix(_ATTRIBUTES): held
        for key, held in value.items()
        if key.startswith(_ATTRIBUTES) and held is not None
    }
    return {**value, "context": context, "attributes": given}


def spelled_out(attributes: Attributes) -> Attributes:
    """The attributes, with those that are nested under their full names as well: each level, since a name may end at any."""
    nested = [name for name, value in attributes.items() if name in NESTED and isinstance(value, dict)]
    if not nested:
        return attributes
    found: dict[str, JsonValue] = {name: value for name, value in attributes.items() if name not in nested}
    for name in nested:
        _spell(name, attributes[name], found, MAX_NESTED)
    return found


def _spell(name: str, value: Any, found: dict[str, JsonValue], levels: int) -> None:
    if isinstance(value, dict) and levels:
        for key, below in value.items():
            _spell(f"{name}.{key}", below, found, levels - 1)
    if name not in NESTED:
        found.setdefault(name, value)
