"""The exemplars that a cause is compared by: the template's own, and the problems that people confirmed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from attribution.answers import Answers
from attribution.text import Field, exemplar_texts
from knowledge.causes import Exemplar, RootCause

MAX_CONFIRMED = 200
"""Confirmed problems that a cause learns from: the newest; more add time and no wording."""


@dataclass(frozen=True)
class Known:
    """One exemplar of one cause, with its texts normalised."""

    cause_id: str
    exemplar: Exemplar
    texts: Mapping[Field, str]


def known_exemplars(causes: Iterable[RootCause], answers: Answers) -> tuple[Known, ...]:
    """All exemplars of the enabled causes, by cause and then by text; equal texts of one cause count once."""
    found: list[Known] = []
    for cause in sorted(causes, key=lambda cause: cause.cause_id):
        if cause.enabled:
            confirmed = answers.exemplars_of(cause.cause_id)[:MAX_CONFIRMED]
            found.extend(_distinct(cause.cause_id, (*cause.exemplars, *confirmed)))
    return tuple(found)


def _distinct(cause_id: str, exemplars: Sequence[Exemplar]) -> list[Known]:
    by_texts: dict[tuple[str, ...], Known] = {}
    for exemplar in exemplars:
        texts = exemplar_texts(exemplar)
        key = tuple(texts.values())
        if any(key) and key not in by_texts:
            by_texts[key] = Known(cause_id, exemplar, texts)
    return [by_texts[key] for key in sorted(by_texts)]
