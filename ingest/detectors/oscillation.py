"""loop.oscillation: to and fro between two calls that say nothing new."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from errata_client.jsontext import as_text, canonical
from errata_client.replay import StepView
from errata_client.run import Run, Step
from ingest.detectors.port import Detector, Finding
from ingest.error_kind import TRANSIENT, error_kind

PERIOD = 2
WINDOW = 2 * PERIOD


@dataclass(frozen=True)
class _Call:
    index: int
    batch: int | None
    key: str
    answer: str
    tool: str


def detect(_run: Run, calls: Sequence[StepView]) -> Iterator[Finding]:
    """Four calls of the agent in a row, A-B-A-B: A and B differ, each with equal arguments and the very same answer both
    times. One finding for each such stretch, at the call that completes it.

    Not: where a person said something or their side made a call in between; calls of one message; errors that trying
    again can help. A tool that is called three times over is also loop.repeated_call. Evidence: `steps`, `tools`.
    """
    window: list[_Call] = []
    told = False
    for call in calls:
        if call.step.requestor != "agent" or call.step.user_input:
            window, told = [], False
        made = _call(call.step)
        if made is None:
            window, told = [], False
            continue
        window = [*window[-(WINDOW - 1) :], made]
        goes_on = _swings(window)
        if goes_on and not told:
            yield _finding(window)
        told = goes_on


def _call(step: Step) -> _Call | None:
    """The call, or None where it cannot be a part of it."""
    if step.requestor != "agent" or step.tool_call is None or not step.answered or not step.paired:
        return None
    error = step.error
    if error is not None and error_kind(error.message, error.status, error.type) in TRANSIENT:
        return None
    key = canonical([step.tool_call.tool, step.tool_call.arguments])
    answer = f"error:{error.message}" if error else as_text(step.observation)
    return _Call(step.index, step.batch, key, answer, step.tool_call.tool)


def _swings(window: list[_Call]) -> bool:
    if len(window) < WINDOW or any(
        one.batch is not None and one.batch == other.batch for one, other in itertools.pairwise(window)
    ):
        return False
    first, second, third, fourth = window
    return (
        first.key != second.key
        and (first.key, first.answer) == (third.key, third.answer)
        and (second.key, second.answer) == (fourth.key, fourth.answer)
    )


def _finding(window: list[_Call]) -> Finding:
    first, second = window[0].tool, window[1].tool
    return Finding(
        index=window[-1].index,
        code="loop.oscillation",
        message=f"the agent goes to and fro between {first} and {second} with the same arguments and answers",
        evidence={"steps": [call.index for call in window], "tools": [first, second]},
    )


DETECTOR = Detector("oscillation", ("loop.oscillation",), detect)
