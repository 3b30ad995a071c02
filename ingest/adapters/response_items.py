"""Items of OpenAI's Responses API (and of the Agents SDK's sessions), put together into chat messages in OpenAI's shape.

One turn of a model is several items there: its reasoning, its words, each of its calls. Tools that OpenAI runs itself
(web and file search, code, MCP) are one item with the call and its result.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ingest.adapters.block_kinds import call, reply

Message = dict[str, Any]
_OUTPUT = "_output"
_OWN = frozenset(
    {"mcp_call", "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"}
)
"""Calls that OpenAI carries out itself: their result stands with them."""

CALLS = _OWN | {
    "function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call", "tool_search_call",
}  # fmt: skip
OUTPUTS = frozenset(f"{name}{_OUTPUT}" for name in CALLS)
_GIVEN = ("arguments", "input", "action", "queries", "code", "operation", "commands", "prompt")
_TOLD = ("output", "results", "outputs", "error")
SILENT = frozenset(
    {"mcp_list_tools", "mcp_approval_response", "item_reference", "compaction", "compaction_summary"}
)
"""Items that say nothing of what was said or done."""

MESSAGE_ROLES = frozenset({"user", "assistant", "system", "developer"})


def is_item(value: Any) -> bool:
    """Whether the value is an item that is no plain message: a call, an output, or reasoning."""
    kind = kind_of(value)
    return kind in CALLS | OUTPUTS | SILENT or (kind == "reasoning" and "summary" in value)


def kind_of(value: Any) -> str:
    """The item's type; a message's may be left out."""
    kind = value.get("type") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else ""


def messages_of_items(items: Iterable[Any]) -> list[Message]:
    """The messages that the items are. What is no item is left in its place, to be reported."""
    turns = _Turns()
    for item in items:
        turns.take(item)
    return turns.whole()


@dataclass
class _Turns:
    """The turn at hand, and what was said before it."""

    done: list[Message] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    calls: list[Message] = field(default_factory=list)
    at: Any = None

    def take(self, item: Any) -> None:
        kind = kind_of(item)
        if kind == "reasoning":
            self._begin_after(self.calls or self.words)
            self.thinking += _reasoning(item)
        elif kind in OUTPUTS:
            self._finish()
            self.done.append(_reply(item))
        elif kind in CALLS:
            self._call(item, kind)
        elif isinstance(item, dict) and item.get("role") == "assistant":
            self._begin_after(self.calls or self.words)
            self.words.append(words_of(item.get("content")))
            self.at = self.at or item.get("timestamp")
        elif kind not in SILENT and kind != "mcp_approval_request":
            self._finish()
            self.done.append(_spoken(item))

    def whole(self) -> list[Message]:
        self._finish()
        return self.done

    def _call(self, item: Message, kind: str) -> None:
        tool = item.get("name") if isinstance(item.get("name"), str) else kind.removesuffix("_call")
        call_id = item.get("call_id") or item.get("id")
        self.calls.append(call(call_id, tool, _given(item)))
        self.at = self.at or item.get("timestamp")
        if kind in _OWN:
            self._finish()
            self.done += _own_answer(item, call_id)

    def _begin_after(self, earlier: list[Any]) -> None:
        if earlier:
            self._finish()

    def _finish(self) -> None:
        if self.words or self.calls or self.thinking:
            self.done.append(
                {
                    "role": "assistant",
                    "content": "\n".join(filter(None, self.words)) or None,
                    "reasoning_content": "\n".join(self.thinking) or None,
                    "tool_calls": self.calls or None,
                    "timestamp": self.at,
                }
            )
        self.words, self.thinking, self.calls, self.at = [], [], [], None


def words_of(content: Any) -> str:
    """The words in a message's content: a text, or parts with a text or a refusal."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    told = (part.get("text") or part.get("refusal") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in told if isinstance(text, str))


def _spoken(item: Any) -> Any:
    if not isinstance(item, dict) or item.get("role") not in MESSAGE_ROLES:
        return item
    return {
        "role": item["role"],
        "content": words_of(item.get("content")),
        "timestamp": item.get("timestamp"),
    }


def _reasoning(item: Message) -> list[str]:
    """What of the reasoning is told: its text, else its summary."""
    return [text for key in ("content", "summary") if (text := words_of(item.get(key)))][:1]


def _given(item: Message) -> Any:
    """The arguments: an object or JSON text of a function or of MCP; what else a tool was given, under its own name."""
    name = next((key for key in _GIVEN if item.get(key) is not None), None)
    if name is None:
        return None
    found = item[name]
    return found if name == "arguments" or (name == "action" and isinstance(found, dict)) else {name: found}


def _reply(item: Message) -> Message:
    content = item.get("output")
    texts = words_of(content) if isinstance(content, list) else ""
    failed = item.get("status") in {"failed", "error"}
    answer = reply(item.get("call_id") or item.get("id"), texts or content, failed=failed)
    return {**answer, "timestamp": item.get("timestamp")}


def _own_answer(item: Message, call_id: Any) -> list[Message]:
    """The result of a call that OpenAI carried out; none while it waits or is under way."""
    error = item.get("error")
    failed = item.get("status") == "failed" or bool(error)
    if item.get("status") in {"in_progress", "searching", "interpreting", "generating", "calling"}:
        return []
    content = _error_text(error) if error else next((item[key] for key in _TOLD if item.get(key)), None)
    if failed and content is None:
        content = "the call failed"
    return [{**reply(call_id, content, failed=failed), "timestamp": item.get("timestamp")}]


def _error_text(error: Any) -> Any:
    """MCP's error: a text, {"type", "code", "message"}, or {"type", "content": [{"text"}]}."""
    if not isinstance(error, dict):
        return error
    return error.get("message") or words_of(error.get("content")) or error
