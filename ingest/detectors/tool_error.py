"""tool.error and tool.unavailable: every reply of a tool that is an error, and no other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errata_client.replay import StepView
from errata_client.run import Run
from ingest.adapters.replies import UNKNOWN_TOOL
from ingest.detectors.port import Detector, Finding
from ingest.error_kind import OUT_OF_REACH, error_kind


def detect(_run: Run, calls: Sequence[StepView]) -> Iterator[Finding]:
    """One finding for each call whose reply the source reads as an error. It is tool.unavailable where the tool did
    not answer (unavailable, timed out): then the agent was not wrong. "No such tool" in a source that does not call it
    an error is left to tool.unknown."""
    for call in calls:
        error = call.step.error
        if error is None or error.type == UNKNOWN_TOOL:
            continue
        kind = error_kind(error.message, error.status, error.type)
        yield Finding(
            index=call.step.index,
            code="tool.unavailable" if kind in OUT_OF_REACH else "tool.error",
            message=error.message or "(the tool's error has no text)",
            kind=kind,
            evidence={"status": error.status, "type": error.type, "paired": call.step.paired},
        )


DETECTOR = Detector("tool_error", ("tool.error", "tool.unavailable"), detect)
