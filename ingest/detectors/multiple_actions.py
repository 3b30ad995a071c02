"""output.multiple_actions: one output with several actions, where the agent's loop runs one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errata_client.model import JsonValue
from errata_client.replay import StepView
from errata_client.run import Run, Step
from ingest.detectors.agent_text import ACTION, ANSWER, CALL_TAG, OBSERVATION, acts_by_text, written
from ingest.detectors.port import Detector, Finding

EXCERPT = 120
SHOWN = 8


def detect(run: Run, _calls: Sequence[StepView]) -> Iterator[Finding]:
    """One finding for each output that holds two or more actions as text (`Action:`, `动作：`, `<tool_call>`), of which
    the loop made at most one call.

    Not: agents that do not write their actions as text; calls of one message that all went out (they share a batch); `Action: Finish[…]` behind an action
    (output.premature_answer); what stands inside of a model's thinking tags. Evidence: how many, their starts, which
    tool was called, and whether the agent wrote observations of its own between them.
    """
    if not acts_by_text(run):
        return
    for step in run.steps:
        if step.requestor == "agent" and step.batch is None and step.raw_output:
            text = written(step.raw_output)
            actions = _actions(text)
            if len(actions) > 1:
                yield _finding(step, text, actions)


def _actions(text: str) -> list[str]:
    """The start of each action in `text`."""
    for mark in (ACTION, CALL_TAG):
        begins = [match.start() for match in mark.finditer(text)]
        if len(begins) > 1:
            answers = {match.start() for match in ANSWER.finditer(text)}
            starts = (text[begin : begin + EXCERPT] for begin in begins if begin not in answers)
            return [start for start in starts if not ANSWER.match(start)]
    return []


def _finding(step: Step, text: str, actions: list[str]) -> Finding:
    called = step.tool_call.tool if step.tool_call else None
    starts: list[JsonValue] = [" ".join(action.split()) for action in actions[:SHOWN]]
    return Finding(
        index=step.index,
        code="output.multiple_actions",
        message="the output holds several actions, where one at a time is run",
        kind="invalid_argument",
        evidence={
            "actions": len(actions),
            "starts": starts,
            "called": called,
            "wrote_observations": OBSERVATION.search(text) is not None,
        },
    )


DETECTOR = Detector("multiple_actions", ("output.multiple_actions",), detect)
