"""What a tool's span says of its call: tool, arguments, id and result, from each convention's way to keep them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from errata_client.model import JsonValue
from ingest.adapters.arguments import python_literal
from ingest.adapters.jsonvalue import NotJsonError, loads
from ingest.adapters.otlp.flattened import decoded
from ingest.adapters.otlp.kinds import tool_in_name
from ingest.adapters.otlp.messages import DETAILS, event_body
from ingest.adapters.otlp.parts import chat_messages, joined
from ingest.adapters.otlp.span import Span

NAMES = ("gen_ai.tool.name", "tool.name", "ai.toolCall.name", "mcp.tool.name")
IDS = ("gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id", "tool.id")
ARGUMENTS = (
    "gen_ai.tool.call.arguments",
    "tool_arguments",
    "ai.toolCall.args",
    "input.value",
    "tool.parameters",
    "traceloop.entity.input",
    "mcp.request.argument",
    "gen_ai.tool.arguments",
    "input",
)
RESULTS = (
    "gen_ai.tool.call.result",
    "tool_response",
    "ai.toolCall.result",
    "output.value",
    "traceloop.entity.output",
    "mcp.response.value",
    "gen_ai.tool.result",
    "output",
)
FLAGS = ("gen_ai.tool.status", "gen_ai.task.status")
MAX_LITERAL = 20_000
_MESSAGE_TEXT = re.compile(r"content=(['\"])(.*)\1 name=.*?tool_call_id=", re.DOTALL)
"""A LangChain ToolMessage as `str()` writes it."""


@dataclass(frozen=True)
class ToolUse:
    """A call as its span tells it. `arguments` None: not recorded; `result` None: not recorded, or empty. `flagged`: a
    field beside the result says that it is an error."""

    tool: str
    arguments: dict[str, JsonValue] | None
    call_id: str | None
    result: JsonValue
    flagged: bool = False


def tool_use(span: Span) -> ToolUse:
    """What the span tells."""
    result, flagged = _result(span)
    return ToolUse(
        tool=_name(span),
        arguments=_arguments(span),
        call_id=_first_text(span, IDS),
        result=result,
        flagged=flagged or any(str(span.attributes.get(name)).lower() in _BAD for name in FLAGS),
    )


_BAD = frozenset({"error", "failure", "failed"})


def _name(span: Span) -> str:
    told = _first_text(span, NAMES) or tool_in_name(span.name)
    return told or _first_text(span, ("traceloop.entity.name",)) or span.name or "tool"


def _first_text(span: Span, names: tuple[str, ...]) -> str | None:
    found = (span.attributes.get(name) for name in names)
    return next((value for value in found if isinstance(value, str) and value), None)


def _arguments(span: Span) -> dict[str, JsonValue] | None:
    for name in ARGUMENTS:
        if name in span.attributes and (found := _object(span.attributes[name])) is not None:
            return found
    for event in span.events:
        if event.name == "gen_ai.tool.message":
            return _object(event_body(event).get("content"))
        if event.name == DETAILS:
            for message in chat_messages(decoded(event.attributes.get("gen_ai.input.messages")), "tool"):
                for call in message.get("tool_calls") or ():
                    return _object(call["function"]["arguments"])
    return None


def _object(value: JsonValue) -> dict[str, JsonValue] | None:
    """The arguments: an object, its JSON, its text in Python; any other value is the one that the tool was given."""
    told = decoded(value)
    if isinstance(told, str) and told.lstrip().startswith("{") and len(told) <= MAX_LITERAL:
        told = python_literal(told) or told
    if isinstance(told, dict):
        return _unwrapped(told)
    return None if told is None or told == "" else {"input": told}


def _unwrapped(told: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Without what instrumentations put around: {"args", "kwargs"} of a function, LangChain's {"input_str", "inputs"}."""
    if {"args", "kwargs"} == set(told) and isinstance(told["kwargs"], dict):
        given = told["args"]
        return {**told["kwargs"], **({"args": given} if given else {})}
    if "input_str" in told:
        inner = told.get("inputs") or told["input_str"]
        return _object(inner) or {}
    if "toolUseId" in told and isinstance(inner := told.get("input"), dict):
        return inner
    return told


def _result(span: Span) -> tuple[JsonValue, bool]:
    for name in RESULTS:
        if (value := span.attributes.get(name)) is not None:
            return _answer(value, wrapped=name == "traceloop.entity.output")
    for event in span.events:
        if event.name == "gen_ai.choice":
            return _answer(joined(decoded(event_body(event).get("message"))), wrapped=False)
        if event.name == DETAILS:
            for message in chat_messages(decoded(event.attributes.get("gen_ai.output.messages")), "tool"):
                if message["role"] == "tool":
                    return message["content"], message.get("is_error") is True
    return None, False


def _answer(value: JsonValue, *, wrapped: bool) -> tuple[JsonValue, bool]:
    """The result itself, and whether a flag in what was around it calls it an error."""
    told = decoded(value)
    if isinstance(told, str):
        value = told = _unquoted(told)
    if isinstance(told, dict):
        return _from_object(told, value, wrapped=wrapped)
    if isinstance(told, list):
        return (joined(told), False) if joined(told) is not told else (value, False)
    if isinstance(value, str) and (found := _MESSAGE_TEXT.search(value[:100_000])):
        return found.group(2), "status='error'" in value[-200:]
    return value, False


def _unquoted(text: str) -> str:
    """A text that is the JSON of a text, as that text."""
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            told = loads(text)
        except NotJsonError:
            return text
        return told if isinstance(told, str) else text
    return text


def _from_object(told: dict[str, Any], value: JsonValue, *, wrapped: bool) -> tuple[JsonValue, bool]:
    if wrapped and set(told) <= {"output", "kwargs"} and "output" in told:
        return _answer(told["output"], wrapped=False)
    if "lc" in told and isinstance(told.get("kwargs"), dict):
        told = told["kwargs"]
    if "tool_call_id" in told and "content" in told:
        return joined(decoded(told["content"])), told.get("status") == "error"
    if isinstance(told.get("content"), list) and set(told) <= {
        "content",
        "isError",
        "structuredContent",
        "_meta",
        "meta",
    }:
        return joined(told["content"]), told.get("isError") is True
    if set(told) == {"output"}:
        return _answer(told["output"], wrapped=False)
    return value, False
