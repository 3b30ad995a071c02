"""The figures of an evaluation, from decisions that are given."""

from __future__ import annotations

import pytest

from attribution.evaluation import Labelled, by_rung, figures, reliability, twins, wilson_upper
from knowledge.causes import Attribution, Candidate, Components
from tests.attribution.making import NOW, problem


def labelled(name: str, root_cause: str | None) -> Labelled:
    return Labelled(name, problem(name), root_cause)


def decided(
    name: str, verdict: str, root_cause: str | None, score: float | None = None, best: str = "RC-A"
) -> Attribution:
    winner = None
    if score is not None:
        winner = Candidate(cause_id=best, score=score, components=Components(), exemplar="x")
    return Attribution(
        fingerprint=problem(name).fingerprint,
        verdict=verdict,
        root_cause=root_cause,
        rung="score" if winner else "same_text",
        score=score,
        winner=winner,
        threshold=0.85,
        margin=0.08,
        reason="because",
        decided_at=NOW,
    )


ROWS = [
    (labelled("a", "RC-A"), decided("a", "matched", "RC-A", 0.95)),
    (labelled("b", "RC-B"), decided("b", "matched", "RC-A", 0.93)),
    (labelled("c", None), decided("c", "matched", "RC-A")),
    (labelled("d", "RC-B"), decided("d", "abstained", None, 0.81, best="RC-B")),
    (labelled("e", None), decided("e", "unmatched", None, 0.2)),
]
LABELS, DECIDED = [row[0] for row in ROWS], [row[1] for row in ROWS]


def test_a_match_of_a_case_that_has_no_template_is_a_false_one() -> None:
    found = figures(LABELS, DECIDED)
    assert (found.with_template, found.right, found.wrong, found.abstained, found.unmatched) == (
        3,
        1,
        2,
        1,
        1,
    )
    assert found.coverage == pytest.approx(1 / 3)
    assert found.false_match_rate == pytest.approx(2 / 3)
    assert found.abstain_rate == pytest.approx(1 / 5)


def test_reliability_asks_of_each_tenth_how_often_the_best_cause_was_right() -> None:
    assert reliability(LABELS, DECIDED) == [
        {"from": 0.2, "cases": 1, "right": 0, "share": 0.0},
        {"from": 0.8, "cases": 1, "right": 1, "share": 1.0},
        {"from": 0.9, "cases": 2, "right": 1, "share": 0.5},
    ]


def test_rungs_say_where_the_wrong_ones_came_from() -> None:
    assert by_rung(LABELS, DECIDED) == {
        "same_text": {"wrong": 1},
        "score": {"abstained": 1, "right": 1, "unmatched": 1, "wrong": 1},
    }


def test_of_nothing_there_is_no_rate() -> None:
    found = figures([], [])
    assert (found.coverage, found.false_match_rate, found.false_match_upper) == (None, None, None)
    assert wilson_upper(0, 0) is None


def test_an_upper_limit_is_wilsons() -> None:
    assert wilson_upper(0, 100) == pytest.approx(0.0370, abs=1e-4)
    assert wilson_upper(4, 372) == pytest.approx(0.0273, abs=1e-4)


def test_twins_are_texts_of_several_causes() -> None:
    found = twins({"RC-A": ["same", "mine", ""], "RC-B": ["same", ""]})
    assert found == [{"causes": ["RC-A", "RC-B"], "text": "same"}]
