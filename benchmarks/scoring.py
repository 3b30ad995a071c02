"""How near scoring comes to the machine's own rate of matrix products: both measured in one run."""

from __future__ import annotations

import tracemalloc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

from attribution.calibration import Calibration
from attribution.encoders.port import Vectors
from attribution.ranking import BLOCK
from attribution.rows import Rows
from attribution.scoring import Channel, best_of_causes, score_pairs
from attribution.text import FIELDS, Field

PROBLEMS, CAUSES, EXEMPLARS, DIMENSION = 100_000, 500, 5, 384
DISTINCT = 20_000
"""Rows that differ; they are scored again and again, so that what is measured is scoring and not the room for input."""
KNOTS = ((0.15, 0.0), (0.46, 0.5), (0.78, 0.85), (1.0, 1.0))


def main() -> None:
    """Print both rates, their ratio, the room that scoring takes, and the time of one problem alone."""
    scored = Scored.made()
    measured = [(sgemm_rate(), scored.seconds()) for _ in range(2)]
    peak, seconds = max(rate for rate, _ in measured), min(spent for _, spent in measured)
    rate = 2.0 * PROBLEMS * CAUSES * EXEMPLARS * DIMENSION * len(FIELDS) / seconds
    print(
        f"weighted scoring, {PROBLEMS:,} problems x {CAUSES} causes x {EXEMPLARS} exemplars x 3 fields: {seconds:.2f} s"
    )
    print(
        f"scoring {rate / 1e9:.0f} Gflop/s, sgemm {peak / 1e9:.0f} Gflop/s, share {rate / peak:.2f} (aim 0.60)"
    )
    print(
        f"room for scores: {scored.room(BLOCK) / 2**20:.0f} MiB for each block of {BLOCK} problems, then freed"
    )
    for fields in (1, len(FIELDS)):
        median = np.median([scored.of_one(fields) for _ in range(200)])
        print(f"one problem against {CAUSES} causes, {fields} field(s): {median * 1e3:.2f} ms (aim 1 ms)")


@dataclass(frozen=True)
class Scored:
    """Exemplars and problems, in three fields."""

    channels: Sequence[Channel]
    exemplars: Mapping[Channel, Rows]
    problems: Mapping[Channel, Vectors]

    @classmethod
    def made(cls) -> Scored:
        """Random ones."""
        channels = [
            Channel("measured", field, weight, Calibration(knots=KNOTS)) for field, weight in weights()
        ]
        exemplars = {channel: complete(rows(CAUSES * EXEMPLARS)) for channel in channels}
        return cls(channels, exemplars, {channel: rows(DISTINCT) for channel in channels})

    def seconds(self) -> float:
        """Seconds to score all problems against all exemplars, block by block, and to find each cause's best."""
        started = perf_counter()
        for start in range(0, PROBLEMS, BLOCK):
            self.score(self.channels, start % DISTINCT, min(BLOCK, PROBLEMS - start))
        return perf_counter() - started

    def of_one(self, fields: int) -> float:
        """Seconds for one problem whose vectors are at hand; one BLAS thread, as attribution does it."""
        with threadpool_limits(limits=1, user_api="blas"):
            started = perf_counter()
            self.score(self.channels[:fields], 0, 1)
            return perf_counter() - started

    def room(self, count: int) -> int:
        """The most bytes that are held at once to score so many problems, besides the vectors."""
        tracemalloc.start()
        self.score(self.channels, 0, count)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak

    def score(self, channels: Sequence[Channel], start: int, count: int) -> Vectors:
        """The best score of each cause for the problems from `start` on, around the end."""
        places = np.arange(start, start + count) % DISTINCT
        block = {channel: complete(self.problems[channel][places]) for channel in channels}
        scores = score_pairs(channels, self.exemplars, block)
        spans = [(first, first + EXEMPLARS) for first in range(0, CAUSES * EXEMPLARS, EXEMPLARS)]
        return best_of_causes(scores, spans, np.ones((CAUSES, scores.shape[1]), dtype=bool))


def sgemm_rate() -> float:
    """Flops per second of the machine's float32 matrix product, at a size that suits it."""
    left, right = rows(2_048), rows(2_048)
    np.matmul(left, right.T)
    started = perf_counter()
    for _ in range(20):
        np.matmul(left, right.T)
    return 20 * 2.0 * len(left) * len(right) * DIMENSION / (perf_counter() - started)


def weights() -> list[tuple[Field, float]]:
    """The weights that fitting starts from."""
    return [("user_intent", 0.4), ("error_pattern", 0.3), ("step_context", 0.3)]


def complete(vectors: Vectors) -> Rows:
    """Rows with every text there."""
    return Rows(vectors, np.ones(len(vectors), dtype=bool))


def rows(count: int) -> Vectors:
    """Random rows of unit length; the same for the same count."""
    made = np.random.default_rng(count).standard_normal((count, DIMENSION), dtype=np.float32)
    unit: Vectors = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


if __name__ == "__main__":
    main()
