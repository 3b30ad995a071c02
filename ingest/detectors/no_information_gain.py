"""loop.no_information_gain: calls whose results tell next to nothing that the run did not know."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from errata_client.jsontext import canonical
from errata_client.model import JsonValue
from errata_client.replay import StepView
from errata_client.run import Run, Step
from ingest.detectors.port import Detector, Finding
from ingest.detectors.schemas import as_value
from ingest.repair import succeeded
from ingest.step_context import tool_kind

LEAST_GAIN = 0.15
RUNNING = 2
ENOUGH = 8
"""Facts from which an answer says enough for a share of them to mean something."""

MOST = 2_000
"""Facts of one answer that are looked at."""

MAX_TEXT = 20_000
ASKING = frozenset({"read", "other"})
_WORD = re.compile(r"[^\W\u4e00-\u9fff]+|[\u4e00-\u9fff]")


def detect(run: Run, calls: Sequence[StepView]) -> Iterator[Finding]:
    """Two calls of the agent in a row that ask for something (by its name the tool changes nothing), each answered at some
    length, and under 15 % of what each answer says is new to the run. What an answer says: of JSON its values with
    their keys, of text its pairs of neighbouring words. One finding for each such stretch, at its second call.

    So a second record of a kind that was read before is new: its fields are known, its values are not. Not: the very
    same call again (loop.repeated_call); errors and short or empty answers (a search that finds nothing tells that);
    calls of one message; where a person spoke or anything was changed in between, since it was right to look again.
    Evidence: `steps`, and the share of each that was new.
    """
    spoken = _spoken_before(run)
    if not _may_repeat(calls, spoken):
        return
    known: set[str] = set()
    asked: set[str] = set()
    stretch: list[tuple[int, float]] = []
    batch: int | None = None
    for call in calls:
        step = call.step
        together = step.batch is not None and step.batch == batch
        batch = step.batch
        if step.index in spoken:
            stretch = []
        gain = _gain(step, known, asked)
        stretch = [] if gain is None or gain >= LEAST_GAIN or together else [*stretch, (step.index, gain)]
        if len(stretch) == RUNNING:
            yield _finding(step, stretch)


def _may_repeat(calls: Sequence[StepView], spoken: set[int]) -> bool:
    """Whether any two calls stand together that ask for something: what the answers say counts only then."""
    return any(
        later.step.index not in spoken and _asks(before.step) and _asks(later.step)
        for before, later in itertools.pairwise(calls)
    )


def _asks(step: Step) -> bool:
    call = step.tool_call
    return call is not None and step.requestor == "agent" and step.paired and tool_kind(call.tool) in ASKING


def facts(result: JsonValue) -> set[str]:
    """What a result says: of JSON each value with the last key above it; of text each two neighbouring words."""
    value = as_value(result)
    if isinstance(value, str):
        words = _WORD.findall(value[:MAX_TEXT].casefold())
        return {" ".join(pair) for pair in itertools.pairwise(words)}
    told: list[str] = []
    stack: list[tuple[str, JsonValue]] = [("", value)]
    while stack and len(told) < MOST:
        name, found = stack.pop()
        if isinstance(found, dict):
            stack += [(name if key.isdigit() else key, below) for key, below in reversed(found.items())]
        elif isinstance(found, list | tuple):
            stack += [(name, below) for below in reversed(found)]
        else:
            told.append(f"{name}={found}")
    return set(told)


def _spoken_before(run: Run) -> set[int]:
    """The indexes of the calls before which a person said something since the last one."""
    found: set[int] = set()
    spoke = False
    for step in run.steps:
        spoke = spoke or bool(step.user_input)
        if step.tool_call is not None and spoke:
            found.add(step.index)
            spoke = False
    return found


def _gain(step: Step, known: set[str], asked: set[str]) -> float | None:
    """The share of what the call's answer says that is new; None where the call is none of these. Notes what it says."""
    assert step.tool_call is not None
    told = facts(step.observation) if succeeded(step) and step.observation is not None else set()
    new = len(told - known)
    known |= told
    key = canonical([step.tool_call.tool, step.tool_call.arguments])
    again = key in asked
    asked.add(key)
    return new / len(told) if _asks(step) and not again and len(told) >= ENOUGH else None


def _finding(step: Step, stretch: list[tuple[int, float]]) -> Finding:
    return Finding(
        index=step.index,
        code="loop.no_information_gain",
        message="two calls in a row told next to nothing that was not known",
        evidence={
            "steps": [index for index, _ in stretch],
            "new_share": [round(gain, 3) for _, gain in stretch],
        },
    )


DETECTOR = Detector("no_information_gain", ("loop.no_information_gain",), detect)
