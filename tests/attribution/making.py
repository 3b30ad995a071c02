"""Problems, causes and shifts for the tests of attribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from attribution.calibration import Calibration
from attribution.encoders.port import Vectors
from attribution.parameters import FieldCalibrations, Parameters
from knowledge.cases import Problem
from knowledge.causes import Exemplar, Label, RootCause
from knowledge.ids import digest
from knowledge.kinds import PROBLEMS, ROOT_CAUSES
from knowledge.stage import Shift
from knowledge.store import Store

NOW = datetime(2026, 3, 1, 2, 0, tzinfo=UTC)
PLAIN = Calibration(knots=((0.0, 0.0), (1.0, 1.0)))


def problem(text: str, **changes: object) -> Problem:
    """A problem whose error says `text`."""
    fields: dict[str, object] = {
        "fingerprint": digest("test", text, changes.get("tool"), changes.get("error_code")),
        "error_code": "tool.error",
        "error_kind": "unknown",
        "step_id": "call_tool",
        "tool": "call_tool",
        "error_pattern": text,
        "error_message": text,
        "user_intent": "",
        "context_text": "",
        "exemplar": "case",
        "count": 3,
        "first_seen": NOW - timedelta(days=2),
        "last_seen": NOW - timedelta(days=1),
    }
    return Problem.model_validate({**fields, **changes})


def cause(cause_id: str, *texts: str, **changes: object) -> RootCause:
    """A cause of tool errors with these error texts as exemplars."""
    fields: dict[str, object] = {
        "cause_id": cause_id,
        "name": f"cause {cause_id}",
        "statement": "It went wrong.",
        "error_codes": ("tool.error",),
        "exemplars": tuple(Exemplar(error_pattern=text) for text in texts),
    }
    return RootCause.model_validate({**fields, **changes})


def label(of: Problem, answer: str, root_cause: str | None, minute: int = 0) -> Label:
    """A person's answer, `minute` minutes after NOW."""
    return Label(
        label_id=digest(of.fingerprint, answer, root_cause, minute),
        fingerprint=of.fingerprint,
        answer=answer,
        root_cause=root_cause,
        error_code=of.error_code,
        error_kind=of.error_kind,
        error_pattern=of.error_pattern,
        actor="mei",
        reason="seen it",
        at=NOW + timedelta(minutes=minute),
    )


def a_shift(store: Store, days: int = 0) -> Shift:
    """A shift on the project "desk", `days` days after NOW."""
    return Shift(store, "desk", f"night-{days}", NOW + timedelta(days=days))


def keep(shift: Shift, *items: Problem | RootCause) -> None:
    """Write problems and causes to the store."""
    for item in items:
        kind = PROBLEMS if isinstance(item, Problem) else ROOT_CAUSES
        shift.store.collection(shift.project, kind).put_many([item])


class TableEncoder:
    """An encoder that knows a few texts by heart: their vectors are given. It reads no other text."""

    def __init__(self, identity: str, table: Mapping[str, Sequence[float]]) -> None:
        self.id = identity
        self.table = {text: np.asarray(vector, dtype=np.float32) for text, vector in table.items()}
        self.dimension = len(next(iter(self.table.values())))
        self.encoded: list[str] = []

    def reads(self, text: str) -> bool:
        return text in self.table

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.encoded += texts
        rows = np.array([self.table[text] for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def plain_parameters(*encoders: str, **changes: object) -> Parameters:
    """Parameters under which the calibrated score of the error text is the cosine itself."""
    fields = {encoder: FieldCalibrations(error_pattern=PLAIN) for encoder in encoders}
    return Parameters.model_validate({"calibrations": fields, **changes})


def angle(cosine: float) -> tuple[float, float]:
    """A unit vector whose cosine with (1, 0) is `cosine`."""
    return cosine, float(np.sqrt(1 - cosine * cosine))
