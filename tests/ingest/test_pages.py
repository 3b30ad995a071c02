"""The pages on ingest: their smallest inputs are read as they say, and no code is missing or made up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ingest.adapters.registry import ADAPTERS
from ingest.contrast.cases import CONTRAST_CODES
from ingest.detectors.registry import DETECTORS, LAST_RESORT
from ingest.masking import Masker
from ingest.service import ingest_file
from knowledge.cases import ERROR_CODES
from knowledge.store import Store
from tests.ingest.making import KEY, a_shift

DOCS = Path(__file__).resolve().parents[2] / "docs"


WITHOUT_ANSWERS = {"recorded_actions": 1}
"""Adapters whose smallest input can hold no error: how many things they leave out of it."""


def section_on(name: str) -> str:
    """The adapter's own page, or its section of the page on ingest."""
    page = DOCS / "formats" / f"{name.replace('_', '-')}.md"
    if page.exists():
        return page.read_text()
    return (DOCS / "ingest.md").read_text().partition(f"\n## {name}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("name", [adapter.name for adapter in ADAPTERS])
def test_the_smallest_input_of_each_source_is_recognised_and_gives_its_one_case(
    tmp_path: Path, store: Store, name: str
) -> None:
    block = re.findall(r"```(?:json|text|dot)\n(.*?)\n```", section_on(name), re.DOTALL)[0]
    path = tmp_path / "smallest"
    path.write_text(block)
    report = ingest_file(path, "auto", a_shift(store), Masker(KEY))
    assert (report.source, report.runs, report.calls) == (name, 1, 1)
    assert report.by_error_code == ({} if name in WITHOUT_ANSWERS else {"tool.error": 1})
    assert len(report.not_analysed) == WITHOUT_ANSWERS.get(name, 0)


def test_every_code_is_found_and_has_a_section_on_the_page() -> None:
    page = (DOCS / "error-codes.md").read_text()
    headings = [code for line in re.findall(r"^### (.*)$", page, re.MULTILINE) for code in line.split(", ")]
    detected = [code for detector in (*DETECTORS, LAST_RESORT) for code in detector.codes]
    assert sorted(headings) == sorted(ERROR_CODES)
    assert sorted([*detected, *CONTRAST_CODES]) == sorted(ERROR_CODES)
