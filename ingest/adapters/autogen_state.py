"""The messages in a saved state of AutoGen's AgentChat (`team.save_state()`, `agent.save_state()`)."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
_RESULTS = "FunctionExecutionResultMessage"
MAX_LEVELS = 8


def messages_in_state(state: Json) -> list[Any]:
    """The group's messages, if calls are among them, else what the agents' models were told one after the other, what they
    were all told once. None where it is no such state."""
    if not str(state.get("type")).endswith("State"):
        return []
    threads, contexts = _lists(state, "message_thread", MAX_LEVELS), _contexts(state)
    thread = next((found for found in threads if any(map(_holds_calls, found))), None)
    return thread if thread is not None else contexts or next(iter(threads), [])


def _contexts(state: Json) -> list[Any]:
    told: list[Any] = []
    heard: set[str] = set()
    for context in _lists(state, "messages", MAX_LEVELS):
        for message in (item for item in context if isinstance(item, dict)):
            words = str(message.get("content")) if message.get("type") == "UserMessage" else None
            if words is None or words not in heard:
                told.append({"source": "tools", **message} if message.get("type") == _RESULTS else message)
            heard |= {words} if words is not None else set()
    return told


def _lists(value: Any, name: str, levels: int) -> list[list[Any]]:
    """All lists under `name`, however deep."""
    if not isinstance(value, dict) or levels == 0:
        return []
    own = [value[name]] if isinstance(value.get(name), list) and value[name] else []
    return own + [found for below in value.values() for found in _lists(below, name, levels - 1)]


def _holds_calls(message: Any) -> bool:
    content = message.get("content") if isinstance(message, dict) else None
    return isinstance(content, list) and any(
        isinstance(item, dict) and "arguments" in item for item in content
    )
