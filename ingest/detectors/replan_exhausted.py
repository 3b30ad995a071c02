"""plan.replan_exhausted: all the plans that were allowed were made, and none carried through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errata_client.replay import StepView
from errata_client.run import Run
from ingest.detectors.places import last_step
from ingest.detectors.port import Detector, Finding


def detect(run: Run, _calls: Sequence[StepView]) -> Iterator[Finding]:
    """One finding, at the last step, where a plan of the run says how often it may be made anew (`max_replans`, one or
    more), it was made anew that often, and then failed too: the run failed, or a step of the last plan did. Also where
    it was made anew more often than that, whatever came of it.

    Not: a run that succeeded within its bound; a plan that may not be made anew at all. Evidence: `replans`,
    `max_replans`, `failed_steps`.
    """
    bounds = [plan.max_replans for plan in run.plans if plan.max_replans is not None]
    last = last_step(run)
    if not bounds or last is None:
        return
    bound, replans = bounds[-1], len(run.plans) - 1
    failed = [step.step_id for step in run.plans[-1].steps if step.status == "failed"]
    went_wrong = run.outcome.status == "failure" or (bool(failed) and run.outcome.status == "unknown")
    if replans > bound or (replans == bound and bound > 0 and went_wrong):
        over = "more often than allowed" if replans > bound else "as often as allowed and failed again"
        yield Finding(
            index=last.index,
            ends_run=True,
            code="plan.replan_exhausted",
            message=f"the plan was made anew {over}",
            kind="resource_exhausted",
            evidence={"replans": replans, "max_replans": bound, "failed_steps": [*failed]},
        )


DETECTOR = Detector("replan_exhausted", ("plan.replan_exhausted",), detect)
