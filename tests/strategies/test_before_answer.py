"""An answer that comes before a call without which no run of its kind succeeded is held back, once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from errata_client.rule import Called, NotCalled, RequireCall, Unstopped
from errata_client.run import Run
from knowledge.store import Store
from knowledge.strategies import Strategy
from strategies import review
from strategies.regression_tests import regression_tests
from tests.strategies.shop import contrasted, number, run, shift_of, worked


def opened(
    count: int = 14, *, log: bool = True, status: str = "success", name: str = "good"
) -> Iterator[Run]:
    """Runs that open a repair and write it into the log, or do not."""
    for index in range(count):
        unit = {"unit": f"U{number(index)}"}
        calls = [worked("get_unit", unit), worked("open_repair", unit)]
        calls += [worked("write_log", unit)] if log else []
        yield run(f"{name}-{index}", f"repair {unit['unit']}", *calls, task=f"t{index}", status=status)


def asked(count: int = 6) -> Iterator[Run]:
    """Runs of another kind, that need no log."""
    for index in range(200, 200 + count):
        unit = {"unit": f"U{number(index)}"}
        yield run(f"ask-{index}", "how is it?", worked("get_unit", unit), task=f"t{index}", status="success")


def forgot(count: int = 5) -> Iterator[Run]:
    return opened(count, log=False, status="failure", name="bad")


def checks(found: list[Strategy]) -> list[Strategy]:
    return [one for one in found if one.synthesiser == "before_answer"]


def test_what_no_run_of_the_kind_succeeded_without_is_asked_for_before_the_answer(store: Store) -> None:
    (drafted,) = checks(contrasted(store, [*opened(), *asked(), *forgot()]))

    assert (drafted.rule.scope.step_id, drafted.rule.scope.tool) == ("final_answer", "final_answer")
    assert isinstance(drafted.rule.action, RequireCall)
    assert drafted.rule.action.tool == "write_log"
    assert drafted.rule.trigger.conditions == (
        Called(tool="open_repair"),
        NotCalled(tool="write_log"),
        Unstopped(),
    )
    evidence = drafted.evidence
    assert (evidence.right, evidence.wrong, evidence.harmed, evidence.references) == (5, 0, 0, 20)
    assert evidence.reach is not None
    assert (evidence.reach.calls, evidence.reach.failed) == (25, 5)


def test_a_successful_run_of_the_kind_that_ended_without_it_speaks_against_it(store: Store) -> None:
    without = opened(1, log=False, name="fine")
    assert checks(contrasted(store, [*opened(), *asked(), *without, *forgot()])) == []


@pytest.mark.parametrize("good", [6, 9])
def test_few_successful_runs_are_no_proof(store: Store, good: int) -> None:
    assert checks(contrasted(store, [*opened(good), *asked(), *forgot()])) == []


def test_the_regression_tests_of_such_a_rule_hold_the_ends_of_the_runs(store: Store) -> None:
    (drafted,) = checks(contrasted(store, [*opened(), *asked(), *forgot()]))
    live = review.approve(shift_of(store), drafted.strategy_id, "mei", "right").item

    cases = regression_tests(shift_of(store), live).cases
    assert {case.expected.outcome for case in cases if case.source == "failure"} == {"require_call"}
    assert sum(case.source == "failure" for case in cases) == 5
