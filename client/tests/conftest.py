"""What the client's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "../shared/data"


@pytest.fixture
def real_runs() -> Path:
    """The folder of published agent runs; the test is skipped where it is not there."""
    if not DATA.exists():
        pytest.skip("the published agent runs are not here")
    return DATA
