"""Scores of problems against exemplars: blocked matrix products over the fields.

score(p, x) = mean over the encoders e that read both of
              sum over fields f of w_f * calibration_ef(cosine) / sum of those w_f

where f runs over the fields that inform for e and that both the problem p and the exemplar x have. A cause's score
is that of its best exemplar. All arrays here are exemplars x problems (or causes x problems), float32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attribution.calibration import Calibration
from attribution.encoders.port import Vectors
from attribution.rows import Rows
from attribution.text import Field

DECIMALS = 4
"""Scores are rounded before they are compared: the last bits differ with the batch that a text was encoded in."""
NOTHING = np.float32(-1.0)
"""The score of a pair that cannot be compared."""
FEW = 64
"""Problems up to which one call over all causes is faster: for one problem a hundredfold; for 1,024 it is eight times slower."""
TILE = 512
"""Exemplars that are multiplied at once: the tile and its room to work stay in the cache."""


@dataclass(frozen=True)
class Channel:
    """One field as one encoder sees it: what a cosine there is worth, and what the field counts."""

    encoder: str
    field: Field
    weight: float
    calibration: Calibration


Sides = Mapping[Channel, Rows]
"""The rows of problems, or of exemplars, by channel."""


def score_pairs(channels: Sequence[Channel], exemplars: Sides, problems: Sides) -> Vectors:
    """Scores of all pairs over the channels of one encoder; NOTHING where a pair has no field in common."""
    rows, columns = _length(exemplars, channels), _length(problems, channels)
    complete = all(exemplars[channel].complete and problems[channel].complete for channel in channels)
    total = sum(channel.weight for channel in channels) if complete else 1.0
    scales = [channel.weight / total for channel in channels]
    scores = np.empty((rows, columns), dtype=np.float32)
    room = np.empty((3, min(TILE, rows), columns), dtype=np.float32)
    for start in range(0, rows, TILE):
        tile = scores[start : start + TILE]
        part = {channel: _part(exemplars[channel], start, start + TILE) for channel in channels}
        _score_tile(channels, scales, part, problems, tile, room[:, : len(tile)])
        if not complete:
            _weigh_present(channels, part, problems, tile)
    return scores


def _score_tile(
    channels: Sequence[Channel],
    scales: Sequence[float],
    exemplars: Sides,
    problems: Sides,
    into: Vectors,
    room: Vectors,
) -> None:
    cosines, calibrated, spare = room
    for number, (channel, scale) in enumerate(zip(channels, scales, strict=True)):
        np.matmul(exemplars[channel].vectors, problems[channel].vectors.T, out=cosines)
        channel.calibration.apply_into(cosines, calibrated if number else into, spare, scale)
        if number:
            into += calibrated


def _weigh_present(channels: Sequence[Channel], exemplars: Sides, problems: Sides, scores: Vectors) -> None:
    """Take out what absent fields brought, and divide by the weights of those that a pair has."""
    total = np.zeros_like(scores)
    for channel in channels:
        both = np.logical_and.outer(exemplars[channel].present, problems[channel].present)
        weight = np.float32(channel.weight)
        absent = channel.calibration.apply(np.zeros(1, dtype=np.float32))[0] * weight
        scores -= np.where(both, np.float32(0.0), absent)
        total += np.where(both, weight, np.float32(0.0))
    np.divide(scores, total, out=scores, where=total > 0)
    np.maximum(scores, np.float32(0.0), out=scores)
    scores[total <= 0] = NOTHING


def mean_of(scores: Sequence[Vectors], reads: Sequence[NDArray[np.bool_]]) -> Vectors:
    """The mean over the encoders that read each problem (`reads`: a mark per problem, for each encoder).

    An exemplar that one of those cannot read is NOTHING to the problem: else a single encoder would decide where two
    can, and the exemplars of another language would win by being asked only once.
    """
    if len(scores) == 1:
        return scores[0]
    total = np.zeros_like(scores[0])
    incomparable = np.zeros(total.shape, dtype=bool)
    for one, read in zip(scores, reads, strict=True):
        weight = read.astype(np.float32)
        total += one * weight
        if not read.all() or one.min(initial=0.0) < 0:
            incomparable |= (one < 0) & read
    count = np.sum(reads, axis=0, dtype=np.float32)
    total /= np.maximum(count, np.float32(1.0))
    total[incomparable | (count == 0)] = NOTHING
    return total


def best_of_causes(scores: Vectors, spans: Sequence[tuple[int, int]], allowed: NDArray[np.bool_]) -> Vectors:
    """The best score in each cause's span of exemplars, rounded; NOTHING where the cause is not allowed. The spans follow one
    another from the first exemplar to the last."""
    best = np.empty((len(spans), scores.shape[1]), dtype=np.float32)
    if scores.shape[1] <= FEW:
        np.maximum.reduceat(scores, [start for start, _ in spans], axis=0, out=best)
    else:
        for row, (start, stop) in enumerate(spans):
            np.max(scores[start:stop], axis=0, out=best[row])
    np.round(best, DECIMALS, out=best)
    best[~allowed] = NOTHING
    return best


def _part(rows: Rows, start: int, stop: int) -> Rows:
    return Rows(rows.vectors[start:stop], rows.present[start:stop])


def _length(sides: Sides, channels: Sequence[Channel]) -> int:
    return len(sides[channels[0]].present)
