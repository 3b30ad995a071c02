"""How near scoring comes to the machine's own rate of matrix products: both measured in one run."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from attribution.calibration import Calibration
from attribution.encoders.port import Vectors
from attribution.ranking import BLOCK
from attribution.rows import Rows
from attribution.scoring import Channel, best_of_causes, score_pairs
from attribution.text import FIELDS, Field

PROBLEMS, CAUSES, EXEMPLARS, DIMENSION = 20_000, 500, 5, 384
KNOTS = ((0.15, 0.0), (0.46, 0.5), (0.78, 0.85), (1.0, 1.0))


def main() -> None:
    """Print both rates and their ratio."""
    measured = [(sgemm_rate(), scoring_seconds()) for _ in range(3)]
    peak, seconds = max(rate for rate, _ in measured), min(spent for _, spent in measured)
    rate = 2.0 * PROBLEMS * CAUSES * EXEMPLARS * DIMENSION * len(FIELDS) / seconds
    print(
        f"weighted scoring, {PROBLEMS:,} problems x {CAUSES} causes x {EXEMPLARS} exemplars x 3 fields: {seconds:.2f} s"
    )
    print(
        f"scoring {rate / 1e9:.0f} Gflop/s, sgemm {peak / 1e9:.0f} Gflop/s, share {rate / peak:.2f} (aim 0.60)"
    )


def sgemm_rate() -> float:
    """Flops per second of the machine's float32 matrix product, at a size that suits it."""
    left, right = rows(2_048), rows(2_048)
    np.matmul(left, right.T)
    started = perf_counter()
    for _ in range(20):
        np.matmul(left, right.T)
    return 20 * 2.0 * len(left) * len(right) * DIMENSION / (perf_counter() - started)


def scoring_seconds() -> float:
    """Seconds to score all problems against all exemplars in three fields, and to find each cause's best."""
    channels = [Channel("measured", field, weight, Calibration(knots=KNOTS)) for field, weight in weights()]
    exemplars = {channel: complete(rows(CAUSES * EXEMPLARS)) for channel in channels}
    problems = {channel: rows(PROBLEMS) for channel in channels}
    spans = [(start, start + EXEMPLARS) for start in range(0, CAUSES * EXEMPLARS, EXEMPLARS)]
    started = perf_counter()
    for start in range(0, PROBLEMS, BLOCK):
        block = {channel: complete(some[start : start + BLOCK]) for channel, some in problems.items()}
        scores = score_pairs(channels, exemplars, block)
        best_of_causes(scores, spans, np.ones((CAUSES, scores.shape[1]), dtype=bool))
    return perf_counter() - started


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
