"""The messages in what a model, a chain or a tool was given or gave, brought to OpenAI's shape.

Read are OpenAI's chat and Responses shapes, Anthropic's blocks, the AI SDK's parts, and LangChain's messages: serialised
(`{"lc": 1, "type": "constructor", "id": […, "AIMessage"], "kwargs": {…}}`), dumped (`{"type": "ai", …}`), as
`{"type": "human", "data": {…}}` and as pairs; in lists, in lists of lists, in `generations` and `choices`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errata_client.model import JsonValue
from ingest.adapters.blocks import expanded
from ingest.adapters.jsonvalue import NotJsonError, loads
from ingest.adapters.response_items import is_item, messages_of_items

MAX_LEVELS = 6
"""Containers within containers that are opened."""

Message = dict[str, Any]

_ROLES = {
    "human": "user", "user": "user", "ai": "assistant", "assistant": "assistant", "model": "assistant", "system": "system",
    "developer": "system", "tool": "tool", "function": "tool", "chat": "assistant",
}  # fmt: skip
_HOLDERS = ("messages", "generations", "choices", "message", "output", "input", "data", "new_messages")
_CHUNK = "messagechunk"


def messages_of(value: JsonValue) -> list[Message]:
    """The messages in `value`; none where it holds none, as plain text does."""
    return [part for message in _found(decoded(value), MAX_LEVELS) for part in expanded(message)]


def decoded(value: JsonValue) -> JsonValue:
    """`value`, or what the JSON in its text holds, if it is an object or an array."""
    if not isinstance(value, str) or value.lstrip()[:1] not in {"{", "["}:
        return value
    try:
        return loads(value)
    except NotJsonError:
        return value


def schema_in(message: Message) -> JsonValue:
    """The tool that a message declares instead of answering (some tracers append the tools' schemas to the prompt)."""
    content = message.get("content")
    if message.get("role") != "tool" or message.get("tool_call_id") or not isinstance(content, dict):
        return None
    is_schema = (
        "input_schema" in content or "parameters" in content or isinstance(content.get("function"), dict)
    )
    return content if is_schema else None


def _found(value: Any, levels: int) -> Iterator[Message]:
    if levels == 0:
        return
    if isinstance(value, list):
        pair = _pair(value)
        for item in [pair] if pair else value:
            yield from _found(item, levels - 1)
    elif isinstance(value, dict):
        message = _message(value)
        yield from [message] if message else _held(value, levels)


def _held(value: dict[str, Any], levels: int) -> Iterator[Message]:
    """The messages under the keys that hold some, the makers' words first."""
    for key in ("system", "instructions"):
        if isinstance(value.get(key), str | list) and {"messages", "input"} & set(value):
            yield {"role": "system", "content": value[key]}
    for key in _HOLDERS:
        if key in value:
            yield from _found(decoded(value[key]), levels - 1)


def _pair(value: list[Any]) -> Message | None:
    """A message as ["human", "words"]."""
    if len(value) == 2 and all(isinstance(part, str) for part in value) and value[0] in _ROLES:
        return {"role": value[0], "content": value[1]}
    return None


def _message(value: dict[str, Any]) -> Message | None:
    """The one message that `value` is, or None."""
    if isinstance(value.get("kwargs"), dict) and isinstance(value.get("id"), list) and value["id"]:
        role = _role_of_class(str(value["id"][-1]))
        return _converted(value["kwargs"], role) if role else None
    kind = str(value.get("type"))
    if isinstance(value.get("data"), dict) and "content" in value["data"] and kind in _ROLES:
        return _converted(value["data"], _ROLES[kind])
    if is_item(value):
        return next(iter(messages_of_items([value])), None)
    role = value.get("role", value.get("type"))
    if not isinstance(role, str) or not _has_words(value):
        return None
    known = _ROLES.get(role.lower()) or _role_of_class(role)
    return _converted(value, known) if known else None


def _has_words(value: dict[str, Any]) -> bool:
    return bool({"content", "tool_calls", "function_call", "additional_kwargs"} & set(value))


def _role_of_class(name: str) -> str | None:
    """The role of LangChain's class: "AIMessageChunk" is an assistant's."""
    lowered = name.lower()
    base = (
        lowered.removesuffix("chunk").removesuffix("message") if lowered.endswith(("message", _CHUNK)) else ""
    )
    return _ROLES.get(base)


def _converted(value: dict[str, Any], role: str) -> Message:
    """The message with `role`, calls as OpenAI has them, and the words of its content."""
    more = value.get("additional_kwargs")
    extras = more if isinstance(more, dict) else {}
    calls = [_call(item) for item in _listed(value.get("tool_calls")) or _listed(extras.get("tool_calls"))]
    calls += [_call(item) for item in _listed(value.get("invalid_tool_calls"))]
    content, parts = (
        value.get("content"),
        [part for part in _listed(value.get("content")) if isinstance(part, dict)],
    )
    if calls and parts:
        content = [part for part in parts if str(part.get("type")) not in {"tool_use", "tool-call"}]
    message: Message = {**value, "role": role, "content": content, "tool_calls": calls or None}
    if "function_call" not in message and isinstance(extras.get("function_call"), dict):
        message["function_call"] = extras["function_call"]
    return message


def _call(item: Any) -> Any:
    if isinstance(item, dict) and "function" not in item and "args" in item:
        return {"id": item.get("id"), "function": {"name": item.get("name"), "arguments": item["args"]}}
    return item


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
