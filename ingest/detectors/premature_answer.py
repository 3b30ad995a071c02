"""output.premature_answer: the answer came before the work that it speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errata_client.deliberation import Plan, PlanStep
from errata_client.model import JsonValue
from errata_client.replay import StepView
from errata_client.run import Run, Step
from ingest.detectors.agent_text import ACTION, ANSWER, acts_by_text, written
from ingest.detectors.places import last_step, plan_at
from ingest.detectors.port import Detector, Finding

SHOWN = 10


def detect(run: Run, _calls: Sequence[StepView]) -> Iterator[Finding]:
    """A finding where

    - one output of an agent that acts by text holds an action and, behind it, the final answer: the answer cannot have seen what the action gives; or
    - the run ended with the agent's answer while steps of the plan in force, each with a tool, were neither done, failed
      nor skipped, and no call of the run is of such a step or its tool. Not where the run is known to have succeeded.

    Not: an answer that is merely wrong or short. Evidence: `why`, `open_steps`.
    """
    for step in run.steps if acts_by_text(run) else ():
        if step.requestor == "agent" and step.raw_output and _answers_behind_action(written(step.raw_output)):
            yield _finding(
                step, "the final answer stands in one output with an action whose result it has not seen", []
            )
    last = last_step(run)
    if last is not None and last.tool_call is None and run.outcome.status != "success":
        undone = _undone(run, plan_at(run.plans, last.index))
        if undone and last.raw_output:
            yield _finding(
                last, "the answer came before all steps of the plan were done", undone, detail="plan"
            )


def _answers_behind_action(text: str) -> bool:
    action = ACTION.search(text)
    if action is None:
        return False
    answers = (match.start() for match in ANSWER.finditer(text))
    return any(start > action.start() for start in answers)


def _undone(run: Run, plan: Plan | None) -> list[PlanStep]:
    if plan is None:
        return []
    names = {step.step_id for step in run.steps if step.step_id}
    tools = {step.tool_call.tool for step in run.steps if step.tool_call}
    return [
        planned
        for planned in plan.steps
        if planned.status == "planned"
        and planned.tool is not None
        and planned.step_id not in names
        and planned.tool not in tools
    ]


def _finding(step: Step, why: str, undone: list[PlanStep], detail: str = "") -> Finding:
    open_steps: list[JsonValue] = [f"{planned.step_id}: {planned.tool}" for planned in undone[:SHOWN]]
    return Finding(
        index=step.index,
        code="output.premature_answer",
        message=why,
        kind="failed_precondition",
        detail=detail,
        evidence={"why": why, "open_steps": open_steps},
    )


DETECTOR = Detector("premature_answer", ("output.premature_answer",), detect)
