"""plan.order, plan.missing_prerequisite and plan.contract_violation: what was done beside what was planned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errata_client.deliberation import Plan, PlanStep
from errata_client.model import JsonValue
from errata_client.pointer import leaves
from errata_client.replay import StepView
from errata_client.run import Run, Step
from ingest.detectors.places import plan_at
from ingest.detectors.plan_references import dependencies, is_reference
from ingest.detectors.port import Detector, Finding

SHOWN = 10


def detect(run: Run, _calls: Sequence[StepView]) -> Iterator[Finding]:
    """A step of the run is one of the plan in force by its `step_id`. For each such step, the first time that it is done:

    - plan.order: it needs (by `depends_on` or a reference) a step that was done only later, or that was done and failed.
    - plan.missing_prerequisite: it needs a step with a tool that was never done, nor marked as done.
    - plan.contract_violation: it calls another tool than planned, or a planned argument has another value. Planned
      references have no value yet and are passed over.

    Not: the order in which a plan lists its steps; a step done again with other arguments after it failed; calls
    that no plan names (tool.not_permitted, where the plan bounds them). Evidence: `needs`, or what differs.
    """
    if not run.plans:
        return
    done = _Done(run)
    seen: set[tuple[int, str]] = set()
    for step in run.steps:
        plan = plan_at(run.plans, step.index) if step.step_id else None
        planned = _planned(plan, step)
        if plan is None or planned is None or (plan.at, planned.step_id) in seen:
            continue
        seen.add((plan.at, planned.step_id))
        yield from _too_early(plan, planned, step, done)
        yield from _otherwise(planned, step)


class _Done:
    """When each named step was done, and how it ended."""

    def __init__(self, run: Run) -> None:
        self._ends: dict[str, list[tuple[int, bool]]] = {}
        for step in run.steps:
            if step.step_id:
                self._ends.setdefault(step.step_id, []).append((step.index, step.error is None))

    def ever(self, name: str) -> bool:
        """Whether the run has the step at all."""
        return name in self._ends

    def before(self, name: str, index: int) -> bool | None:
        """How the step had last ended before `index`; None where it had not been done."""
        ends = [fine for at, fine in self._ends.get(name, ()) if at < index]
        return ends[-1] if ends else None


def _planned(plan: Plan | None, step: Step) -> PlanStep | None:
    if plan is None:
        return None
    return next((planned for planned in plan.steps if planned.step_id == step.step_id), None)


def _too_early(plan: Plan, planned: PlanStep, step: Step, done: _Done) -> Iterator[Finding]:
    by_name = {one.step_id: one for one in plan.steps}
    for need in dependencies(plan)[planned.step_id]:
        needed, before = by_name[need], done.before(need, step.index)
        if before or need == planned.step_id:
            continue
        if before is False:
            yield _early(step, needed, "plan.order", "uses the output of a step that had failed")
        elif done.ever(need):
            yield _early(step, needed, "plan.order", "uses the output of a step that was done only later")
        elif needed.tool is not None and needed.status != "done":
            yield _early(
                step, needed, "plan.missing_prerequisite", "was done without the step that it depends on"
            )


def _early(step: Step, needed: PlanStep, code: str, why: str) -> Finding:
    return Finding(
        index=step.index,
        code="plan.order" if code == "plan.order" else "plan.missing_prerequisite",
        message=f"a step {why}",
        kind="failed_precondition",
        detail=needed.step_id,
        evidence={
            "needs": needed.step_id,
            "tool": needed.tool,
            "step": step.step_id,
            "why": why,
            "failed": step.error is not None,
        },
    )


def _otherwise(planned: PlanStep, step: Step) -> Iterator[Finding]:
    call = step.tool_call
    if call is None:
        return
    if planned.tool is not None and planned.tool != call.tool:
        evidence: dict[str, JsonValue] = {"planned": planned.tool, "called": call.tool}
        yield _broken(step, "a step calls another tool than the plan says", evidence)
        return
    given = dict(leaves(call.arguments))
    differing = [
        place
        for place, value in leaves(planned.arguments)
        if not is_reference(value) and place in given and not _same(given[place], value)
    ]
    if differing:
        places: list[JsonValue] = [*differing[:SHOWN]]
        yield _broken(step, "a step gives other arguments than the plan says", {"arguments": places})


def _same(given: JsonValue, planned: JsonValue) -> bool:
    """Equal, or the same once written down ("5" and 5)."""
    return given == planned or str(given).strip().casefold() == str(planned).strip().casefold()


def _broken(step: Step, message: str, evidence: dict[str, JsonValue]) -> Finding:
    return Finding(
        index=step.index,
        code="plan.contract_violation",
        message=message,
        kind="failed_precondition",
        evidence={"step": step.step_id, **evidence},
    )


DETECTOR = Detector(
    "plan_course", ("plan.order", "plan.missing_prerequisite", "plan.contract_violation"), detect
)
