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

    def apply_into(self, cosines: Vectors, scores: Vectors, spare: Vectors, scale: float = 1.0) -> Vectors:
        """The same without making an array, times `scale`: written to `scores`, with `spare` as room to work; all of
        one shape. A sum of clipped lines: each pass is one vector instruction per number while a block stays in the
        cache."""
        segments = self._segments()
        steepness = [slope * scale for _, _, slope in segments]
        scores.fill(
            scale * self.knots[0][1] - sum(s * a for s, (a, _, _) in zip(steepness, segments, strict=True))
        )
        for slope, (start, stop, _) in zip(steepness, segments, strict=True):
            np.clip(cosines, np.float32(start), np.float32(stop), out=spare)
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


def fitted(
    same: Sequence[float], other: Sequence[float], *, at: float = 0.85, worst: float = 1e-4
) -> Calibration:
    """A calibration measured on cosines of pairs of texts with the same cause, and of pairs with different causes.

    By quantiles of the other-cause pairs: their median scores 0, one in a hundred reaches 0.5, the share `worst` of
    them reaches `at` (the threshold): so it means the same for every encoder. FLAT where fewer than a fiftieth of the
    same-cause pairs, or not significantly more of them than of the others, get past the 99 % quantile.
    """
    apart: NDArray[np.float64] = np.asarray(other, dtype=np.float64)
    low, middle, high = (float(np.quantile(apart, share)) for share in (0.5, 0.99, 1.0 - worst))
    counts = (len(same), len(other))
    past = float(np.mean(np.asarray(same) > middle))
    if past - 2.0 * (past * (1.0 - past) / max(len(same), 1)) ** 0.5 < 0.02:
        return FLAT.model_copy(update={"pairs": counts})
    middle = max(middle, low + 0.01)
    high = min(max(high, middle + 0.01), 0.98)
    knots = tuple(
        (round(cosine, 3), score) for cosine, score in ((low, 0.0), (middle, 0.5), (high, at), (1.0, 1.0))
    )
    return Calibration(knots=knots, pairs=counts)
