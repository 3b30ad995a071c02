"""What a synthesiser and the backtest look at: the failures of one scope, and its successful calls."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date

from errata_client.rule import Rule, Scope
from errata_client.view import CallView
from knowledge.cases import FailureCase
from knowledge.causes import RootCause
from knowledge.runs import ReferenceCall

MAX_CASES = 500
MAX_REFERENCES = 2_000
MAX_AGAIN = 200

UNDUE = frozenset({"outcome.extra_action", "plan.stale_premise", "plan.order"})
"""Failures of calls that should not have been made, or not yet. As a call, such a one may well have worked."""


@dataclass(frozen=True)
class Material:
    """All that is known of one root cause in one scope (step_id, tool), each list sorted by id and bounded.

    `cases` are the failures that the cause explains, `others` the scope's failures that it does not (other
    causes, or none yet), `references` its successful calls. `elsewhere` are failures of the agent's other scopes whose very
    same call had failed before: a loop is no matter of one tool. A call that should not have been made (`UNDUE`) and whose
    run failed is no reference of its cause, though it worked. `kin` is the material of the same cause in scopes in which a
    fact tells its failures; where only they have failures of it, `cases` is empty. `today` is the night's date (UTC).
    """

    scope: Scope
    cause: RootCause
    cases: tuple[FailureCase, ...]
    others: tuple[FailureCase, ...]
    references: tuple[ReferenceCall, ...]
    today: date
    elsewhere: tuple[FailureCase, ...] = ()
    kin: tuple[Material, ...] = ()

    @property
    def foreign(self) -> tuple[FailureCase, ...]:
        """Failures of other scopes that may speak for a draft."""
        return (*self.elsewhere, *(case for kin in self.kin for case in kin.cases))

    def without_tasks(self, tasks: Collection[str]) -> Material:
        """The same without what comes of these tasks: failures and successes."""
        return replace(
            self,
            cases=tuple(case for case in self.cases if task_of(case) not in tasks),
            others=tuple(case for case in self.others if task_of(case) not in tasks),
            references=tuple(call for call in self.references if task_of(call) not in tasks),
            elsewhere=tuple(case for case in self.elsewhere if task_of(case) not in tasks),
            kin=tuple(kin.without_tasks(tasks) for kin in self.kin),
        )


def task_of(item: FailureCase | ReferenceCall) -> str:
    """What a draft has to hold out as one: the task, or the run where the source names no task."""
    return f"task:{item.task_id}" if item.task_id else f"run:{item.run_id}"


def tasks_of(items: Collection[FailureCase]) -> frozenset[str]:
    """The distinct tasks of these cases."""
    return frozenset(task_of(item) for item in items)


def good_calls(rule: Rule, references: Sequence[ReferenceCall]) -> list[ReferenceCall]:
    """The successful calls that the rule must leave alone. That a call went through does not tell that the person wanted
    it: what a confirmation is to leave alone are the calls of runs that did not fail."""
    asks = rule.action.kind == "confirm"
    return [call for call in references if not (asks and call.succeeded_run is False)]


def view_before(item: FailureCase | ReferenceCall) -> CallView | None:
    """What the client knew when the call was about to go out; None where that was not kept."""
    return item.view


def view_after(item: FailureCase | ReferenceCall) -> CallView | None:
    """What the client knew once the call had returned."""
    view = item.view
    if view is None:
        return None
    if isinstance(item, FailureCase):
        return view.model_copy(update={"phase": "after", "error": item.error_message})
    return view.model_copy(update={"phase": "after", "observation": item.result_excerpt or ""})
