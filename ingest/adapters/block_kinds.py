"""What one block of a message is: words, thinking, a call, a tool's reply, a call with its reply, or the mark of a turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Message = dict[str, Any]
_FINISHED = frozenset({"result", "output-available", "output-error", "error"})
"""States of the AI SDK's parts in which the tool has answered; in all others the call waits."""
_UI_TOOL = "tool-"


@dataclass(frozen=True)
class Block:
    """`words` is the block itself where it says something to be read as text. `call` and `reply` are in OpenAI's shape."""

    words: Any = None
    thinking: str = ""
    call: Message | None = None
    reply: Message | None = None
    begins_turn: bool = False
    special: bool = True


def read_block(item: Any) -> Block:
    """The block. What is of no known kind is words, which may hold none."""
    kind = item.get("type") if isinstance(item, dict) else None
    read = _KINDS.get(kind) if isinstance(kind, str) else None
    if read is not None:
        return read(item)
    found = _named(item, str(kind)) if isinstance(item, dict) else None
    return found or Block(words=item, special=False)


def _named(item: Message, kind: str) -> Block | None:
    """A block whose kind is part of a name, or the key that it stands under."""
    if kind.endswith("_tool_result") and "tool_use_id" in item:
        return _tool_result(item)
    if kind.startswith(_UI_TOOL) and "toolCallId" in item:
        return _ui_tool(item, item.get("toolName") or kind.removeprefix(_UI_TOOL))
    if item.get("thought") is True and isinstance(item.get("text"), str):
        return Block(thinking=item["text"])
    return next((read(item[key]) for key, read in _KEYED.items() if isinstance(item.get(key), dict)), None)


def call(call_id: Any, name: Any, arguments: Any) -> Message:
    """A call in OpenAI's shape."""
    return {"id": call_id, "function": {"name": name, "arguments": arguments}}


def reply(call_id: Any, content: Any, *, name: Any = None, failed: bool = False) -> Message:
    """A tool's reply in OpenAI's shape; `failed` marks it as an error whatever it says."""
    found: Message = {"role": "tool", "tool_call_id": call_id, "content": content}
    if name:
        found["name"] = name
    return {**found, "is_error": True} if failed else found


def _tool_use(item: Message) -> Block:
    return Block(call=call(item.get("id"), item.get("name"), item.get("input")))


def _tool_result(item: Message) -> Block:
    """Anthropic's; of its own tools' results an error is told by the type of what is inside."""
    content = item.get("content")
    inner = str(content.get("type")) if isinstance(content, dict) else ""
    failed = item.get("is_error") is True or inner.endswith("_tool_result_error")
    if failed and isinstance(content, dict):
        content = str(content.get("error_message") or content.get("error_code") or content)
    return Block(reply=reply(item.get("tool_use_id"), content, failed=failed))


def _sdk_call(item: Message) -> Block:
    return Block(call=call(item.get("toolCallId"), item.get("toolName"), item.get("args", item.get("input"))))


def _sdk_result(item: Message) -> Block:
    content, failed = _sdk_output(item.get("result", item.get("output")))
    failed = failed or item.get("isError") is True
    return Block(reply=reply(item.get("toolCallId"), content, name=item.get("toolName"), failed=failed))


def _sdk_error(item: Message) -> Block:
    return Block(
        reply=reply(item.get("toolCallId"), item.get("error"), name=item.get("toolName"), failed=True)
    )


def _sdk_output(value: Any) -> tuple[Any, bool]:
    """What is in {"type": "text" | "json" | "content" | "error-text" | "error-json", "value": …}, and whether it is an error."""
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "execution-denied":
        return value.get("reason") or "the call was denied", False
    if (
        isinstance(kind, str)
        and kind in {"text", "json", "content", "error-text", "error-json"}
        and "value" in value
    ):
        return value["value"], kind.startswith("error-")
    return value, False


def _invocation(item: Message) -> Block:
    """The AI SDK's part up to version 4: {"toolInvocation": {"state", "toolCallId", "toolName", "args", "result"}}."""
    held = item.get("toolInvocation")
    held = held if isinstance(held, dict) else item
    return _ui_tool(held, held.get("toolName"))


def _ui_tool(item: Message, name: Any) -> Block:
    given = next((item[key] for key in ("input", "args", "rawInput") if item.get(key) is not None), None)
    call_id, state = item.get("toolCallId"), str(item.get("state"))
    asked = call(call_id, name, given)
    if state not in _FINISHED:
        return Block(call=asked)
    failed = state in {"output-error", "error"}
    content = item.get("errorText") or item.get("error") if failed else item.get("output", item.get("result"))
    return Block(call=asked, reply=reply(call_id, content, name=name, failed=failed))


def _dynamic(item: Message) -> Block:
    return _ui_tool(item, item.get("toolName"))


def _thinking(item: Message) -> Block:
    told = item.get("thinking", item.get("text"))
    return Block(thinking=told if isinstance(told, str) else "")


def _bedrock_use(item: Message) -> Block:
    return Block(call=call(item.get("toolUseId"), item.get("name"), item.get("input")))


def _bedrock_result(item: Message) -> Block:
    content = item.get("content")
    if (
        isinstance(content, list)
        and len(content) == 1
        and isinstance(content[0], dict)
        and "json" in content[0]
    ):
        content = content[0]["json"]
    return Block(reply=reply(item.get("toolUseId"), content, failed=item.get("status") == "error"))


def _bedrock_thinking(item: Message) -> Block:
    told = item.get("reasoningText")
    told = told.get("text") if isinstance(told, dict) else told
    return Block(thinking=told if isinstance(told, str) else "")


def _gemini_call(item: Message) -> Block:
    return Block(call=call(item.get("id"), item.get("name"), item.get("args")))


def _gemini_reply(item: Message) -> Block:
    """{"name", "response": {"output" | "result" | "error": …}}: without an id it answers the first open call of its name."""
    content = item.get("response")
    if (
        isinstance(content, dict)
        and len(content) == 1
        and (key := next(iter(content))) in {"output", "result"}
    ):
        content = content[key]
    return Block(reply=reply(item.get("id"), content, name=item.get("name")))


_KINDS: dict[str, Callable[[Message], Block]] = {
    "tool_use": _tool_use,
    "server_tool_use": _tool_use,
    "mcp_tool_use": _tool_use,
    "tool_result": _tool_result,
    "tool-call": _sdk_call,
    "tool-result": _sdk_result,
    "tool-error": _sdk_error,
    "tool-invocation": _invocation,
    "dynamic-tool": _dynamic,
    "thinking": _thinking,
    "reasoning": _thinking,
    "redacted_thinking": lambda _: Block(),
    "step-start": lambda _: Block(begins_turn=True),
}
_KEYED: dict[str, Callable[[Message], Block]] = {
    "toolUse": _bedrock_use,
    "toolResult": _bedrock_result,
    "reasoningContent": _bedrock_thinking,
    "functionCall": _gemini_call,
    "functionResponse": _gemini_reply,
    "function_call": _gemini_call,
    "function_response": _gemini_reply,
}
