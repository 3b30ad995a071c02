"""tool.not_permitted: a tool that is there, called by an agent that may not use it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errata_client.replay import StepView
from errata_client.run import Run
from ingest.detectors.places import plan_at
from ingest.detectors.port import Detector, Finding
from ingest.detectors.unknown_tool import is_unknown

SHOWN = 50


def detect(run: Run, calls: Sequence[StepView]) -> Iterator[Finding]:
    """One finding for each call of the agent whose tool is not among the run's `permitted_tools`, or not among the
    `allowed_tools` of the plan in force, where these are given.

    Not: a tool that does not exist at all (tool.unknown); a tool that answers that a permission is missing (tool.error of
    kind permission_denied: the tool's own rule). Evidence: `by` (run or plan), `permitted`, and whether the call was
    answered all the same, so that nothing held it back.
    """
    declared = frozenset(tool.name for tool in run.tools)
    for call in calls:
        step = call.step
        if step.requestor != "agent" or not step.paired or step.tool_call is None:
            continue
        tool = step.tool_call.tool
        by, permitted = _bound(run, step.index, tool)
        if permitted is None or is_unknown(step, tool, declared):
            continue
        yield Finding(
            index=step.index,
            code="tool.not_permitted",
            message=f"the agent is not permitted to call {tool}",
            kind="permission_denied",
            evidence={
                "by": by,
                "permitted": [*permitted[:SHOWN]],
                "tool_answered": step.answered and step.error is None,
            },
        )


def _bound(run: Run, index: int, tool: str) -> tuple[str, tuple[str, ...] | None]:
    """What forbids the tool, and the tools that it permits; (…, None) where nothing does."""
    if run.permitted_tools is not None and tool not in run.permitted_tools:
        return "run", run.permitted_tools
    plan = plan_at(run.plans, index)
    if plan is not None and plan.allowed_tools is not None and tool not in plan.allowed_tools:
        return "plan", plan.allowed_tools
    return "", None


DETECTOR = Detector("not_permitted", ("tool.not_permitted",), detect)
