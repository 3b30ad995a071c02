"""Chats: a record {messages: […], tools?: […]} or a bare list of messages; one a line, in an array, or the whole file. The
messages are OpenAI's, or those of other makers as blocks (`blocks.py`). No flag says which replies are errors, so they are read conservatively (`replies.chat_error`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errata_client.jsontext import as_text
from errata_client.model import JsonValue
from errata_client.run import Agent, Outcome, Run, StepError
from ingest.adapters.blocks import expanded, has_blocks
from ingest.adapters.chat import Chat, moment, text_of
from ingest.adapters.chat_run import content_id, declared_tools, spoken
from ingest.adapters.port import NotAnalysed, RecordError
from ingest.adapters.reading import converted, read_records
from ingest.adapters.records import Opening, Record, Unreadable, records
from ingest.adapters.replies import chat_error, status_in
from ingest.adapters.response_items import is_item, messages_of_items
from ingest.adapters.tau_bench import outcome_of

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
STATUSES = frozenset({"success", "failure", "aborted", "unknown"})


class OpenAIChat:
    """The adapter. A record's own `run_id` is the run's; without one it is a digest of the messages."""

    name = "openai_chat"
    looks_for = "records {messages: [{role, content, tool_calls}]}, or lists of such messages"

    def recognises(self, opening: Opening) -> str | None:
        """By messages with a role that OpenAI has."""
        for sample in opening.samples:
            if _is_message(sample):
                return "it is a list of messages with roles"
            if any(_is_message(message) for message in _messages(sample)[:20]):
                return "its records have messages with roles"
        return None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a record; bare messages are those of one run."""
        if any(_is_message(sample) for sample in opening.samples):
            return converted(_one_conversation(opening), chat_run)
        return read_records(opening, chat_run)


def chat_run(record: JsonValue, position: str) -> tuple[Run, list[NotAnalysed]]:
    """The run of one record."""
    messages, about = _messages(record), record if isinstance(record, dict) else {}
    if not any(_is_message(message) for message in messages):
        raise RecordError("no list of messages with roles")
    chat = Chat(position, reply_error)
    chat.read(messages)
    named = _text(about, "run_id")
    run = Run(
        run_id=named or content_id("chat", [_text(about, "id"), _text(about, "task_id")], _plain(messages)),
        agent=chat_agent(about),
        model_version=_text(about, "model_version") or _text(about, "model"),
        task_id=_text(about, "task_id"),
        conversation_id=_text(about, "conversation_id") or _text(about, "id"),
        user_intent=spoken(chat.first_words or ""),
        prompt="\n".join([*_instructions(about), *chat.prompts]) or None,
        tools=declared_tools(_declared(about)),
        complete=chat.first_words is not None,
        steps=tuple(chat.steps),
        outcome=chat_outcome(about),
        started_at=moment(about.get("started_at") or about.get("created") or about.get("timestamp")),
    )
    return run, chat.troubles


def _one_conversation(opening: Opening) -> Iterator[Record | Unreadable]:
    items = list(records(opening))
    yield from (item for item in items if isinstance(item, Unreadable))
    yield Record("record 1", [item.value for item in items if isinstance(item, Record)])


def _messages(record: JsonValue) -> list[Any]:
    """The messages of a record: `messages`, or Gemini's `contents`; or the record itself. Items of the Responses API that
    stand among them are put together."""
    held = record
    if isinstance(record, dict):
        held = next(
            (record[key] for key in ("messages", "contents") if isinstance(record.get(key), list)), None
        )
    found = held if isinstance(held, list) else []
    return messages_of_items(found) if any(map(is_item, found)) else list(found)


def _plain(messages: list[Any]) -> list[Any]:
    """The messages with those in parts taken apart, so that what they say tells them from others."""
    return [
        told for message in messages for told in (expanded(message) if has_blocks(message) else [message])
    ]


def _instructions(record: dict[str, JsonValue]) -> list[str]:
    """The makers' words where they stand beside the messages: Anthropic's and Bedrock's `system`, Gemini's."""
    held = (record.get(key) for key in ("system", "systemInstruction", "system_instruction"))
    told = (value.get("parts") if isinstance(value, dict) else value for value in held)
    return [words for value in told if (words := text_of(value))]


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and (str(value.get("role")) in ROLES or (value.get("role") == "model" and "parts" in value))
        and ("content" in value or "tool_calls" in value or has_blocks(value))
    )


def _text(record: dict[str, JsonValue], key: str) -> str | None:
    found = record.get(key)
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    return found if isinstance(found, str) and found else None


def chat_agent(record: dict[str, JsonValue]) -> Agent:
    """The agent that a record names."""
    named = record.get("agent")
    if isinstance(named, str) and named:
        return Agent(name=named)
    if isinstance(named, dict):
        return Agent.model_validate(named)
    return Agent()


def chat_outcome(record: dict[str, JsonValue], failure: StepError | None = None) -> Outcome:
    """The outcome that a record states; else, where a model's call ended it, a failure for that reason."""
    given = record.get("outcome")
    if isinstance(given, dict):
        return Outcome.model_validate(given)
    if isinstance(given, str) and given in STATUSES:
        return Outcome.model_validate({"status": given})
    if failure is not None and record.get("reward") is None:
        return Outcome(status="failure", reason=failure.message)
    return outcome_of(record.get("reward"))


def _declared(record: dict[str, JsonValue]) -> JsonValue:
    """The tools as they are declared; Bedrock's and Gemini's taken out of what stands around them."""
    config = record.get("toolConfig")
    listed = (
        record.get("tools")
        or record.get("functions")
        or (config.get("tools") if isinstance(config, dict) else None)
    )
    if not isinstance(listed, list):
        return None
    found: list[JsonValue] = []
    for item in listed:
        held = item if isinstance(item, dict) else {}
        within = held.get("functionDeclarations") or held.get("function_declarations")
        found += within if isinstance(within, list) else [held.get("toolSpec", item)]
    return found


def reply_error(content: JsonValue, message: dict[str, Any]) -> StepError | None:
    """A reply that its message marks as an error is one; else its words tell."""
    told = chat_error(content)
    marked = (
        message.get("is_error") is True or message.get("isError") is True or message.get("status") == "error"
    )
    if told is None and marked:
        return StepError(message=as_text(content), status=status_in(as_text(content)))
    return told
