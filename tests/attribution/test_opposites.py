"""Error texts that differ in a negation, a role, a direction, a moment or an entity are not matched to each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from attribution.answers import read_answers
from attribution.attributor import Attributor
from attribution.encoders.port import Encoder, Vectors
from attribution.parameters import default_parameters
from attribution.ranking import TextVectors
from attribution.text import normalised
from ingest.text import error_pattern
from knowledge.causes import Attribution
from tests.attribution.making import NOW, cause, label, problem

TABLE = Path(__file__).parents[1] / "data" / "attribution_opposites.yaml"
Pair = Mapping[str, str]
SIDES = ("left", "right")


def pairs(language: str) -> list[Pair]:
    table: dict[str, list[Any]] = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    return table[language]


PAIRS = {language: pairs(language) for language in ("en", "zh")}


@pytest.fixture(scope="module")
def vectors(default_encoders: tuple[Encoder, ...]) -> dict[str, dict[str, Vectors]]:
    """Vector by encoder id and text, for all texts of the table."""
    texts = {
        normalised(error_pattern(pair[side])) for some in PAIRS.values() for pair in some for side in SIDES
    }
    return {one.id: _encoded(one, sorted(filter(one.reads, texts))) for one in default_encoders}


def _encoded(encoder: Encoder, texts: list[str]) -> dict[str, Vectors]:
    return dict(zip(texts, encoder.encode(texts), strict=True))


def decide(known: str, asked: str, vectors: TextVectors, *, confirmed: bool = False) -> Attribution:
    """The answer to `asked` where one cause is known by the text `known`: by its template, or by a confirmed problem."""

    def find(encoder: str, texts: Sequence[str]) -> Mapping[str, Vectors]:
        return {text: vectors[encoder][text] for text in texts if text in vectors[encoder]}

    pattern = error_pattern(known)
    causes = [cause("RC-A", "<id>" if confirmed else pattern)]
    answers = read_answers([label(problem(pattern, tool="then"), "confirm", "RC-A")] if confirmed else [])
    attributor = Attributor(causes, answers, default_parameters(), tuple(vectors), find, NOW)
    (found,) = attributor.attribute([problem(error_pattern(asked))])
    return found


def wrong(language: str, vectors: TextVectors, confirmed: bool) -> dict[str, str]:
    """The texts that were matched to their opposite, with the reason that was given."""
    both = [(pair[one], pair[other]) for pair in PAIRS[language] for one, other in (SIDES, SIDES[::-1])]
    answers = {(known, asked): decide(known, asked, vectors, confirmed=confirmed) for known, asked in both}
    return {
        f"{asked} -> {known}": f"{answer.rung}: {answer.reason}"
        for (known, asked), answer in answers.items()
        if answer.root_cause
    }


def test_the_table_holds_sixty_pairs_or_more_in_both_languages() -> None:
    assert len(PAIRS["en"]) + len(PAIRS["zh"]) >= 60
    assert {pair["by"] for pair in PAIRS["en"]} == {pair["by"] for pair in PAIRS["zh"]}
    assert min(map(len, PAIRS.values())) >= 30


@pytest.mark.parametrize("confirmed", [False, True], ids=["template", "confirmed"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_opposites_are_not_matched_to_each_other(
    language: str, confirmed: bool, vectors: TextVectors
) -> None:
    assert wrong(language, vectors, confirmed) == {}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_text_of_the_table_is_matched_to_a_cause_that_is_known_by_it(
    language: str, vectors: TextVectors
) -> None:
    texts = [pair[side] for pair in PAIRS[language] for side in SIDES]
    missed = [text for text in texts if not decide(text, text, vectors).root_cause]
    assert missed == []
