"""A run out of a record's chat messages, with an id that derives from what was said and done."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import ToolDeclaration
from ingest.adapters.chat import function_of, text_of
from knowledge.ids import digest

_THINKING = re.compile(r"<think>.*?</think>|<think>.*\Z", re.DOTALL)


def content_id(prefix: str, parts: Iterable[object], messages: list[Any]) -> str:
    """An id from `parts` and the messages, of which only roles, texts, calls and the ids of calls count: the same
    conversation recorded with other marginalia has the same id."""
    return f"{prefix}-{digest(list(parts), [_essence(message) for message in messages])}"


def spoken(text: str) -> str:
    """`text` without the thinking that a model wrote into it."""
    return _THINKING.sub("", text).strip() if "<think>" in text else text.strip()


def declared_tools(listed: Any) -> tuple[ToolDeclaration, ...]:
    """Tools as OpenAI declares them ({"type": "function", "function": {…}}), flat, or as MCP lists them; what is none of
    these is left out."""
    if not isinstance(listed, list):
        return ()
    found = (_declaration(item) for item in listed)
    return tuple(tool for tool in found if tool is not None)


def _declaration(item: Any) -> ToolDeclaration | None:
    if not isinstance(item, dict):
        return None
    function = function_of(item)
    name, description = function.get("name"), function.get("description")
    if not isinstance(name, str) or not name:
        return None
    return ToolDeclaration(
        name=name,
        description=description if isinstance(description, str) else None,
        parameters=_schema(function, "parameters", "input_schema", "inputSchema"),
        output_schema=_schema(function, "output_schema", "outputSchema"),
    )


def _schema(function: dict[str, Any], *keys: str) -> dict[str, JsonValue] | None:
    """The schema under one of `keys`; Bedrock wraps it as {"json": …}."""
    found = next((held for key in keys if isinstance(held := function.get(key), dict)), None)
    return found["json"] if found and set(found) == {"json"} and isinstance(found["json"], dict) else found


def _essence(message: Any) -> JsonValue:
    if not isinstance(message, dict):
        return str(message)
    calls = message.get("tool_calls") or message.get("function_call")
    content = message.get("content")
    return [
        str(message.get("role")),
        text_of(content) if _is_text(content) else _plain(content),
        _essential_calls(calls),
        str(message.get("tool_call_id") or message.get("id") or ""),
    ]


def _is_text(content: Any) -> bool:
    if isinstance(content, list):
        return all(isinstance(part, dict) and part.get("type") == "text" for part in content)
    return content is None or isinstance(content, str)


def _essential_calls(calls: Any) -> JsonValue:
    if not isinstance(calls, list):
        return _plain(calls)
    return [_essential_call(call) for call in calls]


def _essential_call(call: Any) -> JsonValue:
    if not isinstance(call, dict):
        return str(call)
    function = function_of(call)
    return [str(call.get("id") or ""), str(function.get("name")), _plain(function.get("arguments"))]


def _plain(value: Any) -> JsonValue:
    found: JsonValue = value
    return found
