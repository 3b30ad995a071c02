"""A strategy's accepted remedy as regression tests: the calls that failed, and some that worked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from errata_client.regression import MAX_CASES, Expected, OfflineRules, RegressionCase, RegressionTests
from errata_client.view import CallView
from knowledge.errors import ConflictError
from knowledge.kinds import CASES, REFERENCE_CALLS
from knowledge.stage import Shift
from knowledge.store import Query
from knowledge.strategies import Strategy
from strategies.life import LIVE
from strategies.sight import seen

SUCCESSES = 20
"""Calls that worked, of each strategy: they must go on passing."""

PASSING = frozenset({"pass", "rewrite", "hint", "retry"})


def regression_tests(shift: Shift, strategy: Strategy) -> RegressionTests:
    """The tests of a live strategy: each case that it was made from, on which its rule acts, with what it does now; and
    successful calls of its scope, which pass. ConflictError where it is not live, or no case of it is kept any more."""
    if strategy.state not in LIVE:
        raise ConflictError(
            f"{strategy.strategy_id} is {strategy.state}: only a remedy that was accepted is tested"
        )
    rules = OfflineRules(strategy.rule)
    failures = list(_failures(shift, strategy, rules))
    if not failures:
        raise ConflictError(
            f"{strategy.strategy_id}: none of the cases that it was made from is kept any more"
        )
    successes = list(_successes(shift, strategy, rules))
    kept = (*failures[: MAX_CASES - len(successes)], *successes)
    return RegressionTests(strategy_id=strategy.strategy_id, rule=strategy.rule, cases=kept)


def _failures(shift: Shift, strategy: Strategy, rules: OfflineRules) -> Iterator[RegressionCase]:
    stored = shift.store.collection(shift.project, CASES).get_many(strategy.evidence.cases)
    kept = [stored[case_id].item for case_id in strategy.evidence.cases if case_id in stored]
    for case in seen(shift, kept):
        if case.view is None:
            continue
        asked = _asked(case.view, strategy, case.error_message)
        expected = _expected(rules, asked)
        if expected.outcome != "pass":
            yield RegressionCase(
                case_id=case.case_id,
                source="failure",
                view=asked,
                expected=expected,
                was=case.error_message[:500],
            )


def _asked(view: CallView, strategy: Strategy, error: str) -> CallView:
    """The view that the rule is asked about: before the call, or after it came back with its error."""
    if strategy.rule.trigger.phase == "before":
        return view
    return view.model_copy(update={"phase": "after", "error": view.error or error})


def _successes(shift: Shift, strategy: Strategy, rules: OfflineRules) -> Iterable[RegressionCase]:
    scope = strategy.rule.scope
    query = Query(where={"step_id": scope.step_id, "tool": scope.tool}, sort="rank")
    page = shift.store.collection(shift.project, REFERENCE_CALLS).find(query, limit=SUCCESSES)
    for stored in page.items:
        expected = _expected(rules, stored.item.view)
        if expected.outcome == "pass":
            yield RegressionCase(
                case_id=stored.item.reference_id, source="success", view=stored.item.view, expected=expected
            )


def _expected(rules: OfflineRules, view: CallView) -> Expected:
    decision = rules.decide(view)
    return Expected(
        outcome=decision.outcome, arguments=decision.arguments if decision.outcome in PASSING else None
    )
