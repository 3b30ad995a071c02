"""The gate: what a draft's evidence must show before a person is asked to look at it."""

from __future__ import annotations

from knowledge.strategies import Evidence

MIN_SUPPORT = 3
MIN_TASKS = 2
MIN_PRECISION = 0.95
ENOUGH_REFERENCES = 30
INSUFFICIENT_REFERENCE = "insufficient_reference"


def failures(evidence: Evidence) -> tuple[str, ...]:
    """Why a draft may not enter review, in plain words; empty where it may."""
    found = [
        (evidence.support < MIN_SUPPORT, f"support {evidence.support}: fewer than {MIN_SUPPORT} cases"),
        (evidence.tasks < MIN_TASKS, "one task only: what one customer did is no pattern"),
        (evidence.harmed > 0, f"harmed {evidence.harmed} of {evidence.references} calls that worked"),
        (
            evidence.right < MIN_SUPPORT,
            f"right {evidence.right}: fewer than {MIN_SUPPORT} firings could be judged right",
        ),
        (
            evidence.precision is not None and evidence.precision < MIN_PRECISION,
            f"precision {evidence.precision or 0:.2f} of {evidence.fired} firings: under {MIN_PRECISION}",
        ),
        (
            evidence.idle > evidence.right,
            f"idle {evidence.idle} and right {evidence.right}: it gains nothing more often than something",
        ),
        (evidence.held_out_fired == 0, "held out: found again on no task that it was not made from"),
        (
            evidence.held_out_right < MIN_PRECISION * evidence.held_out_fired,
            f"held out: right {evidence.held_out_right} of {evidence.held_out_fired} on other tasks",
        ),
    ]
    return tuple(words for failed, words in found if failed)


def flags(references: int) -> tuple[str, ...]:
    """What a reviewer must be shown of the evidence itself: no signal is not no harm."""
    return (INSUFFICIENT_REFERENCE,) if references < ENOUGH_REFERENCES else ()
