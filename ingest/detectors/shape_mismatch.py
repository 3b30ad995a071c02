"""result.shape_mismatch: a result that is not what was declared of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errata_client.model import JsonValue
from errata_client.replay import StepView
from errata_client.run import Run, Step
from ingest.detectors.places import plan_at
from ingest.detectors.port import Detector, Finding
from ingest.detectors.schemas import Violation, as_value, violations
from ingest.repair import succeeded


def detect(run: Run, calls: Sequence[StepView]) -> Iterator[Finding]:
    """One finding for each successful call whose result breaks a JSON Schema that was declared of it: `expects` of the plan's
    step of that name, else `output_schema` of the tool's declaration. Text that is JSON is read as such.

    Not: errors (tool.error); results of tools without a declaration; more than the schema asks for, unless it forbids
    that. Evidence: `declared_by`, where the result differs, and how.
    """
    returns = {tool.name: tool.output_schema for tool in run.tools if tool.output_schema}
    if not returns and not run.plans:
        return
    for call in calls:
        step = call.step
        if not succeeded(step) or step.tool_call is None:
            continue
        by, schema = "plan", _expected(run, step)
        if schema is None:
            by, schema = "tool", returns.get(step.tool_call.tool)
        found = violations(schema, as_value(step.observation)) if schema else []
        if found:
            yield _finding(step, by, found)


def _expected(run: Run, step: Step) -> dict[str, JsonValue] | None:
    plan = plan_at(run.plans, step.index) if step.step_id else None
    if plan is None:
        return None
    return next((planned.expects for planned in plan.steps if planned.step_id == step.step_id), None)


def _finding(step: Step, by: str, found: list[Violation]) -> Finding:
    first = found[0]
    where = first.pointer.strip("/").replace("/", ".")
    told: list[JsonValue] = [f"{one.pointer or '/'}: {one.what}" for one in found]
    return Finding(
        index=step.index,
        code="result.shape_mismatch",
        message=f"in the result, {where} {first.what}" if where else f"the result {first.what}",
        kind="internal",
        evidence={"declared_by": by, "violations": told},
    )


DETECTOR = Detector("shape_mismatch", ("result.shape_mismatch",), detect)
