"""What all tests share: a store, on each engine there is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from knowledge.sqlite import SqliteStore
from knowledge.store import Store


@pytest.fixture(params=["sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A prepared, empty store."""
    made = SqliteStore(tmp_path / "errata.db")
    made.prepare()
    yield made
    made.close()
