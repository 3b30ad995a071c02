"""Where a failure that is not of one call is shown: an index that the run has."""

from __future__ import annotations

from collections.abc import Sequence

from errata_client.deliberation import Plan
from errata_client.run import Run, Step


def step_at(run: Run, index: int) -> Step | None:
    """The first step at `index` or later, else the last one; None where the run has no steps."""
    return next((step for step in run.steps if step.index >= index), last_step(run))


def last_step(run: Run) -> Step | None:
    """The last step of the run, if it has any."""
    return run.steps[-1] if run.steps else None


def plan_at(plans: Sequence[Plan], index: int) -> Plan | None:
    """The plan in force at a step: the latest one made before it."""
    made = [plan for plan in plans if plan.at <= index]
    return made[-1] if made else None
