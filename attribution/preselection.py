"""Picking the causes that can win by their nearest exemplars, so that few are scored; exact scores decide, and the
picking is proved not to have changed them.

Each round asks, per encoder and field, for the exemplars nearest to the problem outside the causes picked so far, and
picks their causes. All exemplars of picked causes are scored exactly. A cause left out has no exemplar nearer than the
last one found, and calibrations are monotone, so the calibrated product of that last one bounds all its scores. Where the
bound lies below the runner-up, and for each encoder below its best, everything that a decision rests on is exact. Where it
does not after some rounds, all causes are scored.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from attribution.encoders.port import Vectors
from attribution.exemplars import Known
from attribution.parameters import Parameters
from attribution.ranking import Ranked, Ranking, Texts, TextVectors
from attribution.scoring import Channel
from attribution.text import text_digest
from knowledge.neighbours import PRECISION, Entry, Nearby, Neighbour, Neighbours

MANY = 20_000
"""Exemplars behind one error code over which causes are preselected."""
SLACK = 1e-3
"""Scores are rounded to four places, and float32 sums over a steep calibration err there too: a bound that lies less than
this below proves nothing."""
BLOCK = 64
"""Problems whose picked causes are scored together."""

TextsToVectors = Callable[[Sequence[Texts]], TextVectors]


@dataclass
class Proofs:
    """How many problems were ranked on picked causes with proof that none left out could matter, and how many needed all causes,
    for want of it. Both 0 where there were too few exemplars to pick from: then all were scored."""

    proved: int = 0
    exhaustive: int = 0

    def counts(self) -> dict[str, int]:
        """As a stage reports them."""
        return {"preselection_proved": self.proved, "preselection_unproved": self.exhaustive}


@dataclass(frozen=True)
class Preselection:
    """Ranks by preselection where there are more than `above` exemplars. `count` exemplars are asked for in each of
    at most `rounds` rounds. `proofs` counts what became of it."""

    neighbours: Neighbours
    project: str
    above: int = MANY
    count: int = 50
    rounds: int = 3
    proofs: Proofs = field(default_factory=Proofs)

    def over(self, known: Sequence[Known], vectors: TextsToVectors, parameters: Parameters) -> Preselected:
        """The exemplars, kept where they can be asked for. `vectors` finds the vectors of texts by encoder."""
        made = Preselected(self, known, vectors, parameters)
        made.keep()
        return made


@dataclass(frozen=True)
class Exhaustive:
    """All exemplars, each scored: what preselection must agree with, and what is quicker where they are few."""

    known: Sequence[Known]
    taught: TextVectors
    parameters: Parameters

    def rank(
        self, problems: Sequence[Texts], allowed: Sequence[Collection[str]], vectors: TextVectors
    ) -> Iterator[Ranked]:
        """One `Ranked` per problem, in order; `vectors` are those of the problems' texts, by encoder."""
        both = {encoder: {**self.taught[encoder], **own} for encoder, own in vectors.items()}
        return Ranking(self.known, both, self.parameters).rank(problems, allowed)


@dataclass(frozen=True)
class _Asked:
    """A block of problems, with the causes that may be asked about each and the vectors of their texts."""

    texts: Sequence[Texts]
    allowed: Sequence[Collection[str]]
    vectors: TextVectors


