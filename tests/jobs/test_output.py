from __future__ import annotations

import io
import json
from datetime import UTC, datetime

import pytest
from rich.console import Console

from jobs.cli.output import clean, print_json
from jobs.cli.progress import NightBars
from jobs.cli.tables import print_table
from knowledge.nights import Project, StageRecord

NOW = datetime(2026, 3, 1, 2, 0, 30, tzinfo=UTC)


def printed(*rows: tuple[object, ...], width: int = 80) -> str:
    stream = io.StringIO()
    print_table(Console(file=stream, width=width), ("a", "#b", "~c"), rows)
    return stream.getvalue()


def test_text_from_outside_cannot_steer_the_terminal() -> None:
    assert clean("a\x1b[31mred\r\nb\u202e") == "a�[31mred b�"
    assert "\x1b" not in printed(("\x1b]0;title\x07", 1, "x"))


def test_square_brackets_in_a_value_are_no_markup() -> None:
    assert "[red]x[/red]" in printed(("[red]x[/red]", 1, "[/]"))


def test_what_is_missing_is_a_dash_and_a_time_goes_to_the_minute() -> None:
    text = printed((None, "", NOW))
    assert "–" in text
    assert "2026-03-01 02:00" in text


def test_chinese_keeps_the_columns_aligned() -> None:
    lines = printed(("订单未找到", 1, "x"), ("not found", 2, "y")).splitlines()
    ends = [line.rstrip()[-1] for line in lines[-2:]]
    assert ends == ["x", "y"]


def test_an_error_with_square_brackets_is_told_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    record = StageRecord(
        night_id="n",
        position=1,
        stage="file",
        status="failed",
        started_at=NOW,
        fencing_token=1,
        error="a [/] b [red]",
    )
    with NightBars("shop") as bars:
        bars.began("file", 1, 1)
        bars.ended(record)
    assert "a [/] b [red]" in capsys.readouterr().err


def test_json_is_one_document_with_models_and_times_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"projects": (Project(project_id="a", created_at=NOW),)})
    assert json.loads(capsys.readouterr().out) == {
        "projects": [{"project_id": "a", "created_at": "2026-03-01T02:00:30Z", "holdout": 0.0}]
    }


def test_in_a_narrow_terminal_long_text_has_a_line_of_its_own() -> None:
    text = printed(("3rwfmyl53z", 12, "the order could not be found"), ("tlazp2s7rn", 3, "a" * 70), width=40)
    lines = [line.rstrip() for line in text.splitlines()]
    assert lines[1:3] == ["3rwfmyl53z   12", "    the order could not be found"]
    assert max(len(line) for line in lines) <= 40
    assert "".join(lines).count("a") >= 70
