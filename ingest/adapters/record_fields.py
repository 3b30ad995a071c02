"""What records of many kinds say of their run, under the names that are used for it."""

from __future__ import annotations

from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Outcome
from ingest.adapters.chat import moment
from ingest.adapters.chat_run import declared_tools
from ingest.adapters.jsonvalue import clean_text
from ingest.adapters.tau_bench import outcome_of


def text_at(record: dict[str, JsonValue], *keys: str) -> str | None:
    """The first of `keys` that holds a text or a number, as text."""
    for key in keys:
        found = record.get(key)
        if isinstance(found, str) and found.strip():
            return clean_text(found)
        if isinstance(found, int | float) and not isinstance(found, bool):
            return str(found)
    return None


def number_at(record: dict[str, JsonValue], *keys: str) -> float | None:
    """The first of `keys` that holds a number."""
    for key in keys:
        found = record.get(key)
        if isinstance(found, int | float) and not isinstance(found, bool):
            return float(found)
    return None


def flag_at(record: dict[str, JsonValue], *keys: str) -> bool | None:
    """The first of `keys` that says yes or no: a boolean, or 0 or 1."""
    for key in keys:
        found = record.get(key)
        if isinstance(found, bool):
            return found
        if isinstance(found, int) and found in {0, 1}:
            return bool(found)
    return None


def texts_at(record: dict[str, JsonValue], *keys: str) -> tuple[str, ...]:
    """The first of `keys` that holds a list, as the texts in it; or one text alone."""
    for key in keys:
        found = record.get(key)
        if isinstance(found, list):
            return tuple(clean_text(str(item)) for item in found if isinstance(item, str | int))
        if isinstance(found, str) and found:
            return (clean_text(found),)
    return ()


def about_run(record: dict[str, JsonValue]) -> dict[str, Any]:
    """Fields of a run that the record names: id, task, model, tools, outcome, times. Absent ones are not in it."""
    found: dict[str, Any] = {
        "run_id": text_at(record, "run_id", "trace_id"),
        "task_id": text_at(record, "task_id"),
        "model_version": text_at(record, "model_version", "model"),
        "conversation_id": text_at(record, "conversation_id", "session_id"),
        "tools": declared_tools(record.get("tools")) or None,
        "outcome": outcome_in(record),
        "started_at": moment(record.get("started_at") or record.get("start_time")),
        "ended_at": moment(record.get("ended_at") or record.get("end_time")),
    }
    return {name: value for name, value in found.items() if value is not None}


def outcome_in(record: dict[str, JsonValue]) -> Outcome | None:
    """The outcome that the record states: `outcome`, a reward, or a flag of success; None where it states none."""
    given = record.get("outcome")
    status = given.get("status") if isinstance(given, dict) else given
    if status in {"success", "failure", "aborted", "unknown"}:
        return Outcome.model_validate(given if isinstance(given, dict) else {"status": status})
    success = flag_at(record, "success", "is_success", "succeeded", "solved", "is_correct", "correct")
    reward = number_at(record, "reward", "final_reward")
    if success is not None:
        return Outcome(status="success" if success else "failure", reward=reward)
    return outcome_of(reward) if reward is not None else None
