"""Logs of coding agents, one message or item a line: Claude Code's sessions and Codex's rollouts.

A session is a run; what a subagent did within one (`isSidechain`) is a run of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby, islice
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Agent, Outcome, Run, StepError
from ingest.adapters.chat import Chat, moment, text_of
from ingest.adapters.chat_run import spoken
from ingest.adapters.fields import text
from ingest.adapters.jsonvalue import NotJsonError, loads
from ingest.adapters.openai_chat import reply_error
from ingest.adapters.port import NotAnalysed
from ingest.adapters.records import Opening, Unreadable, records
from ingest.adapters.response_items import messages_of_items
from ingest.adapters.trace_join import Gathered, Piece, gathered

Json = dict[str, Any]
LOOKED_AT = 40
"""Lines that are looked at: a session may begin with snapshots and titles."""

_ROLLOUT = frozenset({"session_meta", "response_item", "turn_context", "event_msg", "compacted"})
_SPOKEN = frozenset({"user", "assistant"})
_CONTEXT = re.compile(
    r"\s*<(?:environment_context|user_instructions|permissions|recommended_plugins|INSTRUCTIONS)|# AGENTS\.md"
)
"""What the program says in a person's place."""

_REFUSED = re.compile(
    r"The user doesn't want to (?:proceed|take this action)|\[Request interrupted by user|<turn_aborted|aborted by user|rejected by user"
)
_EXIT = re.compile(r"\A(?:[^\n]*\n){0,3}?(?:Exit code:|Process exited with code) (\d{1,3})\b")
_OUTPUT = re.compile(r"^Output:\n(.*)\Z", re.DOTALL | re.MULTILINE)


class SessionLog:
    """The adapter. The run's id is the session's."""

    name = "session_log"
    looks_for = "lines {type: user | assistant, message, sessionId} of Claude Code, or {type: response_item, payload} of Codex"

    def recognises(self, opening: Opening) -> str | None:
        """By an early line with a message and its session, or with a rollout's item."""
        if opening.layout not in {"lines", "array", "values"} or not any(map(_may_begin, opening.samples)):
            return None
        for item in islice(records(opening), LOOKED_AT):
            value = None if isinstance(item, Unreadable) else item.value
            if _is_message(value):
                return "its lines are messages of a session"
            if _is_rollout(value):
                return "its lines are items of a rollout"
        return None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a session, and one for each subagent."""
        for found in gathered(_pieces(opening)):
            if isinstance(found, NotAnalysed):
                yield found
                continue
            run, troubles = _read(found)
            if run.steps:
                yield run
            yield from troubles


def _may_begin(value: JsonValue) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _is_message(value: JsonValue) -> bool:
    return (
        isinstance(value, dict)
        and value.get("type") in _SPOKEN
        and isinstance(value.get("message"), dict)
        and bool({"sessionId", "session_id", "uuid"} & set(value))
    )


def _is_rollout(value: JsonValue) -> bool:
    return (
        isinstance(value, dict) and value.get("type") in _ROLLOUT and isinstance(value.get("payload"), dict)
    )


def _pieces(opening: Opening) -> Iterator[Piece | NotAnalysed]:
    """The lines that say something, each with its session; what else such a log keeps is passed over."""
    rollout = "the file"
    for item in records(opening):
        if isinstance(item, Unreadable):
            yield NotAnalysed(position=item.position, reason=item.reason)
            continue
        value = item.value
        if isinstance(value, dict) and _is_message(value):
            yield _piece(value, item.position)
        elif isinstance(value, dict) and _is_rollout(value):
            payload = value["payload"]
            if value["type"] == "session_meta" and isinstance(payload, dict):
                rollout = text(payload.get("id")) or rollout
            yield Piece(item.position, value, trace=rollout)
        elif not isinstance(value, dict) or not isinstance(value.get("type"), str):
            yield NotAnalysed(position=item.position, reason="no line of a session: it has no type")


def _piece(line: Json, position: str) -> Piece:
    session = text(line.get("sessionId")) or text(line.get("session_id"))
    if line.get("isSidechain") is not True:
        return Piece(position, line, trace=session or "the file")
    agent = text(line.get("agentId"))
    if agent:
        return Piece(position, line, trace=f"{session}:{agent}")
    return Piece(position, line, None, text(line.get("uuid")) or None, text(line.get("parentUuid")) or None)


def _read(found: Gathered) -> tuple[Run, list[NotAnalysed]]:
    lines = [value for value in found.values if isinstance(value, dict)]
    return _rollout(found, lines) if any(map(_is_rollout, lines)) else _session(found, lines)


def _session(found: Gathered, lines: list[Json]) -> tuple[Run, list[NotAnalysed]]:
    """Claude Code's: a message of the model may stand in several lines, a block in each."""
    chat = Chat(f"session {found.trace}", _reply_error)
    messages = _joined(lines)
    stopped = bool(messages) and bool(_REFUSED.match(text_of(messages[-1].get("content"))))
    for failed, told in groupby(messages, key=lambda message: "failed" in message):
        if failed:
            for message in told:
                chat.fail(
                    StepError(message=text_of(message.get("content"))), moment(message.get("timestamp"))
                )
        else:
            chat.read(message for message in told if not _is_refusal(message))
    session = text(lines[0].get("sessionId")) or text(lines[0].get("session_id"))
    models = (model for line in lines if (model := text(line["message"].get("model"))))
    run = Run(
        run_id=found.trace if found.trace.startswith(session) else f"{session}:{found.trace}",
        agent=Agent(name="claude-code", version=text(lines[0].get("version")) or None),
        model_version=next((model for model in models if model != "<synthetic>"), None),
        conversation_id=session or None,
        user_intent=spoken(chat.first_words or ""),
        complete=chat.first_words is not None,
        steps=tuple(chat.steps),
        outcome=Outcome(status="aborted", reason="interrupted by the user") if stopped else Outcome(),
        started_at=moment(lines[0].get("timestamp")),
        ended_at=moment(lines[-1].get("timestamp")),
    )
    return run, chat.troubles


