"""Calls that were made again, as they were, after they had failed: in all tools of an agent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from knowledge.cases import FailureCase
from knowledge.runs import ReferenceCall
from strategies.synthesis.retry import is_transient, sign_of

MAX_LUCK = 0.05
"""How many of the calls made again may have worked, where those of one tool are to speak for another."""


@dataclass(frozen=True)
class Loops:
    """`failed`: those that failed again, by id, one case each. Empty where luck was too frequent for them to tell
    anything of other tools. Errors that pass by themselves are no matter of loops."""

    failed: tuple[FailureCase, ...]

    @classmethod
    def of(cls, failures: Iterable[FailureCase], successes: Iterable[ReferenceCall]) -> Loops:
        """Out of all failures of the agent, by id, and all its calls that worked."""
        calls = {(case.run_id, case.trigger_step.index): case for case in failures if came_again(case)}
        lucky = sum(_worked_again(call) for call in successes)
        trusted = lucky <= MAX_LUCK * (lucky + len(calls))
        return cls(tuple(sorted(calls.values(), key=lambda case: case.case_id)) if trusted else ())

    def elsewhere(self, scope: tuple[str, str]) -> tuple[FailureCase, ...]:
        """Those of other scopes than this step_id and tool."""
        return tuple(
            case for case in self.failed if (case.trigger_step.step_id, case.trigger_step.tool) != scope
        )


def is_refusal(case: FailureCase) -> bool:
    """Whether the tool refused the call, and not because it was down."""
    return case.error_code == "tool.error" and case.view is not None and not is_transient(case)


def came_again(case: FailureCase) -> bool:
    """Whether the tool refused a call that had failed before, just as it is, with an error that does not pass."""
    view = case.view
    if view is None or not is_refusal(case) or view.repeats == 0 or view.repeated_error is None:
        return False
    return sign_of(view.repeated_error) is None


def _worked_again(call: ReferenceCall) -> bool:
    error = call.view.repeated_error
    return error is not None and sign_of(error) is None
