"""LangChain's messages and what LangGraph keeps of them: states, checkpoints, a thread's history, streamed updates.

A thread is a run. States of one thread repeat its messages: the longest tells most, the others add what it lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Run, StepError
from ingest.adapters.chat import Chat, moment
from ingest.adapters.chat_run import content_id, declared_tools, spoken
from ingest.adapters.exceptions import exception_error, stopped
from ingest.adapters.fields import text
from ingest.adapters.openai_chat import chat_agent, chat_outcome, reply_error
from ingest.adapters.port import NotAnalysed
from ingest.adapters.record_fields import text_at
from ingest.adapters.records import Opening, Record, Unreadable, records
from ingest.adapters.trace_join import Gathered, Piece, gathered
from ingest.adapters.trace_messages import Message, messages_of

Json = dict[str, Any]
TYPES = frozenset({"human", "ai", "tool", "system", "AIMessageChunk"})
_STATES = ("values", "channel_values", "checkpoint", "state", "data", "output")
"""Keys that a state lies under."""

MAX_LEVELS = 4


class LangGraph:
    """The adapter. The run's id is the thread's, else a digest of what was said."""

    name = "langgraph"
    looks_for = "messages {type: human | ai | tool, content} of LangChain, in {messages}, {values}, {channel_values} or {node: {messages}}"

    def recognises(self, opening: Opening) -> str | None:
        """By messages of LangChain's types, wherever a state or an update holds them."""
        for sample in opening.samples:
            if _is_message(sample):
                return "its records are messages of LangChain"
            if any(map(_is_message, _held(sample)[1])):
                return "its records hold messages of LangChain"
            if _is_checkpoint(sample):
                return "its records are checkpoints of LangGraph"
        return None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a thread. Bare messages, and updates without a thread, are those of one run."""
        for found in gathered(_pieces(opening)):
            if isinstance(found, NotAnalysed):
                yield found
                continue
            run, troubles = _read(found)
            yield run
            yield from troubles


def _is_checkpoint(sample: JsonValue) -> bool:
    """A checkpoint, or one with its config; what it holds lies too deep for a sample."""
    held = _object(sample)
    return any(
        "channel_values" in found and "messages" in _object(found["channel_values"])
        for found in (held, _object(held.get("checkpoint")))
    )


def _pieces(opening: Opening) -> Iterator[Piece | NotAnalysed]:
    for item in records(opening):
        if isinstance(item, Unreadable):
            yield NotAnalysed(position=item.position, reason=item.reason)
            continue
        whole, messages = _held(item.value)
        if messages or _errors(item.value):
            yield Piece(item.position, item.value, trace=_thread(item, messages, whole=whole))
        elif not _says_nothing(item.value):
            yield NotAnalysed(position=item.position, reason="no message of LangChain in it")


def _says_nothing(value: JsonValue) -> bool:
    """Whether it is an update or a state without messages, as nodes of other kinds give."""
    return isinstance(value, dict) and all(
        isinstance(held, dict | list) or held is None for held in value.values()
    )


def _thread(item: Record, messages: list[Json], *, whole: bool) -> str:
    """The thread that a record is of: what it says, else whose first message it repeats; updates are of one run."""
    value = item.value if isinstance(item.value, dict) else {}
    configurable = _object(_object(value.get("config")).get("configurable"))
    named = text(configurable.get("thread_id")) or text(value.get("thread_id"))
    if named:
        return named
    if not whole:
        return "the file"
    first = messages[0] if messages else {}
    return text(first.get("id")) or text(_object(first.get("kwargs")).get("id")) or item.position


def _held(value: JsonValue) -> tuple[bool, list[Json]]:
    """The messages of a record, and whether they are all that was said until then: of a state they are."""
    if isinstance(value, list):
        return True, [item for item in value if isinstance(item, dict)] if any(
            map(_is_message, value)
        ) else []
    if not isinstance(value, dict):
        return False, []
    if _is_message(value):
        return False, [value]
    state = _state(value, MAX_LEVELS)
    if state:
        return True, state
    updates = (_state(update, 1) for update in value.values() if isinstance(update, dict))
    return False, [message for update in updates for message in update]


def _state(value: Json, levels: int) -> list[Json]:
    listed = value.get("messages")
    if isinstance(listed, dict):
        listed = [listed]
    if isinstance(listed, list) and any(map(_is_message, listed)):
        return [item for item in listed if isinstance(item, dict)]
    inner: list[Json] = [value[key] for key in _STATES if isinstance(value.get(key), dict)] if levels else []
    return next((found for held in inner if (found := _state(held, levels - 1))), [])


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or "role" in value:
        return False
    if "lc" in value and isinstance(named := value.get("id"), list):
        return "message" in str(named[-1:]).lower()
    told = "content" in value or isinstance(value.get("data"), dict)
    return value.get("type") in TYPES and told


def _read(found: Gathered) -> tuple[Run, list[NotAnalysed]]:
    about = next((value for value in found.values if isinstance(value, dict)), {})
    messages = messages_of(_joined(found.values))
    chat = Chat(f"thread {found.trace}", reply_error)
    chat.read(messages)
    failure = _failure(found.values, chat)
    thread = _named_thread(found.values)
    run = Run(
        run_id=text_at(about, "run_id") or thread or content_id("langgraph", [], messages),
        agent=chat_agent(about),
        model_version=_model(messages),
        task_id=text_at(about, "task_id"),
        conversation_id=thread,
        user_intent=spoken(chat.first_words or ""),
        prompt="\n".join(chat.prompts) or None,
        tools=declared_tools(about.get("tools")),
        complete=chat.first_words is not None,
        steps=tuple(chat.steps),
        outcome=chat_outcome(about, failure),
        started_at=moment(about.get("created_at") or about.get("ts")),
    )
    return run, chat.troubles


def _joined(values: tuple[JsonValue, ...]) -> list[JsonValue]:
    """Every message once. Of states the longest comes first, since it repeats the others; updates stay in their order."""
    held: list[tuple[bool, list[Json]]] = [_held(value) for value in values]
    states = sorted((messages for whole, messages in held if whole), key=len, reverse=True)
    parts = [*states, *(messages for whole, messages in held if not whole)]
    seen: set[str] = set()
    joined: list[JsonValue] = []
    for number, messages in enumerate(parts):
        for message in messages:
            named = text(message.get("id")) or text(_object(message.get("kwargs")).get("id"))
            if named in seen or (not named and 0 < number < len(states)):
                continue
            seen |= {named} - {""}
            joined.append(message)
    return joined


def _failure(values: tuple[JsonValue, ...], chat: Chat) -> StepError | None:
    """The exception of a node, as a state's `tasks` tell it: a step of its own, unless a tool's call shows it already."""
    told = next((error for value in values for error in _errors(value)), None)
    if told is None or stopped(told):
        return None
    error = exception_error(told)
    if not any(step.error and step.error.message in error.message for step in chat.steps):
        chat.fail(error)
    return error


def _errors(value: JsonValue) -> list[str]:
    tasks = value.get("tasks") if isinstance(value, dict) else None
    listed = tasks if isinstance(tasks, list) else []
    return [error for task in listed if isinstance(task, dict) and (error := text(task.get("error")))]


def _named_thread(values: tuple[JsonValue, ...]) -> str | None:
    for value in values:
        about = _object(value)
        configurable = _object(_object(about.get("config")).get("configurable"))
        if named := text(configurable.get("thread_id")) or text(about.get("thread_id")):
            return named
    return None


def _model(messages: list[Message]) -> str | None:
    told = (_object(message.get("response_metadata")) for message in messages)
    return next(
        (name for about in told if (name := text(about.get("model_name")) or text(about.get("model")))), None
    )


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}
