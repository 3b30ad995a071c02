"""The arguments of a tool call, as a record holds them: an object, or text that should be one."""

from __future__ import annotations

import ast
import json
from typing import Any

import json_repair

from errata_client.model import JsonValue, unchecked
from errata_client.run import ToolCall
from ingest.adapters.jsonvalue import MAX_DEPTH, NotJsonError, clean_text, loads, storable

MAX_REPAIRED = 20_000
"""Characters of broken argument text that a lenient reading is tried on."""


def make_call(tool: str, arguments: object, call_id: str | None = None) -> ToolCall:
    """The call. Text that is no JSON object stays in `raw_arguments`; what a lenient reading got out of it is
    in `arguments`, marked. No arguments at all (null, "") are an empty object."""
    if arguments is None or arguments == "":
        return ToolCall(tool=tool, call_id=call_id)
    if isinstance(arguments, dict):
        return _from_object(tool, arguments, call_id)
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, default=str)
    try:
        value = loads(text)
    except NotJsonError:
        value = None
    if isinstance(value, dict):
        return _call(tool, value, call_id)
    recovered = recover(text)
    return ToolCall(
        tool=tool,
        arguments=recovered or {},
        raw_arguments=clean_text(text),
        arguments_recovered=recovered is not None,
        call_id=call_id,
    )


def recover(text: str) -> dict[str, JsonValue] | None:
    """The object that `text` was meant to be: a Python dict's text, or JSON with small faults; else None."""
    if len(text) > MAX_REPAIRED or "{" not in text or text.count("{") + text.count("[") > MAX_DEPTH:
        return None
    value = python_literal(text)
    if value is None:
        value = _repaired(text)
    return value


def python_literal(text: str) -> dict[str, JsonValue] | None:
    """The dict that `text` writes in Python's syntax, or None."""
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return _storable_object(value)


def _repaired(text: str) -> dict[str, JsonValue] | None:
    try:
        value = json_repair.loads(text)
    except (ValueError, RecursionError):
        return None
    return _storable_object(value)


def _storable_object(value: Any) -> dict[str, JsonValue] | None:
    if not isinstance(value, dict) or not value:
        return None
    cleaned = storable(value)
    return cleaned if isinstance(cleaned, dict) else None


def _from_object(tool: str, arguments: dict[Any, Any], call_id: str | None) -> ToolCall:
    cleaned = storable(arguments)
    return _call(tool, cleaned if isinstance(cleaned, dict) else {}, call_id)


def _call(tool: str, arguments: dict[str, JsonValue], call_id: str | None) -> ToolCall:
    """A call of arguments that were read or cleaned here."""
    return unchecked(ToolCall, {**_CALL, "tool": tool, "arguments": arguments, "call_id": call_id})


_CALL = ToolCall(tool="").__dict__
