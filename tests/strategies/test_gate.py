"""The gate: what may be put in front of a person, and how a rewriting is found at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata_client.matching import Pattern, filled
from knowledge.strategies import Evidence
from strategies import gate
from strategies.synthesis.generalise import Pair, rewritings

GOOD: dict[str, Any] = {
    "support": 3,
    "tasks": 2,
    "references": 30,
    "fired": 3,
    "right": 3,
    "wrong": 0,
    "harmed": 0,
    "held_out": 3,
    "held_out_fired": 3,
    "held_out_right": 3,
    "precision": 1.0,
}


def test_evidence_that_shows_what_it_must_passes() -> None:
    assert gate.failures(Evidence(**GOOD)) == ()


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"support": 2}, "support 2"),
        ({"tasks": 1}, "one task only"),
        ({"harmed": 1}, "harmed 1"),
        ({"right": 2}, "right 2"),
        ({"precision": 0.94, "wrong": 1}, "precision 0.94"),
        ({"idle": 4}, "idle 4"),
        ({"held_out_fired": 0, "held_out_right": 0}, "held out"),
        ({"held_out_right": 2}, "held out: right 2 of 3"),
    ],
)
def test_each_thing_that_is_missing_is_named(changed: dict[str, Any], word: str) -> None:
    (failure,) = gate.failures(Evidence(**(GOOD | changed)))
    assert word in failure


def test_fewer_than_thirty_references_are_shown_not_hidden() -> None:
    assert gate.flags(29) == ("insufficient_reference",)
    assert gate.flags(30) == ()


texts = st.text(alphabet="aB1 -/#_2中", min_size=1, max_size=8)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(texts, texts), min_size=2, max_size=6), st.lists(texts, min_size=5, max_size=12))
def test_a_rewriting_makes_each_pair_right_and_leaves_what_works_alone(
    pairs: list[tuple[str, str]], working: list[str]
) -> None:
    made = [Pair(f"c{at}", failing, right) for at, (failing, right) in enumerate(pairs) if failing != right]
    fine = [*working, *(pair.working for pair in made)]
    for found in rewritings(made, fine):
        pattern = Pattern(found.pattern)
        for pair in made:
            if pair.case_id in found.cases:
                assert filled(found.template, pattern.captures(pair.failing) or ()) == pair.working
        for value in fine:
            captures = pattern.captures(value)
            assert captures is None or filled(found.template, captures) == value
