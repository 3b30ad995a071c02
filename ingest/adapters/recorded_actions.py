"""Runs of which only the task and the calls were kept: {task, trial, instruction, agent_actions: [{name, arguments}]}.

What a record says of the right answer (`ground_truth_actions`) or of why the run failed (`classification`) is not read,
beyond that a classified run is a failed one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Agent, Outcome, Run, Step
from ingest.adapters.arguments import make_call
from ingest.adapters.jsonvalue import clean_text
from ingest.adapters.port import NotAnalysed, RecordError
from ingest.adapters.reading import read_records
from ingest.adapters.records import Opening
from ingest.adapters.tau_bench import outcome_of
from knowledge.ids import digest

ACTIONS = "agent_actions"
NO_ANSWERS = "the record holds no answers of tools: their errors cannot be seen"


class RecordedActions:
    """The adapter. The record holds no answers: each call is one that was not answered, neither success nor failure."""

    name = "recorded_actions"
    looks_for = "records {instruction, agent_actions: [{name, arguments}]}"

    def recognises(self, opening: Opening) -> str | None:
        """By a record with a list of `agent_actions`."""
        if any(
            isinstance(sample, dict) and isinstance(sample.get(ACTIONS), list) for sample in opening.samples
        ):
            return f"its records have {ACTIONS}: a list of calls"
        return None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a record."""
        return read_records(opening, recorded_run)


def recorded_run(record: JsonValue, position: str) -> tuple[Run, list[NotAnalysed]]:
    """The run of one record. RecordError where it has no `agent_actions`."""
    if not isinstance(record, dict) or not isinstance(actions := record.get(ACTIONS), list):
        raise RecordError(f"no list of calls in {ACTIONS}")
    config, task, trial = record.get("config"), record.get("task", record.get("task_id")), record.get("trial")
    instruction = record.get("instruction")
    said = clean_text(instruction) if isinstance(instruction, str) and instruction else None
    steps, unread = _steps(actions, said, position)
    run = Run(
        run_id=f"actions-{digest(config, task, trial, actions)}",
        agent=Agent(name=config) if isinstance(config, str) and config else Agent(),
        task_id=None if task is None else str(task),
        user_intent=said,
        steps=steps,
        outcome=_outcome(record),
    )
    return run, [*unread, NotAnalysed(position=position, reason=NO_ANSWERS)]


def _steps(actions: list[Any], said: str | None, position: str) -> tuple[tuple[Step, ...], list[NotAnalysed]]:
    steps: list[Step] = []
    unread: list[NotAnalysed] = []
    for number, action in enumerate(actions, 1):
        name = action.get("name") if isinstance(action, dict) else None
        if not isinstance(name, str) or not name:
            unread.append(NotAnalysed(position=f"{position}, action {number}", reason="a call has a name"))
            continue
        call = make_call(clean_text(name), action.get("arguments", action.get("kwargs")))
        heard = said if not steps else None
        steps.append(Step(index=len(steps), user_input=heard, tool_call=call, answered=False))
    return tuple(steps), unread


def _outcome(record: dict[str, JsonValue]) -> Outcome:
    if "reward" in record:
        return outcome_of(record["reward"])
    if isinstance(record.get("classification"), dict):
        return Outcome(status="failure", reason="the record is of a failed run")
    return Outcome()
