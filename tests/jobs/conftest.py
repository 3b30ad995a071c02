"""A service without encoders and with a clock that stands still, and a driver of nights in other processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from attribution.parameters import default_parameters
from knowledge.store import Store
from tests.jobs.clock import Clock
from tests.jobs.evening import Driver
from wiring.build import Errata
from wiring.settings import Settings


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
