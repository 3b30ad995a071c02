"""The pytest plugin: files that end in `.errata.json` are collected, each of their cases is a test.

    pytest regressions/                                    on the rule engine
    pytest regressions/ --errata-agent shop.agent:replay   on an agent's own function (see `errata_client.regression`)

The option may stand in the configuration as `errata_agent`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from errata_client.regression import (
    SUFFIX,
    Agent,
    OfflineRules,
    RegressionCase,
    RegressionError,
    load_agent,
    read_tests,
    run_case,
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where the agent's function is named."""
    group = parser.getgroup("errata")
    told = (
        "run Errata's regression tests on this function, as module:function; on the rule engine if not given"
    )
    group.addoption("--errata-agent", metavar="MODULE:FUNCTION", default=None, help=told)
    parser.addini("errata_agent", told, default="")


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> RegressionFile | None:
    """A file of regression tests."""
    if not file_path.name.endswith(SUFFIX):
        return None
    made: RegressionFile = RegressionFile.from_parent(parent, path=file_path)
    return made


class RegressionFile(pytest.File):
    """The tests of one strategy."""

    def collect(self) -> Iterator[RegressionItem]:
        """One test a case."""
        try:
            tests = read_tests(self.path)
            agent = _agent(self.config)
        except RegressionError as error:
            raise self.CollectError(str(error)) from error
        rules = OfflineRules(tests.rule)
        for case in tests.cases:
            name = f"{tests.strategy_id}-{case.source}-{case.case_id}"
            yield RegressionItem.from_parent(self, name=name, case=case, rules=rules, agent=agent)


class RegressionItem(pytest.Item):
    """One call that must come out as it should."""

    def __init__(
        self, *, case: RegressionCase, rules: OfflineRules, agent: Agent | None, **rest: Any
    ) -> None:
        super().__init__(**rest)
        self._case, self._rules, self._agent = case, rules, agent

    def runtest(self) -> None:
        """Make the call; RegressionFailure says what came out instead."""
        wrong = run_case(self._case, self._rules, self._agent)
        if wrong is not None:
            raise RegressionFailure(wrong)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """A regression in one line, what else goes wrong as pytest shows it."""
        if isinstance(excinfo.value, RegressionFailure):
            was = f"\n  it failed once with: {self._case.was}" if self._case.was else ""
            return f"{excinfo.value}{was}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it stands."""
        return self.path, None, self.name


class RegressionFailure(AssertionError):  # noqa: N818 - what a test fails with
    """The call did not come out as it should."""


def _agent(config: pytest.Config) -> Agent | None:
    name = config.getoption("--errata-agent") or config.getini("errata_agent")
    return load_agent(str(name)) if name else None
