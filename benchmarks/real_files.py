"""`python -m benchmarks.real_files [--write] [FOLDER]`: what ingest makes of published runs, as a table.

Each file goes into a store of its own. With `--write` the table replaces the one in docs/real-data.md.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ingest.adapters.port import NotAnalysed
from ingest.masking import Masker
from ingest.service import ingest_file
from knowledge.errors import BadInputError
from knowledge.sqlite import SqliteStore
from knowledge.stage import Shift

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
PAGE = ROOT / "docs" / "real-data.md"
BEGIN, END = "<!-- table -->", "<!-- end of table -->"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEY = b"a key for benchmarks, 32 bytes.."
HEADER = ("file", "read as", "runs", "calls", "cases by code", "not analysed")


@dataclass(frozen=True)
class Row:
    """What one file gave, in words."""

    file: str
    source: str
    runs: int
    calls: int
    cases: str
    left_out: str

    def line(self) -> str:
        """The row of the table."""
        cells = (self.file, self.source, str(self.runs), str(self.calls), self.cases, self.left_out)
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def main(asked: Sequence[str]) -> int:
    """Print the table, or put it into the page; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_files", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DATA, help="where the files are")
    parser.add_argument("--write", action="store_true", help="replace the table in docs/real-data.md")
    options = parser.parse_args(asked)
    if not options.folder.is_dir():
        print(f"no folder {options.folder}: name the one that holds the files", file=sys.stderr)
        return 2
    made = table(rows(options.folder))
    if options.write:
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")
    print(made)
    return 0


def rows(folder: Path) -> Iterator[Row]:
    """A row for each JSON file under the folder."""
    for path in sorted(found for found in folder.rglob("*") if re.search(r"\.jsonl?(\.gz)?$", found.name)):
        yield row_of(path, path.relative_to(folder).as_posix())


def row_of(path: Path, name: str) -> Row:
    """What ingest makes of one file."""
    with tempfile.TemporaryDirectory() as place:
        store = SqliteStore(Path(place) / "errata.db")
        store.prepare()
        try:
            report = ingest_file(path, "auto", Shift(store, "real", "", NOW), Masker(KEY))
        except BadInputError as error:
            return Row(name, "refused", 0, 0, "–", str(error).removeprefix(f"{path}: ").partition(". ")[0])
        finally:
            store.close()
    codes = ", ".join(f"{code} {number}" for code, number in report.by_error_code.items())
    return Row(name, report.source, report.runs, report.calls, codes or "none", reasons(report.not_analysed))


def reasons(items: Iterable[NotAnalysed]) -> str:
    """Why things were left out, each reason with how often; numbers in it do not make another one."""
    counted = Counter(re.sub(r"\d+", "N", item.reason) for item in items)
    return "; ".join(f"{number} × {reason}" for reason, number in counted.most_common()) or "nothing"


def table(made: Iterable[Row]) -> str:
    """The table, with its sums last."""
    listed = [*made]
    head = ["| " + " | ".join(HEADER) + " |", "|---|---|---|---|---|---|"]
    total = f"| {len(listed)} files | | {sum(row.runs for row in listed)} | {sum(row.calls for row in listed)} | | |"
    return "\n".join([*head, *(row.line() for row in listed), total])


def with_table(page: str, made: str) -> str:
    """The page with the table between its marks replaced."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{made}\n{END}{after}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
