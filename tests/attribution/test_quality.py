"""What the starter set does with error texts of many domains, with the packaged models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from attribution.answers import read_answers
from attribution.attributor import Attributor
from attribution.encoders.port import Encoder, Vectors
from attribution.parameters import default_parameters
from attribution.starter import starter_causes
from benchmarks.calibration import measure
from ingest.text import error_pattern
from knowledge.causes import Attribution
from tests.attribution.making import NOW, problem

TEXTS = Path(__file__).resolve().parents[2] / "benchmarks/data/attribution_texts.yaml"


@cache
def labelled() -> dict[str, list[dict[str, Any]]]:
    loaded: dict[str, list[dict[str, Any]]] = yaml.safe_load(TEXTS.read_text(encoding="utf-8"))
    return loaded


@pytest.fixture(scope="session")
def decided(default_encoders: tuple[Encoder, ...]) -> dict[str, Attribution]:
    """The attribution of every labelled text, by its text."""
    by_id = {encoder.id: encoder for encoder in default_encoders}

    def find(encoder: str, texts: Sequence[str]) -> Mapping[str, Vectors]:
        read = sorted({text for text in texts if text and by_id[encoder].reads(text)})
        return dict(zip(read, by_id[encoder].encode(read), strict=True)) if read else {}

    entries = [entry for group in labelled().values() for entry in group]
    problems = [
        problem(
            error_pattern(entry["text"]),
            fingerprint=entry["text"],
            error_code=entry.get("code", "tool.error"),
            error_kind=entry["kind"],
        )
        for entry in entries
    ]
    attributor = Attributor(starter_causes(), read_answers([]), default_parameters(), tuple(by_id), find, NOW)
    return {one.fingerprint: one for one in attributor.attribute(problems)}


def entries(*groups: str) -> Iterator[dict[str, Any]]:
    for group in groups:
        yield from labelled()[group]


def test_a_text_that_belongs_nowhere_is_never_matched(decided: dict[str, Attribution]) -> None:
    wrong = {
        entry["text"]: decided[entry["text"]].reason
        for entry in entries("novel", "fresh_novel")
        if decided[entry["text"]].root_cause
    }
    assert wrong == {}


def test_what_is_matched_is_matched_rightly(decided: dict[str, Attribution]) -> None:
    wrong = {
        entry["text"]: decided[entry["text"]].root_cause
        for entry in entries("known", "fresh_known")
        if decided[entry["text"]].root_cause not in {None, entry["cause"]}
    }
    assert wrong == {}


def test_most_texts_of_known_causes_are_matched_and_few_are_missed(decided: dict[str, Attribution]) -> None:
    known = [decided[entry["text"]] for entry in entries("known")]
    assert sum(one.verdict == "matched" for one in known) >= 0.70 * len(known)
    assert sum(one.verdict == "unmatched" for one in known) <= 0.15 * len(known)


def test_the_packaged_calibrations_are_the_measured_ones(default_encoders: tuple[Encoder, ...]) -> None:
    for encoder in default_encoders:
        packaged = default_parameters().calibrations[encoder.id].error_pattern
        measured = measure(encoder)
        for (cosine, score), (again, same) in zip(packaged.knots, measured.knots, strict=True):
            assert cosine == pytest.approx(again, abs=0.02)
            assert score == same
