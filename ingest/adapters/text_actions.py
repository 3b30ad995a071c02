"""tau-bench runs of agents that write their actions as text: `Action: {"name": …, "arguments": {…}}`, answered by
a user message `API output: …`. The action "respond" is talking to the person."""

from __future__ import annotations

import json
import re
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import ToolCall, ToolDeclaration
from ingest.adapters.arguments import make_call, recover
from ingest.adapters.chat import Chat, text_of
from ingest.adapters.chat_run import declared_tools
from ingest.adapters.jsonvalue import NotJsonError, loads
from ingest.adapters.replies import tau_error

ANSWER = "API output: "
ACTION = "Action:"
RESPOND = "respond"
_NAME = re.compile(r"""["']?name["']?\s*:\s*["']?([\w.-]{1,64})""")
_FENCED = re.compile(r"```\w*\s*(.*?)\s*```", re.DOTALL)
_TOOLS = re.compile(r"#\s*Available tools\s*(?=\[)")


def applies(messages: list[Any]) -> bool:
    """Whether an agent of this kind wrote the messages: no tool calls or tool replies, and an API output or a
    prompt that asks for actions as text."""
    told = [message for message in messages if isinstance(message, dict)]
    if any(message.get("tool_calls") or message.get("role") == "tool" for message in told):
        return False
    users = (text_of(message.get("content")) for message in told if message.get("role") == "user")
    prompts = (text_of(message.get("content")) for message in told if message.get("role") == "system")
    return any(text.startswith(ANSWER) for text in users) or any(f"\n{ACTION}\n" in text for text in prompts)


def read(chat: Chat, messages: list[Any]) -> tuple[ToolDeclaration, ...]:
    """Read the messages into `chat`; the tools that the prompt declares."""
    for number, message in enumerate(messages, 1):
        if not isinstance(message, dict):
            chat.trouble(number, "a message is an object")
            continue
        answered = _is_answer(messages[number]) if number < len(messages) else False
        _read(chat, message, number, answered=answered)
    chat.read([])
    return next((tools for prompt in chat.prompts if (tools := _tools(prompt))), ())


def _read(chat: Chat, message: dict[str, Any], number: int, *, answered: bool) -> None:
    role, text = message.get("role"), text_of(message.get("content"))
    if role == "system":
        chat.prompts.append(text)
    elif role == "user" and text.startswith(ANSWER):
        content = text.removeprefix(ANSWER)
        chat.answer(number, content, tau_error(content))
    elif role == "user":
        chat.hear(text)
    elif role == "assistant":
        call = _call(text, answered=answered)
        chat.act(None, [call] if call else [], number, raw=text)
    else:
        chat.trouble(number, f"role {str(role)!r} is none of system, user, assistant")


def _is_answer(message: Any) -> bool:
    return isinstance(message, dict) and text_of(message.get("content")).startswith(ANSWER)


def _call(text: str, *, answered: bool) -> ToolCall | None:
    """The call that the agent wrote; None where it talked. Text behind "Action:" that is no JSON object is a call
    with raw arguments. Where an API output follows, it was run, also without "Action:" or inside of a fence."""
    if ACTION not in text and not answered:
        return None
    action = (text.rpartition(ACTION)[2] if ACTION in text else text.rpartition("</think>")[2]).strip()
    if answered and (fenced := _FENCED.fullmatch(action)):
        action = fenced.group(1)
    try:
        value = loads(action)
    except NotJsonError:
        return _broken_call(action)
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return None
    if value["name"] == RESPOND and not answered:
        return None
    return make_call(str(value["name"]), value.get("arguments"))


def _broken_call(action: str) -> ToolCall | None:
    named = _NAME.search(action[:500]) if action.startswith("{") else None
    if named is None or named.group(1) == RESPOND:
        return None
    whole = recover(action) or {}
    arguments = whole.get("arguments")
    recovered = arguments if isinstance(arguments, dict) else {}
    return ToolCall(
        tool=named.group(1),
        arguments=recovered,
        raw_arguments=action,
        arguments_recovered=bool(recovered),
    )


def _tools(prompt: str) -> tuple[ToolDeclaration, ...]:
    """The tools listed as JSON under "#Available tools"."""
    begin = _TOOLS.search(prompt)
    if begin is None:
        return ()
    try:
        listed: JsonValue = json.JSONDecoder().raw_decode(prompt, begin.end())[0]
    except (json.JSONDecodeError, RecursionError):
        return ()
    return declared_tools(listed)
