"""A service without encoders, and a clock that stands still until it is moved."""

from __future__ import annotations

from pathlib import Path

import pytest

from attribution.parameters import default_parameters
from knowledge.store import Store
from tests.jobs.clock import Clock
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
