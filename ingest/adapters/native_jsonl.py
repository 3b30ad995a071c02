"""The native format: `errata_client.run.Run` as JSON, one a line (an array of them is read as well)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Run
from ingest.adapters.chat import moment
from ingest.adapters.jsonvalue import json_kind
from ingest.adapters.port import NotAnalysed, RecordError
from ingest.adapters.reading import read_records
from ingest.adapters.records import Opening
from ingest.adapters.replies import chat_error

TIMES = ("started_at", "ended_at")


class NativeJsonl:
    """The adapter. Unknown fields are kept. A step that does not have the key `error` at all is read like a chat's
    reply: an answer that begins as errors do is one."""

    name = "native_jsonl"
    looks_for = "records {run_id, steps: [{index, tool_call, observation, error}]}"

    def recognises(self, opening: Opening) -> str | None:
        """By a record with a run_id and a list of steps."""
        if any(_is_run(sample) for sample in opening.samples):
            return "its records have a run_id and steps"
        return None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a record."""
        return read_records(opening, native_run)


def native_run(record: JsonValue, position: str) -> tuple[Run, list[NotAnalysed]]:
    """The run of one record; pydantic's ValidationError says what is wrong with it."""
    if not isinstance(record, dict):
        raise RecordError(f"a run is an object with run_id and steps, this is {json_kind(record)}")
    steps = record.get("steps")
    given: dict[str, Any] = {**record, **_times(record)}
    if isinstance(steps, list):
        given["steps"] = [_step(step, index) for index, step in enumerate(steps)]
    run = Run.model_validate(given)
    return run, _errors_without_a_call(run, position)


def _step(step: JsonValue, index: int) -> Any:
    """The step with its index, and with the error that its answer is, if it says nothing about errors itself."""
    if not isinstance(step, dict):
        return step
    filled: dict[str, Any] = {"index": index, **step, **_times(step)}
    if step.get("tool_call") and "error" not in step:
        filled["error"] = chat_error(step.get("observation"))
    return filled


def _times(value: dict[str, JsonValue]) -> dict[str, Any]:
    """Times without a zone are taken as UTC; what cannot be read is left for the model to refuse."""
    return {key: moment(value[key]) or value[key] for key in TIMES if value.get(key) is not None}


def _is_run(sample: JsonValue) -> bool:
    return isinstance(sample, dict) and isinstance(sample.get("steps"), list) and "run_id" in sample


def _errors_without_a_call(run: Run, position: str) -> list[NotAnalysed]:
    return [
        NotAnalysed(
            position=f"{position}, step {step.index}",
            reason="an error without a tool call: no detector reads those",
        )
        for step in run.steps
        if step.error is not None and step.tool_call is None
    ]
