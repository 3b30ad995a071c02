"""output.no_action: a turn of the agent that neither acts nor answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from errata_client.replay import StepView
from errata_client.run import Run, Step
from ingest.detectors.agent_text import ACTION, ANSWER, THOUGHT, acts_by_text, written
from ingest.detectors.port import Detector, Finding

EXCERPT = 200
END = 160
"""Characters at the end of a text in which an announcement stands."""

_WAITING = re.compile(
    r"(?:one|just a|give me a|please (?:hold|wait|allow me a)(?: on)?(?: for)?(?: a)?) (?:moment|minute|second)"
    r"|please (?:hold on|wait|stand by|bear with me)|hold on (?:a|one|for a) (?:moment|second|minute)"
    r"|(?:请您?)?(?:稍等|稍候|稍后片刻|等一下|等我一下)",
    re.IGNORECASE,
)
_DOING = re.compile(
    r"\b(?:let me|i(?:'|’)ll|i will|i(?:'|’)m going to|i am going to|i(?:'|’)m now|i am now|now i)\b"
    r"|(?:我(?:来|先|这就|马上|现在|立即|将|会)|正在)",
    re.IGNORECASE,
)
_SPEAKS = re.compile(r"\b(?:respond|reply|answer|say|ask|finish|message)\w*\b|回复|回答|询问", re.IGNORECASE)
"""An action that is talking to the person."""

_ASKS = re.compile(r"[?？]")
_HANDED_OVER = re.compile(
    r"transfer|connect(?:ing|ed)? you|human|representative|specialist|转接|人工", re.IGNORECASE
)


def detect(run: Run, _calls: Sequence[StepView]) -> Iterator[Finding]:
    """One finding for each turn of the agent without a call that

    - holds nothing but thinking;
    - is of an agent that writes its actions as text, and names an action (`Action:`) that is no call, or holds a thought
      and no action though its loop goes on; or
    - announces work and asks the person to wait for it ("Let me look. One moment, please."), though nothing goes on once
      its turn is over.

    Not: an answer, an action that speaks to the person, a question, a handing over to a person; a turn behind which the run's own loop goes on with a call.
    Evidence: `why`, and the text's end.
    """
    follows, by_text = _next_steps(run), acts_by_text(run)
    for step in run.steps:
        if step.tool_call is None and step.raw_output and step.requestor == "agent":
            why = _why(step, follows.get(step.index), by_text=by_text)
            if why is not None:
                yield _finding(step, why)


def _next_steps(run: Run) -> dict[int, Step]:
    return {step.index: following for step, following in zip(run.steps, run.steps[1:], strict=False)}


def _why(step: Step, following: Step | None, *, by_text: bool) -> str | None:
    text = written(step.raw_output)
    if not text:
        return "holds nothing but thinking"
    goes_on = following is not None and not following.user_input
    if by_text and not ANSWER.search(text):
        action = ACTION.search(text)
        if action is not None:
            answers = _SPEAKS.search(text, action.end())
            return None if answers else "names an action that is no call"
        if THOUGHT.match(text) and goes_on:
            return "holds a thought and no action"
    return None if goes_on or not _announces(text) else "announces an action and ends the turn without it"


def _announces(text: str) -> bool:
    end = text[-END:]
    return bool(
        _WAITING.search(end)
        and _DOING.search(text)
        and not _ASKS.search(text)
        and not _HANDED_OVER.search(text)
    )


def _finding(step: Step, why: str) -> Finding:
    return Finding(
        index=step.index,
        code="output.no_action",
        message=f"the output {why}",
        evidence={"why": why, "end": written(step.raw_output)[-EXCERPT:]},
    )


DETECTOR = Detector("no_action", ("output.no_action",), detect)