class Preselected:
    """The exemplars of all causes, to be asked about problems as `Ranking` is, with the same answers."""

    def __init__(
        self,
        preselection: Preselection,
        known: Sequence[Known],
        vectors: TextsToVectors,
        parameters: Parameters,
    ) -> None:
        self._by = preselection
        self._known = sorted(known, key=lambda one: one.cause_id)
        self._vectors = vectors
        self._parameters = parameters
        self._complete: dict[str, bool] = {}
        self._kept: set[str] = set()
        self._loaded: set[str] = set()
        self._taught: dict[str, dict[str, Vectors]] = {}

    def keep(self, batch: int = 1000) -> None:
        """Have every exemplar's vectors among the neighbours; an encoder is complete that reads all in all its fields."""
        for start in range(0, len(self._known), batch):
            some = self._known[start : start + batch]
            for encoder, vectors in self._vectors([one.texts for one in some]).items():
                for channel in self._channels(encoder):
                    entries = list(_entries(some, channel, vectors))
                    if entries:
                        self._by.neighbours.keep(self._by.project, _space(channel), entries)
                        self._kept.add(_space(channel))
                    whole = all(one.texts[channel.field] in vectors for one in some)
                    self._complete[encoder] = self._complete.get(encoder, True) and whole

    def rank(
        self, problems: Sequence[Texts], allowed: Sequence[Collection[str]], vectors: TextVectors
    ) -> Iterator[Ranked]:
        """One `Ranked` per problem, in order; `vectors` are those of the problems' texts, by encoder."""
        there = {one.cause_id for one in self._known}
        for start in range(0, len(problems), BLOCK):
            part = slice(start, start + BLOCK)
            yield from self._rank(_Asked(problems[part], [there & set(a) for a in allowed[part]], vectors))

    def _rank(self, asked: _Asked) -> list[Ranked]:
        found: dict[int, Ranked] = {}
        picked: set[str] = set()
        for _ in range(self._by.rounds):
            open_ones = [column for column in range(len(asked.texts)) if column not in found]
            bounds = self._pick(asked, open_ones, picked)
            exact = zip(open_ones, self._exact(asked, open_ones, picked), strict=True)
            found |= {
                column: ranked
                for column, ranked in exact
                if set(asked.allowed[column]) <= picked or _proved(ranked, bounds[column])
            }
            if len(found) == len(asked.texts):
                break
        rest = [column for column in range(len(asked.texts)) if column not in found]
        self._by.proofs.proved += len(found)
        self._by.proofs.exhaustive += len(rest)
        every = {cause for column in rest for cause in asked.allowed[column]}
        found.update(zip(rest, self._exact(asked, rest, every), strict=True))
        return [found[column] for column in range(len(asked.texts))]

    def _pick(
        self, asked: _Asked, columns: Sequence[int], picked: set[str]
    ) -> Mapping[int, Mapping[str, float]]:
        """Add the causes of the nearest exemplars; for each problem, what the ones left out can score, by encoder."""
        bounds: dict[int, dict[str, float]] = {column: {} for column in columns}
        groups = {column: set(asked.allowed[column]) - picked for column in columns}
        for encoder, vectors in asked.vectors.items():
            last: dict[int, dict[Channel, float | None]] = {column: {} for column in columns}
            for channel in self._channels(encoder):
                texts = {column: asked.texts[column][channel.field] for column in columns}
                near = {c: Nearby(_bytes(vectors[t]), groups[c]) for c, t in texts.items() if t in vectors}
                for column, hits in self._nearest(channel, near).items():
                    picked.update(hit.group for hit in hits)
                    last[column][channel] = hits[-1].product if len(hits) == self._by.count else None
            for column, products in last.items():
                if products:
                    bounds[column][encoder] = _bound(products, complete=self._complete.get(encoder, True))
        return bounds

    def _nearest(self, channel: Channel, near: Mapping[int, Nearby]) -> dict[int, tuple[Neighbour, ...]]:
        space = _space(channel)
        if space not in self._kept:
            return dict.fromkeys(near, ())
        by = self._by
        found = by.neighbours.nearest(by.project, space, list(near.values()), by.count)
        return dict(zip(near, found, strict=True))

    def _exact(self, asked: _Asked, columns: Sequence[int], causes: Collection[str]) -> list[Ranked]:
        if not columns:
            return []
        known = [one for one in self._known if one.cause_id in causes]
        self._load([one for one in known if one.cause_id not in self._loaded])
        vectors = {encoder: {**self._taught[encoder], **own} for encoder, own in asked.vectors.items()}
        ranking = Ranking(known, vectors, self._parameters)
        return list(ranking.rank([asked.texts[c] for c in columns], [asked.allowed[c] for c in columns]))

    def _load(self, known: Sequence[Known]) -> None:
        """Read the vectors of causes that were picked for the first time; those of the others are never held."""
        for encoder, vectors in self._vectors([one.texts for one in known]).items():
            self._taught.setdefault(encoder, {}).update(vectors)
        self._loaded.update(one.cause_id for one in known)

    def _channels(self, encoder: str) -> list[Channel]:
        weights, calibrations = self._parameters.weights, self._parameters.calibrations
        return [
            Channel(encoder, name, weights.of(name), calibrations[encoder].of(name))
            for name in self._parameters.informative_fields(encoder)
        ]


def _bound(last: Mapping[Channel, float | None], *, complete: bool) -> float:
    """What an exemplar left out scores at most: `last` is the product of the last one found in each field of the problem,
    None where no exemplar with that field is left. Below 0 where none can be compared.

    A weighted mean over unknown fields is at most the greatest of them; where every exemplar has every field, it is
    the mean over all.
    """
    worth = {channel: _worth(channel, product) for channel, product in last.items() if product is not None}
    if not worth:
        return -1.0
    if complete and len(worth) == len(last):
        return sum(channel.weight * score for channel, score in worth.items()) / sum(c.weight for c in worth)
    return max(worth.values())


def _worth(channel: Channel, product: float) -> float:
    cosine: Vectors = np.asarray([product + 2 * PRECISION], dtype=np.float32)
    return float(channel.calibration.apply(cosine)[0])


def _proved(ranked: Ranked, bounds: Mapping[str, float]) -> bool:
    """Whether no cause left out can be winner or runner-up, nor the favourite of an encoder."""
    if not ranked.readers:
        return True
    by_encoder = [bounds[encoder] for encoder in ranked.readers]
    if min(by_encoder) < 0:
        return _none_is_liked_more(ranked, bounds)
    if ranked.runner_up is None or ranked.winner is None:
        return False
    mean = sum(by_encoder) / len(by_encoder)
    return mean + SLACK < ranked.runner_up.score and _none_is_liked_more(ranked, bounds)


def _none_is_liked_more(ranked: Ranked, bounds: Mapping[str, float]) -> bool:
    """An encoder's favourite scores at least what the winner's best exemplar has from it."""
    if ranked.winner is None:
        return True
    own = ranked.winner.by_encoder
    return all(bounds[encoder] + SLACK < own.get(encoder, -1.0) for encoder in ranked.readers)


def _entries(known: Sequence[Known], channel: Channel, vectors: Mapping[str, Vectors]) -> Iterator[Entry]:
    for one in known:
        text = one.texts[channel.field]
        if text in vectors:
            yield Entry(one.cause_id, text_digest(text), _bytes(vectors[text]))


def _space(channel: Channel) -> str:
    return f"{channel.encoder} {channel.field}"


def _bytes(vector: Vectors) -> bytes:
    return vector.astype("<f4").tobytes()
