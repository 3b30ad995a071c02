"""Calibrations: what a cosine of one encoder, in one field, is worth on the scale that all encoders share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from attribution.encoders.port import Vectors
from errata_client.model import Model

Share = Annotated[float, Field(ge=-1.0, le=1.0)]
SEPARATES = 0.2
"""A calibration that spans less than this says the same of all pairs: its field does not inform."""


class Calibration(Model):
    """A monotone piecewise-linear map from cosine to a calibrated score (0 to 1), constant beyond its ends.

    `knots` are (cosine, score) with rising cosines and scores that never fall. `pairs` counts the pairs that it was
    measured on (same cause, other cause); both 0 where it is an assumption.
    """

    knots: tuple[tuple[Share, Annotated[float, Field(ge=0.0, le=1.0)]], ...] = Field(
        min_length=1, max_length=32
    )
    pairs: tuple[int, int] = (0, 0)

    @model_validator(mode="after")
    def _monotone(self) -> Calibration:
        for (left, low), (right, high) in pairwise(self.knots):
            if right - left < 1e-3 or high < low:
                raise ValueError(
                    f"knots must rise by 0.001 or more, scores never fall: {left, low}, {right, high}"
                )
        return self

    @property
    def informative(self) -> bool:
        """Whether it tells pairs apart at all."""
        return self.knots[-1][1] - self.knots[0][1] >= SEPARATES

    def apply(self, cosines: Vectors) -> Vectors:
        """The calibrated scores of cosines of any shape, float32, as a new array."""
        return self.apply_into(cosines, np.empty_like(cosines), np.empty_like(cosines))

    def apply_into(self, cosines: Vectors, scores: Vectors, spare: Vectors) -> Vectors:
        """The same without making an array: written to `scores`, with `spare` as room to work; both of the same shape.

        A sum of hinges, so that a block stays in the cache and every pass is one vector instruction per number.
        """
        scores.fill(self.knots[0][1])
        for start, stop, slope in self._segments():
            np.clip(cosines, start, stop, out=spare)
            spare -= np.float32(start)
            spare *= np.float32(slope)
            scores += spare
        return scores

    def _segments(self) -> list[tuple[float, float, float]]:
        """(from, to, slope) of the parts that rise."""
        return [
            (left, right, (high - low) / (right - left))
            for (left, low), (right, high) in pairwise(self.knots)
            if high > low
        ]


FLAT = Calibration(knots=((0.0, 0.5),))
"""The calibration of a field that says nothing about the cause."""


def fitted(same: Sequence[float], other: Sequence[float], *, at: float, worst: float) -> Calibration:
    """A calibration measured on cosines of pairs with the same cause and of pairs with another.

    The score `at` (the threshold) lies where at most the share `worst` of the other-cause pairs reaches it; half of it
    at their median. FLAT where fewer than a tenth of the same-cause pairs get over the threshold: the field does not
    inform. Quantiles, not a model: they say what they mean and cannot overfit a shape.
    """
    apart: NDArray[np.float64] = np.asarray(other, dtype=np.float64)
    threshold = float(np.quantile(apart, 1.0 - worst))
    if np.mean(np.asarray(same) >= threshold) < 0.1:
        return FLAT.model_copy(update={"pairs": (len(same), len(other))})
    median = min(float(np.median(apart)), threshold - 0.1)
    knots = ((median - 0.3, 0.0), (median, at / 2), (min(threshold, 0.98), at), (1.0, 1.0))
    rounded = tuple((round(cosine, 3), round(score, 3)) for cosine, score in knots)
    return Calibration(knots=rounded, pairs=(len(same), len(other)))
