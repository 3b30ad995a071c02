"""The small record that every run leaves, failed or not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

from errata_client.model import JsonValue, unchecked
from errata_client.replay import StepView
from errata_client.run import Run
from ingest.error_kind import error_kind
from ingest.repair import succeeded
from knowledge.ids import short_digest
from knowledge.runs import DecisiveStep, RecordedCall, RunRecord

MAX_LEAVES = 64
MAX_SHAPE = 40
_ALIKE = re.compile("([Aa9字])\\1+")


def run_record(
    run: Run,
    calls: Iterable[StepView],
    cases: int,
    intent: str,
    now: datetime,
    decisive: DecisiveStep | None = None,
) -> RunRecord:
    """The record of a masked run: its agent's calls in order, each with the shapes and digests of its arguments."""
    return RunRecord(
        run_id=run.run_id,
        agent=run.agent,
        model_version=run.model_version,
        task_id=run.task_id,
        user_intent=intent,
        outcome=run.outcome,
        occurred_at=run.started_at or now,
        calls=tuple(_recorded(call) for call in calls if call.step.requestor == "agent"),
        last_step=run.steps[-1].index if run.steps else -1,
        decisive=decisive,
        active_revision=run.active_revision,
        arm=run.arm,
        cases=cases,
    )


def _recorded(call: StepView) -> RecordedCall:
    step, view = call.step, call.moment
    found = view.leaves[:MAX_LEAVES]
    error, ok = step.error, succeeded(step)
    return unchecked(
        RecordedCall,
        {
            "index": step.index,
            "step_id": view.step_id,
            "tool": view.tool,
            "ok": ok,
            "error_kind": error_kind(error.message, error.status, error.type) if error else None,
            "shapes": {place: shape_of(value) for place, value in found},
            "digests": {place: short_digest(value) for place, value in found},
            "answer": short_digest(step.observation) if ok and step.observation is not None else None,
        },
    )


def shape_of(value: JsonValue) -> str:
    """What a value looks like: each run of letters is A or a, of digits 9, the rest stays ("#W2378156" -> "#A9"); for
    what is not text its JSON type."""
    if not isinstance(value, str):
        return "null" if value is None else "boolean" if isinstance(value, bool) else "number"
    return _shape_of(value[:200])


@lru_cache(maxsize=4096)
def _shape_of(text: str) -> str:
    return _ALIKE.sub(r"\1", "".join(map(_class_of, text)))[:MAX_SHAPE]


@lru_cache(maxsize=4096)
def _class_of(character: str) -> str:
    if character.isdigit():
        return "9"
    if character.isalpha():
        return "A" if character.isupper() else "a" if character < "\u2e80" else "字"
    return " " if character.isspace() else character
