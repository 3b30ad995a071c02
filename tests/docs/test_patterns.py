"""Patterns that every supported Python matches alike."""

from __future__ import annotations

import re

from tests.docs.test_links import ROOT, committed

POSSESSIVE = re.compile(r"\)[*+?]\+|\(\?>")


def test_no_pattern_has_a_possessive_or_atomic_group() -> None:
    """Python before 3.11.5 matches them wrongly where what is inside can be matched in several ways."""
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in committed()
        if path.suffix == ".py" and "tests" not in path.parts
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if POSSESSIVE.search(line)
    ]
    assert not found
