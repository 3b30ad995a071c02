"""Halves of surrogate pairs and NUL, which no store can keep, in any place of any source: replaced visibly, nothing lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.adapters.registry import ADAPTERS
from ingest.masking import Masker
from ingest.service import ingest_file
from knowledge.errors import BadInputError
from knowledge.store import Store
from tests.ingest.examples import example
from tests.ingest.making import KEY, a_shift
from tests.ingest.planting import plant

HALVES, REPLACED = "\ud800 \x00 \udfff", "\ufffd \ufffd \ufffd"
EVERY = 4
"""Of the places of a source one in so many: each is two ingests."""


@pytest.mark.parametrize("name", [adapter.name for adapter in ADAPTERS])
def test_halves_and_nul_are_read_as_if_the_sign_of_a_replacement_stood_there(
    tmp_path: Path, store: Store, name: str
) -> None:
    planted = list(zip(*(plant(example(name), text) for text in (HALVES, REPLACED)), strict=True))
    lost = []
    for number, (held, shown) in enumerate(planted[::EVERY]):
        projects = f"h{number}", f"r{number}"
        found, expected = (
            told_of(tmp_path / project, text, name, store, project)
            for project, text in zip(projects, (held.text, shown.text), strict=True)
        )
        if found != expected:
            lost.append((held.place, found, expected))
    assert not lost


def told_of(path: Path, text: str, name: str, store: Store, project: str) -> object:
    """What an ingest says of a file with `text`: runs, calls and cases by code."""
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        report = ingest_file(path, name, a_shift(store, project), Masker(KEY))
    except BadInputError as error:
        return type(error)
    return report.runs, report.calls, report.by_error_code
