"""An accepted remedy becomes tests that pytest runs, on the rule engine or on an agent's own function."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from errata_client.regression import OfflineRules, RegressionTests, run_case
from knowledge.errors import ConflictError
from knowledge.kinds import STRATEGIES
from knowledge.stage import Shift
from knowledge.store import Store
from knowledge.strategies import Strategy
from strategies import review
from strategies.regression_tests import regression_tests
from tests.strategies.shop import PROJECT, bare_orders, fine_orders, night, shift_of

ROOT = Path(__file__).parents[2]
AGENT = """
from errata_client import CallBlocked

def obeys(case, rules):
    decision = rules.decide(case.view)
    if decision.outcome in {"block", "confirm", "replan", "require_call"}:
        raise CallBlocked(decision.text or "", decision)
    return decision.arguments

def deaf(case, rules):
    return case.view.arguments

def broken(case, rules):
    raise RuntimeError("no such agent")
"""


@pytest.fixture
def shift(store: Store) -> Shift:
    night(store, [*fine_orders(), *bare_orders(12)])
    return shift_of(store)


def strategy(shift: Shift) -> Strategy:
    stored = shift.store.collection(PROJECT, STRATEGIES).get("ST-0001")
    assert stored is not None
    return stored.item


@pytest.fixture
def tests(shift: Shift) -> RegressionTests:
    review.approve(shift, "ST-0001", "mei", "right")
    return regression_tests(shift, strategy(shift))


class Pytest:
    """pytest in a process of its own, with no other plugin than ours."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        self._monkeypatch = monkeypatch

    def __call__(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        paths = [str(folder), str(ROOT / "client" / "src"), str(ROOT)]
        self._monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
        options = [
            "-q",
            "-p",
            "errata_client.pytest_plugin",
            "-p",
            "no:cacheprovider",
            "--rootdir",
            str(folder),
        ]
        return subprocess.run(
            [sys.executable, "-m", "pytest", *options, str(folder), *arguments],
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
            cwd=folder,
        )


@pytest.fixture
def run_pytest(monkeypatch: pytest.MonkeyPatch) -> Pytest:
    return Pytest(monkeypatch)


def written(folder: Path, tests: RegressionTests) -> Path:
    (folder / "ST-0001.errata.json").write_text(tests.model_dump_json(), encoding="utf-8")
    (folder / "shop_agent.py").write_text(AGENT, encoding="utf-8")
    return folder


def test_failures_come_out_repaired_and_successes_as_they_are(tests: RegressionTests) -> None:
    failures = [case for case in tests.cases if case.source == "failure"]
    successes = [case for case in tests.cases if case.source == "success"]
    assert len(failures) >= 3
    assert len(successes) == 20
    assert {case.expected.outcome for case in failures} == {"rewrite"}
    assert all(case.expected.arguments != case.view.arguments for case in failures)
    assert all(case.expected.arguments == case.view.arguments for case in successes)
    rules = OfflineRules(tests.rule)
    assert [run_case(case, rules) for case in tests.cases] == [None] * len(tests.cases)


def test_what_nobody_accepted_is_no_test(shift: Shift) -> None:
    with pytest.raises(ConflictError, match="in_review"):
        regression_tests(shift, strategy(shift))


def test_pytest_runs_them_on_the_rule_engine(
    tests: RegressionTests, tmp_path: Path, run_pytest: Pytest
) -> None:
    found = run_pytest(written(tmp_path, tests))
    assert found.returncode == 0, found.stdout + found.stderr
    assert f"{len(tests.cases)} passed" in found.stdout


def test_pytest_runs_them_on_an_agents_own_function(
    tests: RegressionTests, tmp_path: Path, run_pytest: Pytest
) -> None:
    folder = written(tmp_path, tests)
    assert run_pytest(folder, "--errata-agent", "shop_agent:obeys").returncode == 0

    deaf = run_pytest(folder, "--errata-agent", "shop_agent:deaf")
    failures = sum(case.source == "failure" for case in tests.cases)
    assert f"{failures} failed" in deaf.stdout
    assert "though the rule should rewrite" in deaf.stdout
    assert "it failed once with" in deaf.stdout


@pytest.mark.parametrize(
    "agent", ["shop_agent:nobody", "no_such_module:f", "shop_agent", "shop_agent:AGENT_TEXT"]
)
def test_an_agent_that_is_not_there_is_said(
    tests: RegressionTests, tmp_path: Path, run_pytest: Pytest, agent: str
) -> None:
    found = run_pytest(written(tmp_path, tests), "--errata-agent", agent)
    assert found.returncode != 0
    assert "the agent" in found.stdout
    assert "Traceback" not in found.stdout


def test_a_damaged_file_is_an_error_with_its_name(
    tests: RegressionTests, tmp_path: Path, run_pytest: Pytest
) -> None:
    whole = tests.model_dump_json()
    (tmp_path / "ST-0001.errata.json").write_text(whole[: len(whole) // 2], encoding="utf-8")
    found = run_pytest(tmp_path)
    assert found.returncode != 0
    assert "ST-0001.errata.json" in found.stdout
