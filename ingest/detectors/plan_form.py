"""plan.invalid and plan.cycle: plans that cannot be carried out as they are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from errata_client.deliberation import Plan
from errata_client.model import JsonValue
from errata_client.replay import StepView
from errata_client.run import Run
from ingest.detectors.places import step_at
from ingest.detectors.plan_references import dependencies
from ingest.detectors.port import Detector, Finding

EXCERPT = 300
SHOWN = 20


def detect(run: Run, _calls: Sequence[StepView]) -> Iterator[Finding]:
    """For each plan, at the step before which it was made:

    - plan.invalid, once, where it is text that could not be read as steps, or has no steps at all; two of its steps have
      one name; a step depends on one that the plan does not have; or its tool is none of those that the run declares.
    - plan.cycle, once, where steps wait for each other: by `depends_on`, or by references in their arguments.

    Not: a plan that is merely bad; text beside steps that could be read. Evidence: `why` and the names of the steps.
    """
    declared = frozenset(tool.name for tool in run.tools)
    for number, plan in enumerate(run.plans):
        at = step_at(run, plan.at)
        if at is None:
            return
        fault = _fault(plan, declared)
        if fault is not None:
            yield _finding(at.index, "plan.invalid", number, *fault)
        cycle = find_cycle(plan)
        if cycle:
            yield _finding(at.index, "plan.cycle", number, "has steps that wait for each other", cycle)


def find_cycle(plan: Plan) -> list[str]:
    """The names of the steps of one cycle, in their order; empty without one."""
    needs = dependencies(plan)
    done: set[str] = set()
    for start in needs:
        path: list[str] = []
        places: dict[str, int] = {}
        stack = [(start, iter(needs[start]))] if start not in done else []
        if stack:
            path, places = [start], {start: 0}
        while stack:
            name, rest = stack[-1]
            below = next((need for need in rest if need in needs and need not in done), None)
            if below is None:
                done.add(name)
                stack.pop()
                places.pop(path.pop())
            elif below in places:
                return path[places[below] :]
            else:
                places[below] = len(path)
                path.append(below)
                stack.append((below, iter(needs[below])))
    return []


def _fault(plan: Plan, declared: frozenset[str]) -> tuple[str, list[str]] | None:
    if not plan.steps:
        text = (plan.text or "").strip()
        return ("cannot be read as steps", [text[:EXCERPT]]) if text else ("has no steps", [])
    names = Counter(step.step_id for step in plan.steps)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        return "has two steps of one name", twice
    lost = sorted({need for step in plan.steps for need in step.depends_on if need not in names})
    if lost:
        return "depends on a step that it does not have", lost
    unknown = sorted(
        {step.tool for step in plan.steps if step.tool and declared and step.tool not in declared}
    )
    return ("names a tool that is not declared", unknown) if unknown else None


def _finding(index: int, code: str, number: int, why: str, names: list[str]) -> Finding:
    shown: list[JsonValue] = [*names[:SHOWN]]
    return Finding(
        index=index,
        code="plan.cycle" if code == "plan.cycle" else "plan.invalid",
        message=f"the plan {why}",
        kind="invalid_argument",
        detail=f"plan {number}",
        evidence={"why": why, "steps": shown, "plan": number},
    )


DETECTOR = Detector("plan_form", ("plan.invalid", "plan.cycle"), detect)
