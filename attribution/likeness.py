"""How alike problems are by their error texts, on the calibrated scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attribution.parameters import Parameters
from attribution.ranking import TextVectors
from attribution.rows import Rows, stack
from attribution.scoring import DECIMALS
from attribution.text import normalised
from knowledge.cases import Problem


class Likeness:
    """The least of the encoders' calibrated scores of two error texts: all of them must find the two alike.

    `vectors` holds a vector for every text of `problems` that an encoder reads. 1.0 for equal texts, 0.0 where no
    encoder reads both.
    """

    def __init__(self, problems: Sequence[Problem], vectors: TextVectors, parameters: Parameters) -> None:
        texts = sorted({normalised(problem.error_pattern) for problem in problems})
        self._place = {text: row for row, text in enumerate(texts)}
        self._sides = [
            (parameters.calibrations[encoder].error_pattern, stack(texts, known))
            for encoder, known in vectors.items()
            if "error_pattern" in parameters.informative_fields(encoder)
        ]

    def __call__(self, problem: Problem, others: Sequence[Problem]) -> Sequence[float]:
        """How alike `problem` is to each of `others`; all of them among the problems given at first."""
        row = self._place[normalised(problem.error_pattern)]
        rows = np.array([self._place[normalised(other.error_pattern)] for other in others])
        scores = np.full(len(others), np.inf)
        for calibration, side in self._sides:
            calibrated = calibration.apply(side.vectors[rows] @ side.vectors[row])
            scores = np.where(_both(side, row, rows), np.minimum(scores, calibrated), scores)
        alike = np.where(np.isfinite(scores), np.round(scores, DECIMALS), 0.0)
        return [float(score) for score in np.where(rows == row, 1.0, alike)]


def _both(side: Rows, row: int, rows: NDArray[np.int_]) -> NDArray[np.bool_]:
    both: NDArray[np.bool_] = side.present[rows] & side.present[row]
    return both
