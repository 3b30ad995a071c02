"""What the starter set does with error texts of many domains, with the packaged models."""

from __future__ import annotations

import pytest

from attribution.encoders.measuring import measured
from attribution.encoders.port import Encoder
from attribution.parameters import default_parameters
from benchmarks.attribution import decide, labelled, outcomes
from knowledge.causes import Attribution

GROUPS = labelled()


@pytest.fixture(scope="session")
def decided(default_encoders: tuple[Encoder, ...]) -> dict[str, Attribution]:
    """The attribution of every labelled text, by its text."""
    return decide([entry for group in GROUPS.values() for entry in group], default_encoders)


@pytest.mark.parametrize("group", ["novel", "fresh_novel"])
def test_a_text_that_belongs_nowhere_is_never_matched(group: str, decided: dict[str, Attribution]) -> None:
    texts = [entry["text"] for entry in GROUPS[group]]
    assert {text: decided[text].reason for text in texts if decided[text].root_cause} == {}


@pytest.mark.parametrize("group", ["known", "fresh_known"])
def test_what_is_matched_is_matched_rightly(group: str, decided: dict[str, Attribution]) -> None:
    found = {entry["text"]: (decided[entry["text"]].root_cause, entry["cause"]) for entry in GROUPS[group]}
    assert {text: pair for text, pair in found.items() if pair[0] not in {None, pair[1]}} == {}


def test_most_texts_of_known_causes_are_matched_and_few_are_missed(decided: dict[str, Attribution]) -> None:
    counts = outcomes(GROUPS["known"], decided)
    assert counts["right"] >= 0.70 * len(GROUPS["known"])
    assert counts["unmatched"] <= 0.15 * len(GROUPS["known"])


def test_the_packaged_calibrations_are_the_measured_ones(default_encoders: tuple[Encoder, ...]) -> None:
    for encoder in default_encoders:
        packaged = default_parameters().calibrations[encoder.id].error_pattern
        for (cosine, score), (again, same) in zip(packaged.knots, measured(encoder).knots, strict=True):
            assert cosine == pytest.approx(again, abs=0.02)
            assert score == same
