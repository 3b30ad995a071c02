"""tau-bench result files: a list of {task_id, trial, reward, info, traj}, `traj` being chat messages.

Of `info` only the name of the model is read, where it is there: it also holds the task's hidden answers, which no
run may carry. A file whose agent writes its actions as text is read by `text_actions`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Outcome, Run, StepError, ToolDeclaration
from ingest.adapters import text_actions
from ingest.adapters.chat import Chat
from ingest.adapters.chat_run import content_id, spoken
from ingest.adapters.jsonvalue import json_kind
from ingest.adapters.port import NotAnalysed, RecordError
from ingest.adapters.reading import read_records
from ingest.adapters.records import Opening
from ingest.adapters.replies import tau_error


class TauBench:
    """The adapter. A run's id is a digest of task, trial and messages: two files with the same task and trial do
    not collide, and the same conversation in another record shape is the same run."""

    name = "tau_bench"
    looks_for = "records {task_id, reward, traj: [messages]}"

    def recognises(self, opening: Opening) -> str | None:
        """By a record with a `traj` that is a list."""
        if any(
            isinstance(sample, dict) and isinstance(sample.get("traj"), list) for sample in opening.samples
        ):
            return "its records have a traj: a list of messages"
        return None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a record."""
        return read_records(opening, tau_run)


def tau_run(record: JsonValue, position: str) -> tuple[Run, list[NotAnalysed]]:
    """The run of one record. RecordError where it has no `traj`."""
    if not isinstance(record, dict):
        raise RecordError(f"a record is an object with a traj, this is {json_kind(record)}")
    messages = record.get("traj")
    if not isinstance(messages, list):
        raise RecordError("no list of messages in traj")
    chat = Chat(position, _reply_error)
    tools: tuple[ToolDeclaration, ...] = ()
    if text_actions.applies(messages):
        tools = text_actions.read(chat, messages)
    else:
        chat.read(messages)
    task, trial = record.get("task_id"), record.get("trial")
    run = Run(
        run_id=content_id("tau", [task, trial], messages),
        task_id=None if task is None else str(task),
        user_intent=spoken(chat.first_words or ""),
        prompt="\n".join(chat.prompts) or None,
        tools=tools,
        steps=tuple(chat.steps),
        outcome=outcome_of(record.get("reward")),
    )
    return run, chat.troubles


def outcome_of(reward: Any, reason: str | None = None) -> Outcome:
    """Reward 1 is success, 0 is failure, none is unknown. One between them (a score with penalties) is neither: it
    is kept and the outcome is unknown."""
    if isinstance(reward, bool) or not isinstance(reward, int | float):
        return Outcome(reason=reason)
    if reward >= 1.0 - 1e-9:
        return Outcome(status="success", reward=float(reward), reason=reason)
    if reward <= 1e-9:
        return Outcome(status="failure", reward=float(reward), reason=reason)
    between = f"the reward {reward:.4g} is between failure (0) and success (1)"
    return Outcome(reward=float(reward), reason=reason or between)


def _reply_error(content: JsonValue, _message: dict[str, Any]) -> StepError | None:
    return tau_error(content)
