"""tool.timeout: a call that was never answered, in a run that ended because time ran out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from errata_client.replay import StepView
from errata_client.run import Run
from ingest.detectors.port import Detector, Finding

_TIME_RAN_OUT = re.compile(
    r"time[ds]?[ _-]?out|deadline|time limit|ran out of time|超时|时间限制|时限", re.IGNORECASE
)


def detect(run: Run, calls: Sequence[StepView]) -> Iterator[Finding]:
    """One finding for the last call of a run, whichever side made it, where the record holds no answer to it and the
    run's outcome says that it ended because time ran out.

    A tool that *answers* with an error about time (504, "timed out", 超时) is tool.unavailable of kind deadline_exceeded:
    every error that a tool gives is tool.error or tool.unavailable. Not: an unanswered call of a run that says
    nothing of time; the record may simply end there. Evidence: what the outcome says.
    """
    if not calls or run.outcome.status in {"success", "aborted"}:
        return
    step = calls[-1].step
    reason = run.outcome.reason or ""
    if step.answered or not step.paired or not _TIME_RAN_OUT.search(reason):
        return
    yield Finding(
        index=step.index,
        code="tool.timeout",
        message="the call was not answered and the run timed out",
        kind="deadline_exceeded",
        evidence={"outcome_says": reason[:200]},
    )


DETECTOR = Detector("tool_timeout", ("tool.timeout",), detect)
