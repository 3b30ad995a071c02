"""Messages whose content is a list of blocks with tool_use and tool_result in it, brought to OpenAI's shape."""

from __future__ import annotations

from typing import Any

BLOCKS = frozenset({"tool_use", "tool_result"})


def expanded(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The message, or what its blocks say: replies first, then the words and calls. Others come back as they are."""
    content = message.get("content")
    if not isinstance(content, list) or not any(_kind(block) in BLOCKS for block in content):
        return [message]
    replies = [_reply(block) for block in content if _kind(block) == "tool_result"]
    calls = [_call(block) for block in content if _kind(block) == "tool_use"]
    words = [block for block in content if _kind(block) not in BLOCKS]
    rest = [{**message, "content": words, "tool_calls": calls or None}] if words or calls else []
    return [*replies, *rest]


def _kind(block: Any) -> str | None:
    kind = block.get("type") if isinstance(block, dict) else None
    return kind if isinstance(kind, str) else None


def _reply(block: dict[str, Any]) -> dict[str, Any]:
    found = {"role": "tool", "tool_call_id": block.get("tool_use_id"), "content": block.get("content")}
    return {**found, "is_error": True} if block.get("is_error") is True else found


def _call(block: dict[str, Any]) -> dict[str, Any]:
    return {"id": block.get("id"), "function": {"name": block.get("name"), "arguments": block.get("input")}}
