"""loop.max_steps: the run used up its steps before it came to an end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from errata_client.replay import StepView
from errata_client.run import Run
from ingest.detectors.places import last_step
from ingest.detectors.port import Detector, Finding

_SAYS_SO = re.compile(
    r"max(?:imum)?[ _-]?(?:number of )?(?:steps|turns|iterations|rounds|loops)"
    r"|(?:step|turn|iteration|recursion|round)s?[ _-]?limit|(?:最大|上限).{0,6}(?:步数|轮数|轮次|迭代)|(?:步数|轮数|轮次|迭代次数).{0,6}(?:上限|耗尽|用尽)",
    re.IGNORECASE,
)


def detect(run: Run, _calls: Sequence[StepView]) -> Iterator[Finding]:
    """One finding, at the last step, where the outcome says that the bound on steps ended the run; or where the run has a
    `max_steps`, took that many turns or more, and its last turn is a call rather than an answer.

    Turns are the agent's: calls of one message are one. Not: runs that succeeded or that a person broke off.
    Evidence: `turns`, `max_steps`, what the outcome says.
    """
    last = last_step(run)
    if last is None or run.outcome.status in {"success", "aborted"}:
        return
    reason = run.outcome.reason or ""
    turns = _turns(run) if run.max_steps else 0
    used_up = run.max_steps is not None and turns >= run.max_steps and last.tool_call is not None
    if not used_up and not _SAYS_SO.search(reason):
        return
    yield Finding(
        index=last.index,
        ends_run=True,
        code="loop.max_steps",
        message="the run used up its steps before it came to an end",
        kind="resource_exhausted",
        evidence={"turns": turns or _turns(run), "max_steps": run.max_steps, "outcome_says": reason[:200]},
    )


def _turns(run: Run) -> int:
    mine = [step for step in run.steps if step.requestor == "agent" and (step.tool_call or step.raw_output)]
    return sum(step.batch is None for step in mine) + len({step.batch for step in mine} - {None})


DETECTOR = Detector("max_steps", ("loop.max_steps",), detect)
