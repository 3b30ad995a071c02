"""A service without encoders and with a clock that stands still, and a driver of nights in other processes."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from attribution.parameters import default_parameters
from knowledge.store import Store
from tests.jobs.cli import CommandLine
from tests.jobs.clock import Clock
from tests.jobs.evening import Driver
from wiring.build import Errata
from wiring.settings import Settings, variables


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def errata(store: Store, tmp_path: Path, clock: Clock) -> Errata:
    made = Errata(Settings(data_dir=tmp_path), store, (), default_parameters(), clock)
    made.ensure_project("shop")
    return made


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    made = Driver(tmp_path_factory.mktemp("driver"))
    yield made
    made.close()


@pytest.fixture
def cli(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[CommandLine]:
    """The command line with SQLite in a folder of its own, and logging as it was afterwards."""
    for name in variables():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ERRATA_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ERRATA_ENCODERS", "hash")
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield CommandLine(tmp_path, capsys)
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
