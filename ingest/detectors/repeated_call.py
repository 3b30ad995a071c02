"""loop.repeated_call: the same call again, and nothing new learned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from errata_client.jsontext import as_text, canonical
from errata_client.replay import StepView
from errata_client.run import Run, Step
from ingest.detectors.port import Detector, Finding
from ingest.error_kind import TRANSIENT, error_kind
from ingest.step_context import tool_kind

MANY = 3
CHANGING = frozenset({"write", "change", "remove"})


@dataclass
class _Same:
    """The calls of one tool with equal arguments so far, since the answer last differed."""

    answer: str = ""
    steps: list[int] = field(default_factory=list)
    told: bool = False

    @property
    def failing(self) -> bool:
        """Whether the answer is an error."""
        return self.answer.startswith("error:")


class _Seen:
    """The calls so far, by what was called; those that failed apart, so that each is forgotten once."""

    def __init__(self) -> None:
        self._failing: dict[str, _Same] = {}
        self._others: dict[str, _Same] = {}

    def take(self, key: str) -> _Same:
        """What is known of a call; it is kept anew once it was looked at."""
        return self._failing.pop(key, None) or self._others.pop(key, None) or _Same()

    def keep(self, key: str, same: _Same) -> None:
        (self._failing if same.failing else self._others)[key] = same

    def forget(self, step: Step, key: str) -> None:
        """Drop what a call that succeeded may have changed the answer of."""
        if step.error is not None or step.tool_call is None:
            return
        changes = tool_kind(step.tool_call.tool) in CHANGING
        for held in (self._failing, self._others) if changes else (self._failing,):
            own = held.get(key)
            held.clear()
            if own is not None:
                held[key] = own


def detect(_run: Run, calls: Sequence[StepView]) -> Iterator[Finding]:
    """The agent calls a tool again with equal arguments and gets the very answer that it had before: the third time in
    a row that this happens, or the second time where the answer is an error that trying again cannot help (not one of
    unavailable, deadline_exceeded, resource_exhausted, aborted).

    Calls of one batch went out together, so only one of them counts. The count starts again where the answer was
    another one, and where something else happened in between that may have changed it: for errors any other call that
    succeeded, for results one that by its name changes something, whichever side made it. One finding for each such loop, at the call that
    completes it; `times` in its evidence counts all.
    """
    seen = _Seen()
    batches: dict[str, int | None] = {}
    for call in calls:
        step = call.step
        if step.tool_call is None or not step.answered or not step.paired:
            continue
        key = canonical([step.requestor, step.tool_call.tool, step.tool_call.arguments])
        seen.forget(step, key)
        if step.requestor != "agent" or (step.batch is not None and batches.get(key) == step.batch):
            continue
        batches[key] = step.batch
        same = seen.take(key)
        completes = _completes(same, step)
        seen.keep(key, same)
        if completes:
            same.told = True
            yield _finding(step, same)


def _completes(same: _Same, step: Step) -> bool:
    answer = _answer(step)
    if answer != same.answer:
        same.answer, same.steps, same.told = answer, [step.index], False
        return False
    same.steps.append(step.index)
    return not same.told and len(same.steps) >= _enough(step)


def _enough(step: Step) -> int:
    """How many times are too many; one that trying again may help is no loop."""
    if step.error is None:
        return MANY
    kind = error_kind(step.error.message, step.error.status, step.error.type)
    return 1_000_000 if kind in TRANSIENT else MANY - 1


def _answer(step: Step) -> str:
    if step.error is not None:
        return f"error:{step.error.message}"
    return f"result:{as_text(step.observation)}"


def _finding(step: Step, same: _Same) -> Finding:
    assert step.tool_call is not None
    failing = step.error is not None
    what = "the same error" if failing else "the same result"
    return Finding(
        index=step.index,
        code="loop.repeated_call",
        message=f"{step.tool_call.tool} was called again with the same arguments and gave {what}",
        kind=error_kind(step.error.message, step.error.status, step.error.type) if step.error else "unknown",
        evidence={"steps": [*same.steps], "times": len(same.steps), "answer_excerpt": same.answer[:200]},
    )


DETECTOR = Detector("repeated_call", ("loop.repeated_call",), detect)
