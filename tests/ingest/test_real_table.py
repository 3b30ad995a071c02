"""The table of docs/real-data.md: a row a file, also for one that is refused, and only the table is replaced."""

from __future__ import annotations

from pathlib import Path

from benchmarks.real_files import BEGIN, END, PAGE, main, rows, table, with_table
from tests.ingest.making import a_loan, tau, written, written_lines


def test_each_file_has_a_row_and_a_refused_one_says_why(tmp_path: Path) -> None:
    (tmp_path / "desk").mkdir()
    written(tmp_path / "desk/runs.json.gz", [tau(a_loan("Error: book is lent")), 42, 43])
    written_lines(tmp_path / "labels.jsonl", [{"trajectory_id": 1, "failures": []}])
    (tmp_path / "LICENSE").write_text("free")
    first, second = rows(tmp_path)
    assert (first.file, first.source, first.runs, first.calls) == ("desk/runs.json.gz", "tau_bench", 1, 1)
    assert first.cases == "tool.error 1"
    assert first.left_out.startswith("2 × ")
    assert (second.file, second.source, second.runs) == ("labels.jsonl", "refused", 0)
    assert "not the runs" in second.left_out
    assert table([first, second]).endswith("| 2 files | | 1 | 1 | | |")


def test_only_the_table_of_the_page_is_replaced() -> None:
    page = f"# A page\n{BEGIN}\nold\n{END}\nrest\n"
    assert with_table(page, "new") == f"# A page\n{BEGIN}\nnew\n{END}\nrest\n"
    shown = PAGE.read_text(encoding="utf-8")
    assert shown.count(BEGIN) == shown.count(END) == 1


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    assert main([str(tmp_path / "none")]) == 2
