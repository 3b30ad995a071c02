"""Regression tests: calls that failed once, as the rule that remedied them should see them, and what must come out.

A file (`ST-0007.errata.json`) is exported by `errata strategies export-tests` and run by the pytest plugin, offline: on
the rule engine, or on an agent's own function.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Literal, cast

from pydantic import Field, ValidationError

from errata_client.decision import Decision, Outcome
from errata_client.decorator import CallBlocked
from errata_client.engine import Engine
from errata_client.faults import faults_told
from errata_client.model import JsonValue, Model
from errata_client.rule import Rule
from errata_client.view import CallView

FORMAT = 1
SUFFIX = ".errata.json"
MAX_CASES = 1_000


class RegressionError(ValueError):
    """A file of regression tests, or the agent it is to be run on, that cannot be used; the text says why."""


class Expected(Model):
    """What becomes of the call: `outcome` as the engine says it; `arguments` are those of the call that is made then,
    None where none is."""

    outcome: Outcome
    arguments: dict[str, JsonValue] | None = None


class RegressionCase(Model):
    """One call with what was known at that moment. `source` says whether it failed once ("failure": the rule must act)
    or worked ("success": it must pass as it is); `was` is what the tool said then."""

    case_id: str
    source: Literal["failure", "success"]
    view: CallView
    expected: Expected
    was: str | None = None


class RegressionTests(Model):
    """The tests of one strategy, with its rule as it was accepted."""

    format: int = FORMAT
    strategy_id: str
    rule: Rule
    cases: tuple[RegressionCase, ...] = Field((), max_length=MAX_CASES)


class OfflineRules:
    """The rule of one file in the place of a RuleClient: `decide` without a service, on a day on which it is valid."""

    def __init__(self, rule: Rule) -> None:
        self._engine = Engine([rule], treat_shadow_as_active=True)
        self._today = rule.valid_until

    @property
    def today(self) -> date:
        """The day on which it decides."""
        return self._today

    def decide(self, view: CallView) -> Decision:
        """What becomes of the call in `view`."""
        return self._engine.decide(view, self._today)


Agent = Callable[[RegressionCase, OfflineRules], dict[str, JsonValue] | None]
"""An agent's own function: makes the call of the case under the rules, with its tool replaced, and answers the arguments
that the tool was given; None, or CallBlocked, where it was not called."""


def read_tests(path: Path) -> RegressionTests:
    """The tests in a file; RegressionError where it is none."""
    try:
        tests = RegressionTests.model_validate_json(path.read_bytes())
    except OSError as error:
        raise RegressionError(f"{path}: cannot be read: {error.strerror or error}") from error
    except ValidationError as error:
        raise RegressionError(f"{path}: {faults_told(error, most=1, whole='the file')}") from error
    if tests.format != FORMAT:
        raise RegressionError(
            f"{path}: format {tests.format}, this client reads {FORMAT}: upgrade errata-client"
        )
    return tests


def load_agent(name: str) -> Agent:
    """The function called "module:function"; RegressionError where there is none."""
    module, _, function = name.partition(":")
    if not module or not function:
        raise RegressionError(f"the agent {name!r}: write module:function")
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise RegressionError(f"the agent {name!r} cannot be loaded: {error}") from error
    if not callable(found):
        raise RegressionError(f"the agent {name!r} is not a function")
    return cast(Agent, found)


def run_case(case: RegressionCase, rules: OfflineRules, agent: Agent | None = None) -> str | None:
    """What is wrong, in words; None where the call comes out as it should."""
    if agent is None:
        decision = rules.decide(case.view)
        return difference(case, decision.outcome, _made(decision))
    try:
        made = agent(case, rules)
    except CallBlocked as stop:
        return difference(case, stop.decision.outcome, None)
    return difference(case, None, made)


def difference(
    case: RegressionCase, outcome: Outcome | None, made: dict[str, JsonValue] | None
) -> str | None:
    """How what came out differs from what should; `outcome` None: only the call that was made is known."""
    wanted = case.expected
    if outcome is not None and outcome != wanted.outcome:
        return f"{case.view.tool}: {outcome}, though the rule should {_in_words(wanted)}"
    if made == wanted.arguments:
        return None
    if made is None:
        return f"{case.view.tool} was not called, though the rule should {_in_words(wanted)}"
    return f"{case.view.tool} was called with {made}, though the rule should {_in_words(wanted)}"


def _made(decision: Decision) -> dict[str, JsonValue] | None:
    return decision.arguments if decision.outcome in {"pass", "rewrite", "hint", "retry"} else None


def _in_words(wanted: Expected) -> str:
    if wanted.outcome == "pass":
        return f"let it pass with {wanted.arguments}"
    return wanted.outcome if wanted.arguments is None else f"{wanted.outcome}: {wanted.arguments}"
