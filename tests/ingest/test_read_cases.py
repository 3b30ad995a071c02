"""Cases that a person read and judged: what was right is still found, what was wrong is found no more.

`data/read_cases.csv` holds a hundred of them, drawn by `python -m benchmarks.drawn_cases`; the wording is our own.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest

from benchmarks.drawn_cases import Found, draw, found_in
from tests.ingest.making import DATA

TABLE = Path(__file__).parent / "data" / "read_cases.csv"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "error-codes.md"
VERDICTS = {"right", "harmless", "wrong"}
needs_files = pytest.mark.skipif(not DATA.exists(), reason=f"no published runs in {DATA}")


@lru_cache(maxsize=1)
def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@lru_cache(maxsize=1)
def everything() -> list[Found]:
    """All cases of the published files; read once."""
    return list(found_in(DATA))


def test_a_hundred_cases_were_judged_each_once_and_with_a_reason() -> None:
    assert len({row["case_id"] for row in rows()}) == len(rows()) == 100
    assert {row["verdict"] for row in rows()} <= VERDICTS
    assert all(row["reason"] for row in rows())


@needs_files
def test_what_was_judged_right_is_still_found_and_what_was_wrong_no_more() -> None:
    told = {row["case_id"]: row for row in rows()}
    found = {one.case.case_id: (one.case.error_code, one.file) for one in everything()}
    lost = [key for key, row in told.items() if row["verdict"] != "wrong" and key not in found]
    kept = [key for key, row in told.items() if row["verdict"] == "wrong" and key in found]
    assert (lost, kept) == ([], [])
    for key in told.keys() & found.keys():
        assert found[key] == (told[key]["error_code"], told[key]["file"])


@needs_files
def test_a_draw_is_the_same_for_the_same_seed_and_even_over_the_codes() -> None:
    one, same, other = (draw(everything(), 40, seed) for seed in (1, 1, 2))
    assert [item.case.case_id for item in one] == [item.case.case_id for item in same]
    assert [item.case.case_id for item in one] != [item.case.case_id for item in other]
    counts = Counter(item.case.error_code for item in one)
    everywhere = Counter(item.case.error_code for item in everything())
    assert all(counts[code] >= min(number, 3) for code, number in everywhere.items())


def test_the_page_says_how_often_each_code_was_right() -> None:
    judged = {
        code: Counter(row["verdict"] for row in rows() if row["error_code"] == code) for code in codes()
    }
    section = PAGE.read_text(encoding="utf-8").partition("## How often they are right\n")[2]
    told = re.findall(
        r"^\| `([a-z.]+_?[a-z_]*)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|", section, re.MULTILINE
    )
    assert {code: tuple(map(int, numbers)) for code, *numbers in told} == {
        code: (sum(counts.values()), counts["right"], counts["harmless"], counts["wrong"])
        for code, counts in judged.items()
    }


def codes() -> list[str]:
    return sorted({row["error_code"] for row in rows()})
