"""The demo's folder: its own leavings are replaced, other people's files are not touched."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from examples.ticket_desk.calendar import WEEK, Calendar
from examples.ticket_desk.office import cleared
from knowledge.errors import BadInputError


def test_a_folder_of_an_earlier_demo_is_emptied(tmp_path: Path) -> None:
    folder = cleared(tmp_path / "demo")
    (folder / "errata.db").write_text("old")
    assert not (cleared(folder) / "errata.db").exists()


def test_a_folder_with_files_of_others_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("three years of work")
    with pytest.raises(BadInputError, match="--folder"):
        cleared(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "three years of work"


def test_two_weeks_end_at_the_last_midnight_with_the_night_between_them() -> None:
    calendar = Calendar.until(datetime(2026, 3, 16, 9, 30, tzinfo=UTC))
    assert calendar.end == datetime(2026, 3, 16, tzinfo=UTC)
    assert (calendar.second - calendar.first, calendar.end - calendar.second) == (WEEK, WEEK)
    assert calendar.second < calendar.night < calendar.review < calendar.second + timedelta(days=1)
