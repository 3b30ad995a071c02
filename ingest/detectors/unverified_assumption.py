"""thought.unverified_assumption: what was only assumed was acted upon."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from errata_client.pointer import Scalar
from errata_client.replay import StepView
from errata_client.run import Run
from ingest.detectors.port import Detector, Finding
from ingest.detectors.thought_tags import assumptions

SHORTEST = 3
EXCERPT = 200
KEPT = 50
"""Assumptions of a run that are looked at, the latest ones."""


def detect(run: Run, calls: Sequence[StepView]) -> Iterator[Finding]:
    """An argument of an agent's call holds a value that an assumption of this thought or an earlier one names, and that
    neither a person gave nor a tool returned before the call. An assumption is what is tagged so (assumption, 假设), or a
    sentence that says so ("I'll assume …", "presumably …", 先假设…, 应该是…). One finding for each argument.

    Not: values of under 3 characters, true and false; what was looked up or asked for in between: its value has a
    source then. Evidence: the assumption's start, the argument, its value.
    """
    made: list[str] = []
    thinking = iter([step for step in run.steps if step.requestor == "agent" and step.thought])
    waiting = next(thinking, None)
    for call in calls:
        while waiting is not None and waiting.index <= call.step.index:
            made = [*made, *assumptions(waiting.thought or "")][-KEPT:]
            waiting = next(thinking, None)
        if made and call.step.requestor == "agent" and call.step.paired:
            yield from _findings(call, made)


def _findings(call: StepView, made: Sequence[str]) -> Iterator[Finding]:
    for place, value in call.moment.leaves:
        if call.moment.provenance.get(place) not in {"nowhere", "prompt"}:
            continue
        assumed = next((text for text in made if _names(text, value)), None)
        if assumed is None:
            continue
        argument = place.strip("/").replace("/", ".")
        yield Finding(
            index=call.step.index,
            code="thought.unverified_assumption",
            message=f"the argument {argument} rests on an assumption that nothing verified",
            kind="failed_precondition",
            detail=place,
            evidence={
                "argument": place,
                "value": value,
                "assumption": assumed.strip()[:EXCERPT],
                "tool_failed": call.step.error is not None,
            },
        )


def _names(text: str, value: Scalar) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    sought = str(value).strip().casefold()
    if len(sought) < SHORTEST or sought not in text.casefold():
        return False
    if not sought.isascii():
        return True
    return re.search(rf"(?<![0-9a-z_]){re.escape(sought)}(?![0-9a-z_])", text.casefold()) is not None


DETECTOR = Detector("unverified_assumption", ("thought.unverified_assumption",), detect)
