"""The hidden right answers of benchmark files: which actions a task needed. The product never reads these."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errata_client.model import JsonValue
from errata_client.pointer import leaves
from errata_client.run import Run
from ingest.adapters.chat_run import content_id
from ingest.adapters.jsonvalue import NotJsonError, loads
from ingest.adapters.records import open_source
from ingest.adapters.registry import AUTO, recognise
from knowledge.errors import BadInputError

Answer = tuple[tuple[str, Mapping[str, JsonValue]], ...]
"""Calls of the agent: tool and arguments."""


@dataclass(frozen=True)
class Answered:
    """A run and the calls that its task needed."""

    run: Run
    answer: Answer


def answered_runs(path: Path) -> list[Answered]:
    """The runs of a tau-bench or tau2-bench file with their right answers; runs without one are left out.

    BadInputError where the file is not of these shapes.
    """
    found = recognise(open_source(path), AUTO)
    if found.adapter.name not in {"tau_bench", "tau2_bench"}:
        raise BadInputError(
            f"{path}: contrast is judged on tau-bench and tau2-bench files, this is {found.adapter.name}"
        )
    answers = _answers(path)
    runs = (item for item in found.adapter.read(open_source(path)) if isinstance(item, Run))
    return [Answered(run, answers[run.run_id]) for run in runs if run.run_id in answers]


def argument_values(arguments: Mapping[str, JsonValue]) -> dict[str, list[str]]:
    """The values of a call by place, `*` for positions in lists, in no order."""
    values: dict[str, list[str]] = {}
    for pointer, value in leaves(dict(arguments)):
        place = "/".join("*" if part.isdigit() else part for part in pointer.split("/"))
        values.setdefault(place, []).append(repr(value))
    return {place: sorted(found) for place, found in values.items()}


def _answers(path: Path) -> dict[str, Answer]:
    data = path.read_bytes()
    try:
        value = loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    except (NotJsonError, OSError, EOFError) as error:
        raise BadInputError(f"{path}: cannot be read whole, as judging needs: {error}") from error
    return dict(_tau2(value) if isinstance(value, dict) else _tau(value))


def _tau(records: Any) -> Iterator[tuple[str, Answer]]:
    for record in records if isinstance(records, list) else ():
        messages, task = record.get("traj"), _under(record, "info", "task")
        if isinstance(messages, list) and isinstance(task, dict):
            found = content_id("tau", [record.get("task_id"), record.get("trial")], messages)
            yield found, _calls(task.get("actions"))


def _tau2(value: dict[str, Any]) -> Iterator[tuple[str, Answer]]:
    tasks = {str(task.get("id")): task for task in value.get("tasks") or ()}
    for record in value.get("simulations") or ():
        messages, task_id = record.get("messages"), record.get("task_id")
        task = tasks.get(str(task_id))
        if isinstance(messages, list) and task is not None:
            found = content_id("tau2", [record.get("id"), task_id, record.get("trial")], messages)
            yield found, _calls(_under(task, "evaluation_criteria", "actions"))


def _calls(actions: Any) -> Answer:
    listed: Sequence[Any] = actions if isinstance(actions, list) else ()
    return tuple(
        (str(action.get("name")), action.get("kwargs") or action.get("arguments") or {})
        for action in listed
        if isinstance(action, dict) and action.get("requestor", "assistant") == "assistant"
    )


def _under(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
