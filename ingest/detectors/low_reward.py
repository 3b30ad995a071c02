"""outcome.low_reward: a run that failed, and nothing in it says why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errata_client.replay import StepView
from errata_client.run import Run
from ingest.detectors.places import last_step
from ingest.detectors.port import Detector, Finding


def detect(run: Run, _calls: Sequence[StepView]) -> Iterator[Finding]:
    """One finding, at the last step of a run whose outcome is failure. It is asked only where no other detector found
    anything that held anybody up (`registry.LAST_RESORT`): a silent failure, which contrast with runs that succeeded may explain.

    Not: runs that a person broke off; runs whose outcome is unknown, a reward between failure and success among them.
    Evidence: the reward, what the outcome says, and how many calls there were.
    """
    last = last_step(run)
    if last is None or run.outcome.status != "failure":
        return
    yield Finding(
        index=last.index,
        ends_run=True,
        code="outcome.low_reward",
        message="the run failed, and no step of it shows why",
        evidence={
            "reward": run.outcome.reward,
            "outcome_says": run.outcome.reason,
            "calls": sum(step.tool_call is not None for step in run.steps),
        },
    )


DETECTOR = Detector("low_reward", ("outcome.low_reward",), detect)
