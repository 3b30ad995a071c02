"""Which causes' texts speak of the same kind of mistake as a problem's, and how surely."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from attribution.encoders.port import Vectors
from attribution.exemplars import Known
from attribution.senses.probe import Chances, Probes

MOSTLY = 0.5
"""The part of what a cause's texts speak of that has to be of one sense for the cause to be."""
BLOCK = 1024
"""Texts of causes whose vectors are held at once."""
TextVectors = Mapping[str, Mapping[str, Vectors]]
"""By encoder id, then by text."""


@dataclass(frozen=True)
class Spoken:
    """The cause whose texts most likely say what a problem's text says. `chance`: that both speak of one sense whose words
    tell the whole cause, 0 to 1; `says` is that sense in words; `runner_up` is the next cause, with its chance."""

    cause_id: str
    chance: float
    says: str
    runner_up: str | None = None
    runner_up_chance: float = 0.0


class Sayings:
    """What the texts of each cause speak of: the mean over its distinct error texts."""

    def __init__(
        self,
        probes: Probes,
        known: Sequence[Known],
        vectors: Callable[[Sequence[str]], TextVectors],
    ) -> None:
        self._probes = probes
        self._says = [sense.says for sense in probes.senses]
        self._whole = np.array([sense.whole for sense in probes.senses], dtype=bool)
        profiles = dict(self._profiled(known, vectors))
        self._causes = sorted(profiles)
        self._profiles = np.array([profiles[cause] for cause in self._causes]).reshape(-1, len(self._says))

    def spoken(
        self, texts: Sequence[str], allowed: Sequence[Collection[str]], vectors: TextVectors
    ) -> Iterator[Spoken | None]:
        """One answer per error text, in order; None where no probe reads it or no cause may be asked."""
        chances = self._chances(texts, vectors)
        both = np.round(chances @ self._profiles.T, 4)
        columns: dict[frozenset[str], NDArray[np.int64]] = {}
        for row, some in enumerate(map(frozenset, allowed)):
            if some not in columns:
                columns[some] = np.array(
                    [at for at, cause in enumerate(self._causes) if cause in some], dtype=np.int64
                )
            yield self._best(chances[row], both[row], columns[some])

    def _best(
        self, chances: NDArray[np.float64], both: NDArray[np.float64], columns: NDArray[np.int64]
    ) -> Spoken | None:
        """Of the causes in `columns`; equal ones in the order of their names."""
        if not len(columns) or not chances.any():
            return None
        first, *others = columns[np.argsort(-both[columns], kind="stable")[:2]]
        return Spoken(
            cause_id=self._causes[first],
            chance=float(both[first]),
            says=self._says[int(np.argmax(chances * self._profiles[first]))],
            runner_up=self._causes[others[0]] if others else None,
            runner_up_chance=float(both[others[0]]) if others else 0.0,
        )

    def _profiled(
        self,
        known: Sequence[Known],
        vectors: Callable[[Sequence[str]], TextVectors],
    ) -> Iterator[tuple[str, NDArray[np.float64]]]:
        pairs = sorted({(one.cause_id, one.texts["error_pattern"]) for one in known})
        told = [(cause, text) for cause, text in pairs if text]
        chances = np.zeros((len(told), len(self._says)))
        for start in range(0, len(told), BLOCK):
            texts = [text for _, text in told[start : start + BLOCK]]
            chances[start : start + BLOCK] = self._chances(texts, vectors(texts))
        for cause, group in groupby(range(len(told)), key=lambda row: told[row][0]):
            heard = chances[list(group)]
            read = heard[heard.any(axis=1)]
            if len(read):
                yield cause, _profile(read)

    def _chances(self, texts: Sequence[str], vectors: TextVectors) -> Chances:
        """As the probes see them, but nothing for senses whose words do not tell the cause."""
        found: Chances = self._probes.chances(texts, vectors) * self._whole
        return found


def _profile(chances: Chances) -> NDArray[np.float64]:
    """What a cause's texts speak of, from what each of them does: mostly one sense, then that one for certain, since they were
    written down as one cause; else the mean."""
    mean: NDArray[np.float64] = chances.mean(axis=0)
    return mean / mean.max() if mean.max() >= MOSTLY else mean
