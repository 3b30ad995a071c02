"""Chats of several agents: {history: [{role | name, content}], question, …}, AutoGen's group chats and the like.

Each message is a step, so that step and message have one number; who spoke is its step_id. Labels that a record holds
about itself (`ground_truth`, `mistake_agent`, `mistake_step`, `mistake_reason`) are never read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Agent, Outcome, Run
from ingest.adapters.autogen_state import messages_in_state
from ingest.adapters.chat_run import content_id, declared_tools
from ingest.adapters.code_blocks import is_execution
from ingest.adapters.group_chat import GroupChat, speaker
from ingest.adapters.port import NotAnalysed, RecordError
from ingest.adapters.reading import converted, read_records
from ingest.adapters.records import Opening, Record, Unreadable, records
from ingest.adapters.tau_bench import outcome_of

LISTS = ("history", "chat_history", "trajectory", "messages")
QUESTIONS = ("question", "task", "query", "instruction", "problem")
ROLES = frozenset({"user", "human", "assistant", "system", "developer"})
ENOUGH = 2
"""Named speakers beside the person from which a list of messages is a chat of several agents."""


class MultiAgentChat:
    """The adapter. What another agent said is an observation, what the person asked is user input; code that was run
    is a call of the one that ran it."""

    name = "multi_agent_chat"
    looks_for = "records {history: [{name or role, content}]} of several speakers, or lists of such messages"

    def recognises(self, opening: Opening) -> str | None:
        """By a list of messages of two or more named agents, or by `history` with speakers that OpenAI does not have."""
        for sample in opening.samples:
            found = _messages(sample)
            if len(_agents(found)) >= ENOUGH:
                return "its messages are of several named agents"
            if _ran_code(found):
                return "its messages are of agents and of what ran their code"
            if (
                isinstance(sample, dict)
                and "agent_states" in sample
                and str(sample.get("type")).endswith("State")
            ):
                return "it is the state of a team of AutoGen"
        bare = [sample for sample in opening.samples if _is_message(sample)]
        if len(_agents(bare)) >= ENOUGH or _is_agent_chat(bare):
            return "it is a list of messages of several named agents"
        return None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a record; bare messages are those of one run."""
        if any(_is_message(sample) for sample in opening.samples):
            return converted(_one_chat(opening), group_run)
        return read_records(opening, group_run)


def group_run(record: JsonValue, position: str) -> tuple[Run, list[NotAnalysed]]:
    """The run of one record."""
    messages, about = _messages(record), record if isinstance(record, dict) else {}
    if not any(_is_message(message) for message in messages):
        raise RecordError("no list of messages with speakers in " + ", ".join(LISTS))
    question = next((text for key in QUESTIONS if (text := _text(about.get(key)))), None)
    chat = GroupChat(position, question)
    chat.read(messages)
    task = about.get("question_ID", about.get("task_id"))
    run = Run(
        run_id=_text(about.get("run_id"))
        or content_id("group", [_text(task), question], [_essential(message) for message in messages]),
        agent=_agent(about),
        model_version=_text(about.get("model_version")) or _text(about.get("model")),
        task_id=_text(task),
        user_intent=question or chat.first_words,
        prompt=_prompt(about, chat.prompts),
        tools=declared_tools(about.get("tools")),
        steps=tuple(chat.steps),
        outcome=_outcome(about),
    )
    return run, chat.troubles


def _one_chat(opening: Opening) -> Iterator[Record | Unreadable]:
    items = list(records(opening))
    yield from (item for item in items if isinstance(item, Unreadable))
    yield Record("record 1", [item.value for item in items if isinstance(item, Record)])


def _messages(record: JsonValue) -> list[Any]:
    if isinstance(record, list):
        return record
    if isinstance(record, dict):
        listed = next((found for key in LISTS if isinstance(found := record.get(key), list) and found), None)
        return listed if listed is not None else messages_in_state(record)
    return []


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and speaker(value) is not None
        and ("content" in value or "tool_calls" in value)
    )


def _agents(messages: list[Any]) -> set[str]:
    """The speakers that are neither a person nor a role of OpenAI's; tools' replies do not count."""
    told = (speaker(message) for message in messages if _is_message(message) and not _is_reply(message))
    return {name for name in told if name is not None and name not in ROLES}


def _is_reply(message: dict[str, Any]) -> bool:
    return str(message.get("role")) in {"tool", "function"}


def _ran_code(messages: list[Any]) -> bool:
    """Whether the messages are of an agent and a machine that ran its code, or of AutoGen's AgentChat."""
    told = [message for message in messages if isinstance(message, dict)]
    if _is_agent_chat(told):
        return bool(_agents(messages))
    texts = (message.get("content") for message in told)
    return any(isinstance(text, str) and is_execution(text) for text in texts)


def _is_agent_chat(messages: list[Any]) -> bool:
    """Whether the messages are of AutoGen's AgentChat: they have a source and a type."""
    return any(
        isinstance(message, dict)
        and isinstance(message.get("source"), str)
        and str(message.get("type")).endswith(("Message", "Event"))
        for message in messages
    )


def _essential(message: Any) -> Any:
    """What counts for the run's id: who said what."""
    if not isinstance(message, dict):
        return message
    kept = {key: message[key] for key in ("content", "tool_calls") if key in message}
    return {"role": speaker(message), **kept}


def _prompt(about: dict[str, JsonValue], said: list[str]) -> str | None:
    given = about.get("system_prompt")
    texts = [*given.values()] if isinstance(given, dict) else [given]
    return "\n".join([*(text for text in texts if isinstance(text, str)), *said]).strip() or None


def _agent(about: dict[str, JsonValue]) -> Agent:
    named = about.get("agent")
    if isinstance(named, dict):
        return Agent.model_validate(named)
    return Agent(name=named) if isinstance(named, str) and named else Agent()


def _outcome(about: dict[str, JsonValue]) -> Outcome:
    """By `outcome`, by whether the answer was judged right (`is_correct`, `is_corrected`), or by a reward."""
    given = about.get("outcome")
    if isinstance(given, dict):
        return Outcome.model_validate(given)
    for key in ("is_correct", "is_corrected", "correct", "success"):
        if isinstance(judged := about.get(key), bool):
            return Outcome(
                status="success" if judged else "failure", reason=f"{key} is {str(judged).lower()}"
            )
    return outcome_of(about.get("reward"))


def _text(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value else None
