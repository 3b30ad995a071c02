"""One message in any of the spellings that traces know, as messages in OpenAI's shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errata_client.jsontext import as_text
from errata_client.model import JsonValue
from ingest.adapters.otlp.flattened import decoded

Message = dict[str, Any]
_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "function": "tool", "developer": "system"}
_KNOWN = frozenset({"system", "user", "assistant", "tool"})
_CALLS = frozenset({"tool_call", "tool_use", "tool-call", "function_call"})
_ANSWERS = frozenset({"tool_call_response", "tool_result", "tool-result", "function_call_output"})
_RESULTS = ("response", "result", "output", "content")


def chat_messages(value: JsonValue, role: str) -> list[Message]:
    """The messages in `value`: a list of them, one, or a bare text, which `role` said. What is no message is left out."""
    listed = value if isinstance(value, list) else [value]
    return [message for item in listed for message in _messages(item, role)]


def _messages(item: Any, role: str) -> Iterator[Message]:
    if isinstance(item, str) and item:
        yield {"role": role, "content": item}
    elif isinstance(item, list):
        for inner in item:
            yield from _messages(inner, role)
    elif isinstance(item, dict) and (told := _plain_names(item)):
        yield from _split(told, _role(told, role))


def _plain_names(item: Message) -> Message:
    """Without the prefixes that OpenInference and LangChain put around: `message.role`, {"kwargs": {…}}."""
    if isinstance(inner := item.get("kwargs"), dict) and "lc" in item:
        kind = str(inner.get("type") or (item.get("id") or [""])[-1])
        return {"role": kind.removesuffix("Message").removesuffix("Chunk").lower(), **inner}
    if isinstance(inner := item.get("message"), dict):
        return inner
    return item


def _role(message: Message, otherwise: str) -> str:
    told = str(message.get("role") or message.get("type") or otherwise).lower()
    told = _ROLES.get(told, told)
    return told if told in _KNOWN else otherwise


def _split(message: Message, role: str) -> Iterator[Message]:
    """The message as one that speaks and calls, and one for each answer of a tool that is in it."""
    blocks = _blocks(message)
    calls = [_call(call) for call in _calls(message, blocks)]
    answers = [answer for block in blocks if (answer := _answer(block)) is not None]
    yield from answers
    text = "\n".join(filter(None, map(_text, blocks)))
    if role == "tool" and not answers and not calls:
        yield _tool_message(message, text)
    elif text or calls:
        yield {"role": role, "content": text or None, "tool_calls": calls or None}


def _tool_message(message: Message, text: str) -> Message:
    content = message.get("content")
    given = content if isinstance(content, dict) else text or content
    call_id = message.get("tool_call_id") or message.get("id")
    failed = message.get("status") == "error" or message.get("is_error") is True
    return {
        "role": "tool",
        "content": given,
        "tool_call_id": call_id,
        "name": message.get("name"),
        "is_error": failed or None,
    }


def _blocks(message: Message) -> list[Any]:
    """The parts of a message: `parts` (OTel), `contents` (OpenInference), `content` as text or a list."""
    for name in ("parts", "contents", "content"):
        held = decoded(message.get(name)) if name != "content" else message.get(name)
        if isinstance(held, list):
            return [_unprefixed(block) for block in held]
        if isinstance(held, str) and held:
            return [held]
        if isinstance(held, dict) and held:
            return [held]
    return []


def _unprefixed(block: Any) -> Any:
    """OpenInference's {"message_content": {"type", "text"}} as its inner part."""
    inner = block.get("message_content") if isinstance(block, dict) else None
    return inner if isinstance(inner, dict) else block


def _text(block: Any) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, dict) or _kind(block) in _CALLS | _ANSWERS | {"reasoning", "thinking"}:
        return ""
    if "toolUse" in block or "toolResult" in block:
        return ""
    told = block.get("text", block.get("content"))
    if isinstance(told, str):
        return told
    return "" if "type" in block or told is None else as_text(told)


def _kind(block: Any) -> str:
    return str(block.get("type") or "") if isinstance(block, dict) else ""


def _calls(message: Message, blocks: list[Any]) -> Iterator[Message]:
    listed = decoded(message.get("tool_calls"))
    for item in listed if isinstance(listed, list) else []:
        inner = item.get("tool_call", item) if isinstance(item, dict) else None
        if isinstance(inner, dict):
            yield inner
    if isinstance(name := message.get("function_call_name"), str):
        yield {"name": name, "arguments": message.get("function_call_arguments_json")}
    if isinstance(call := message.get("function_call"), dict) and not listed:
        yield call
    for block in blocks:
        if _kind(block) in _CALLS:
            yield block
        elif isinstance(block, dict) and isinstance(inner := block.get("toolUse"), dict):
            yield {"id": inner.get("toolUseId"), "name": inner.get("name"), "arguments": inner.get("input")}


def _call(call: Message) -> Message:
    """A call in OpenAI's shape, from {function: {…}}, flat, LangChain's {name, args} or AI SDK's {toolName, input}."""
    inner = call.get("function")
    function = inner if isinstance(inner, dict) else call
    name = _either(function, "name", "toolName", "tool_name", "tool")
    arguments = _either(function, "arguments", "args", "input", "parameters")
    call_id = _either(call, "id", "toolCallId", "tool_call_id", "call_id")
    return {"id": call_id, "function": {"name": name, "arguments": arguments}}


def _answer(block: Any) -> Message | None:
    """A part that is a tool's answer, as a message of its own."""
    if isinstance(block, dict) and isinstance(inner := block.get("toolResult"), dict):
        content, failed = inner.get("content"), inner.get("status") == "error"
        call_id = inner.get("toolUseId")
    elif _kind(block) in _ANSWERS:
        content = _either(block, *_RESULTS)
        call_id = _either(block, "id", "tool_use_id", "tool_call_id", "toolCallId", "call_id")
        failed = block.get("is_error") is True or block.get("isError") is True
    else:
        return None
    return {
        "role": "tool",
        "content": joined(content),
        "tool_call_id": call_id,
        "name": block.get("name"),
        "is_error": failed or None,
    }


def joined(content: Any) -> Any:
    """A tool's result: a list of texts ([{"text": …}]) as one text, anything else as it is."""
    if isinstance(content, list) and content and all(isinstance(part, dict) for part in content):
        texts = [part.get("text", part.get("content")) for part in content]
        if all(isinstance(text, str) for text in texts):
            return "\n".join(texts)
        if len(content) == 1 and isinstance(held := content[0].get("json"), dict):
            return held
    return content


def _either(value: Message, *names: str) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)
