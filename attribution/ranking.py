"""The two best causes of each problem, with what explains them: who scored how much, by which exemplar."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from attribution.encoders.port import Vectors
from attribution.exemplars import Known
from attribution.parameters import Parameters
from attribution.rows import stack
from attribution.scoring import DECIMALS, Channel, Sides, best_of_causes, mean_of, score_pairs
from attribution.text import FIELDS, Field
from knowledge.causes import Candidate, Components

BLOCK = 1024
"""Problems that are scored at once."""

SUPPORTING = 8
"""Exemplars of the winner that are kept to be looked at closely."""

Texts = Mapping[Field, str]
TextVectors = Mapping[str, Mapping[str, Vectors]]
"""By encoder id, then by text."""


@dataclass(frozen=True)
class Ranked:
    """What the scores say of one problem. `readers` are the encoders that read it in an informative field; `dissent`
    maps those of them that like another cause better than the winner to that cause. `supporting` are the error texts
    of the winner's best exemplars with their scores, the best first."""

    winner: Candidate | None = None
    runner_up: Candidate | None = None
    supporting: tuple[tuple[str, float], ...] = ()
    readers: tuple[str, ...] = ()
    dissent: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Block:
    """One block's scores: pairs by encoder and in the mean; causes by encoder and in the mean; the problems' rows."""

    pairs: Mapping[str, Vectors]
    mean: Vectors
    alone: Mapping[str, Vectors]
    best: Vectors
    problems: Sides


class Ranking:
    """The exemplars of all causes as matrices, to be asked about problems.

    `vectors` holds a vector for every text of the exemplars, and later of the problems, that an encoder reads.
    """

    def __init__(self, known: Sequence[Known], vectors: TextVectors, parameters: Parameters) -> None:
        self._known = sorted(known, key=lambda one: one.cause_id)
        self._channels = {e: _channels(e, parameters) for e in vectors if _channels(e, parameters)}
        self._vectors = vectors
        texts = [one.texts for one in self._known]
        self._exemplars = self._sides(texts)
        grouped = groupby(range(len(self._known)), key=lambda row: self._known[row].cause_id)
        spans = {cause: list(rows) for cause, rows in grouped}
        self._causes = list(spans)
        self._spans = [(rows[0], rows[-1] + 1) for rows in spans.values()]

    def rank(self, problems: Sequence[Texts], allowed: Sequence[Collection[str]]) -> Iterator[Ranked]:
        """One `Ranked` per problem, in order. `allowed` are the causes that may be asked about each of them."""
        for start in range(0, len(problems), BLOCK):
            stop = start + BLOCK
            yield from self._rank_block(problems[start:stop], allowed[start:stop])

    def _rank_block(self, problems: Sequence[Texts], allowed: Sequence[Collection[str]]) -> Iterator[Ranked]:
        sides = self._sides(problems)
        marks = {encoder: self._reads(encoder, sides) for encoder in self._channels}
        readers = [tuple(e for e, read in marks.items() if read[column]) for column in range(len(problems))]
        if not self._known or not self._channels:
            yield from (Ranked(readers=some) for some in readers)
            return
        block = self._score(sides, allowed)
        for column, some in enumerate(readers):
            yield self._explain(block, column, some)

    def _score(self, problems: Sides, allowed: Sequence[Collection[str]]) -> _Block:
        gates = np.array([[cause in some for some in allowed] for cause in self._causes], dtype=bool)
        pairs = {e: score_pairs(c, self._exemplars, problems) for e, c in self._channels.items()}
        mean = mean_of(list(pairs.values()), [self._reads(encoder, problems) for encoder in pairs])
        alone = {encoder: best_of_causes(scores, self._spans, gates) for encoder, scores in pairs.items()}
        return _Block(pairs, mean, alone, best_of_causes(mean, self._spans, gates), problems)

    def _explain(self, block: _Block, column: int, readers: tuple[str, ...]) -> Ranked:
        scores = block.best[:, column]
        order = [int(row) for row in np.argsort(-scores, kind="stable")[:2] if scores[row] >= 0]
        if not order:
            return Ranked(readers=readers)
        return Ranked(
            winner=self._candidate(block, order[0], column),
            runner_up=self._candidate(block, order[1], column) if len(order) > 1 else None,
            supporting=self._supporting(block, order[0], column),
            readers=readers,
            dissent=self._dissent(block, order[0], column, readers),
        )

    def _supporting(self, block: _Block, cause: int, column: int) -> tuple[tuple[str, float], ...]:
        start, stop = self._spans[cause]
        scored = [(_rounded(block.mean[row, column]), row) for row in range(start, stop)]
        best = sorted(scored, key=lambda one: (-one[0], one[1]))[:SUPPORTING]
        return tuple((self._known[row].texts["error_pattern"], score) for score, row in best)

    def _dissent(self, block: _Block, cause: int, column: int, readers: Sequence[str]) -> Mapping[str, str]:
        liked = {encoder: int(np.argmax(block.alone[encoder][:, column])) for encoder in readers}
        return {
            encoder: self._causes[other]
            for encoder, other in liked.items()
            if block.alone[encoder][other, column] > block.alone[encoder][cause, column]
        }

    def _candidate(self, block: _Block, cause: int, column: int) -> Candidate:
        start, stop = self._spans[cause]
        row = start + int(np.argmax(np.round(block.mean[start:stop, column], DECIMALS)))
        known = self._known[row]
        by_encoder = {e: _rounded(pairs[row, column]) for e, pairs in block.pairs.items()}
        return Candidate(
            cause_id=known.cause_id,
            score=_rounded(block.best[cause, column]),
            components=self._components(block.problems, row, column),
            exemplar=known.exemplar.error_pattern,
            by_encoder={encoder: score for encoder, score in by_encoder.items() if score >= 0},
        )

    def _components(self, problems: Sides, row: int, column: int) -> Components:
        found: dict[str, list[float]] = {name: [] for name in FIELDS}
        for channel, rows in problems.items():
            exemplars = self._exemplars[channel]
            if rows.present[column] and exemplars.present[row]:
                cosine = exemplars.vectors[row] @ rows.vectors[column]
                calibrated = channel.calibration.apply(np.asarray([cosine], dtype=np.float32))
                found[channel.field].append(float(calibrated[0]))
        return Components(**{name: _rounded(np.mean(some)) for name, some in found.items() if some})

    def _sides(self, texts: Sequence[Texts]) -> Sides:
        return {
            channel: stack([some[channel.field] for some in texts], self._vectors[encoder])
            for encoder, channels in self._channels.items()
            for channel in channels
        }

    def _reads(self, encoder: str, problems: Sides) -> NDArray[np.bool_]:
        """Which problems the encoder reads in any of its fields."""
        marks = [problems[channel].present for channel in self._channels[encoder]]
        return np.asarray(np.logical_or.reduce(marks), dtype=bool)


def _channels(encoder: str, parameters: Parameters) -> tuple[Channel, ...]:
    return tuple(
        Channel(encoder, name, parameters.weights.of(name), parameters.calibrations[encoder].of(name))
        for name in parameters.informative_fields(encoder)
    )


def _rounded(score: float | np.floating) -> float:
    return round(float(score), DECIMALS)