def _is_refusal(message: Json) -> bool:
    return message.get("role") == "user" and bool(_REFUSED.match(text_of(message.get("content"))))


def _joined(lines: list[Json]) -> list[Json]:
    """The messages of a session, what was split over lines put together under the message's id."""
    messages: list[Json] = []
    known: dict[str, Json] = {}
    for line in lines:
        message = {**line["message"], "role": line["type"], "timestamp": line.get("timestamp")}
        if line.get("isApiErrorMessage") is True:
            message["failed"] = True
        named = text(message.get("id")) if line["type"] == "assistant" and "failed" not in message else ""
        first = known.get(named) if named else None
        if first is None:
            known[named] = message
            messages.append(message)
        elif isinstance(first.get("content"), list) and isinstance(message.get("content"), list):
            first["content"] = first["content"] + [
                part for part in message["content"] if part not in first["content"]
            ]
    return messages


def _rollout(found: Gathered, lines: list[Json]) -> tuple[Run, list[NotAnalysed]]:
    """Codex's: items of the Responses API, with what the program says in a person's place taken as its prompt."""
    chat = Chat(f"rollout {found.trace}", _reply_error)
    meta: Json = {}
    items = []
    for line in lines:
        payload = line.get("payload")
        payload = payload if isinstance(payload, dict) else {}
        if line.get("type") == "response_item":
            items.append({**payload, "timestamp": payload.get("timestamp") or line.get("timestamp")})
        elif line.get("type") in {"session_meta", "turn_context"}:
            meta = {**payload, **meta}
    stopped = lines[-1].get("type") == "event_msg" and lines[-1]["payload"].get("type") == "turn_aborted"
    chat.read(_as_prompt(message) for message in messages_of_items(items))
    run = Run(
        run_id=found.trace if found.trace != "the file" else f"rollout-{text(lines[0].get('timestamp'))}",
        agent=Agent(
            name=text(meta.get("originator")) or "codex", version=text(meta.get("cli_version")) or None
        ),
        model_version=text(meta.get("model")) or None,
        conversation_id=found.trace if found.trace != "the file" else None,
        user_intent=spoken(chat.first_words or ""),
        prompt="\n".join(filter(None, [text(meta.get("instructions")), *chat.prompts])) or None,
        complete=chat.first_words is not None,
        steps=tuple(chat.steps),
        outcome=Outcome(status="aborted", reason="interrupted by the user") if stopped else Outcome(),
        started_at=moment(lines[0].get("timestamp")),
        ended_at=moment(lines[-1].get("timestamp")),
    )
    return run, chat.troubles


def _as_prompt(message: Any) -> Any:
    """A person's message that the program wrote becomes part of the prompt."""
    if (
        isinstance(message, dict)
        and message.get("role") == "user"
        and _CONTEXT.match(text_of(message.get("content")))
    ):
        return {**message, "role": "system"}
    return message


def _reply_error(content: JsonValue, message: Json) -> StepError | None:
    """What the reply marks as an error, or a command that ended with another status than 0. A person's refusal is none;
    nor is status 1 without a word, by which a search says that it found nothing."""
    told = content if isinstance(content, str) else text_of(content)
    if _REFUSED.search(told[:500]):
        return None
    ended = _ended(told)
    if ended is None:
        return reply_error(content, message)
    code, output = ended
    if code == 0 or (code == 1 and not output.strip()):
        return None
    return StepError(message=output.strip() or f"exit code {code}", type=f"exit code {code}")


def _ended(told: str) -> tuple[int, str] | None:
    """The exit code and the output of a command, from {"output", "metadata": {"exit_code"}} or from the lines that say it."""
    if told.startswith("{") and '"exit_code"' in told:
        try:
            value = loads(told)
        except NotJsonError:
            return None
        about = value.get("metadata") if isinstance(value, dict) else None
        code = about.get("exit_code") if isinstance(about, dict) else None
        return (
            (code, text(value.get("output"))) if isinstance(code, int) and isinstance(value, dict) else None
        )
    match = _EXIT.match(told)
    if match is None:
        return None
    output = _OUTPUT.search(told)
    return int(match.group(1)), output.group(1) if output else ""
