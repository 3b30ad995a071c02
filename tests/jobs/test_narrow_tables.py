"""Tables on a narrow terminal, and texts that are cut for a list."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from jobs.cli.output import shortened
from jobs.cli.tables import print_table

COLUMNS = ("id", "state", "evidence", "valid until", "~rule")
ROW = ("ST-0001", "in_review", "12 right, 0 wrong, 0 of 47 harmed", "2027-03-01", "When a is given: stop")


def printed(width: int, columns: tuple[str, ...] = COLUMNS, row: tuple[str, ...] = ROW) -> list[str]:
    """The lines of a table of one row."""
    out = io.StringIO()
    print_table(Console(file=out, width=width, force_terminal=False), columns, [row])
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("width", [50, 60, 80, 120, 160])
def test_no_line_is_wider_than_the_terminal_and_nothing_is_lost(width: int) -> None:
    lines = printed(width)
    assert max(map(len, lines)) <= width
    assert all(value in "\n".join(lines) for value in ROW[:4])


def test_the_widest_column_gives_way_under_its_name() -> None:
    lines = printed(60)
    assert lines[0].split() == ["id", "state", "valid", "until"]
    assert "    evidence: 12 right, 0 wrong, 0 of 47 harmed" in lines


def test_the_first_column_stays_however_wide_it_is() -> None:
    assert printed(10, ("id", "#cases"), ("a-long-identifier", "3")) == ["id", "a-long-identifier", "    3"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("stop the call", "stop the call"),
        ("stop the call and say: no", "stop the call and…"),
        ("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrs…"),
    ],
)
def test_a_text_is_cut_between_words_and_says_so(text: str, said: str) -> None:
    assert shortened(text, 20) == said


def test_rows_of_long_text_alone_have_no_empty_line_of_short_columns() -> None:
    assert printed(40, ("~shows as", "~intent"), ("order not found", "")) == [
        "    shows as: order not found",
        "    intent: –",
    ]
