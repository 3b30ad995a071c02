"""The label set: cases of 28 causes, near misses and cases that belong nowhere, none of which any parameter was fitted on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from attribution.answers import read_answers
from attribution.attributor import Attributor
from attribution.cause_files import read_causes_text
from attribution.encoders.port import Encoder, Vectors
from attribution.parameters import default_parameters
from attribution.starter import starter_causes
from attribution.text import normalised
from ingest.error_kind import error_kind
from ingest.text import error_pattern
from tests.attribution.making import NOW, problem

DATA = Path(__file__).parents[1] / "data"
LABELS: list[dict[str, Any]] = [
    json.loads(line) for line in (DATA / "attribution_labels.jsonl").read_text(encoding="utf-8").splitlines()
]
CAUSES = read_causes_text((DATA / "attribution_causes.yaml").read_text(encoding="utf-8"))
Outcomes = Mapping[str, Counter[str]]


def sort_of(entry: Mapping[str, Any]) -> str:
    """recurring, variant, reworded, near_miss or elsewhere: the start of the id."""
    return str(entry["id"]).rpartition("-")[0]


@pytest.fixture(scope="module")
def outcomes(default_encoders: tuple[Encoder, ...]) -> Outcomes:
    """right, wrong, abstained and unmatched, for each sort of case."""
    by_id = {encoder.id: encoder for encoder in default_encoders}

    def find(encoder: str, texts: Sequence[str]) -> Mapping[str, Vectors]:
        read = sorted({text for text in texts if text and by_id[encoder].reads(text)})
        return dict(zip(read, by_id[encoder].encode(read), strict=True)) if read else {}

    asked = {entry["id"]: entry["case"]["error_message"] for entry in LABELS}
    problems = [
        problem(error_pattern(text), fingerprint=name, error_message=text, error_kind=error_kind(text))
        for name, text in asked.items()
    ]
    attributor = Attributor(CAUSES, read_answers([]), default_parameters(), tuple(by_id), find, NOW)
    decided = {one.fingerprint: one for one in attributor.attribute(problems)}
    found: dict[str, Counter[str]] = {}
    for entry in LABELS:
        one = decided[entry["id"]]
        right = "right" if one.root_cause == entry["root_cause"] else "wrong"
        found.setdefault(sort_of(entry), Counter())[right if one.verdict == "matched" else one.verdict] += 1
    return found


def test_the_set_holds_four_hundred_cases_of_causes_and_a_hundred_that_belong_nowhere() -> None:
    assert len({entry["id"] for entry in LABELS}) == len(LABELS)
    having = [entry for entry in LABELS if entry["root_cause"]]
    chinese = [entry for entry in LABELS if not entry["case"]["error_message"].isascii()]
    assert len(having) >= 400
    assert len({entry["root_cause"] for entry in having}) == len(CAUSES) >= 25
    assert len(LABELS) - len(having) >= 100
    assert len(chinese) >= 150


def test_no_cause_of_the_set_shares_an_exemplar_with_the_starter_set_or_another_cause() -> None:
    texts = Counter(
        text for cause in CAUSES for text in {normalised(one.error_pattern) for one in cause.exemplars}
    )
    assert [text for text, count in texts.items() if count > 1] == []
    assert {cause.cause_id for cause in CAUSES}.isdisjoint(cause.cause_id for cause in starter_causes())


def test_what_belongs_nowhere_is_left_alone(outcomes: Outcomes) -> None:
    assert outcomes["elsewhere"]["wrong"] == 0
    assert outcomes["near_miss"]["wrong"] <= 4


def test_at_most_twelve_matches_in_a_thousand_are_false(outcomes: Outcomes) -> None:
    together = sum(outcomes.values(), Counter[str]())
    assert together["wrong"] <= 0.012 * (together["right"] + together["wrong"])


def test_nearly_all_recurring_cases_and_four_in_five_variants_are_matched(outcomes: Outcomes) -> None:
    assert outcomes["recurring"]["right"] >= 0.95 * outcomes["recurring"].total()
    assert outcomes["variant"]["right"] >= 0.80 * outcomes["variant"].total()
