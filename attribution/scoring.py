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
TILE = 256
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
    scores = np.empty((rows, columns), dtype=np.float32)
    room = np.empty((3, min(TILE, rows), columns), dtype=np.float32)
    transposed = {channel: problems[channel].vectors.T for channel in channels}
    for start in range(0, rows, TILE):
        tile = scores[start : start + TILE]
        part = {c: _part(exemplars[c], start, start + TILE) for c in channels}
        _score_tile(channels, part, transposed, tile, room[:, : len(tile)])
        _weigh_present(channels, part, problems, tile)
    return scores


def _score_tile(
    channels: Sequence[Channel],
    exemplars: Sides,
    problems: Mapping[Channel, Vectors],
    into: Vectors,
    room: Vectors,
) -> None:
    cosines, calibrated, spare = room
    for number, channel in enumerate(channels):
        np.matmul(exemplars[channel].vectors, problems[channel], out=cosines)
        target = calibrated if number else into
        channel.calibration.apply_into(cosines, target, spare)
        if len(channels) > 1:
            target *= np.float32(channel.weight)
        if number:
            into += calibrated


def _weigh_present(channels: Sequence[Channel], exemplars: Sides, problems: Sides, scores: Vectors) -> None:
    """Divide by the weights of the fields that a pair has, after taking out what absent ones brought."""
    if all(exemplars[channel].complete and problems[channel].complete for channel in channels):
        if len(channels) > 1:
            scores /= np.float32(sum(channel.weight for channel in channels))
        return
    total = np.zeros_like(scores)
    for channel in channels:
        both = np.logical_and.outer(exemplars[channel].present, problems[channel].present)
        absent = channel.calibration.apply(np.zeros(1, dtype=np.float32))[0]
        weight = np.float32(channel.weight if len(channels) > 1 else 1.0)
        scores -= np.where(both, np.float32(0.0), absent * weight)
        total += np.where(both, weight, np.float32(0.0))
    np.divide(scores, total, out=scores, where=total > 0)
    np.maximum(scores, np.float32(0.0), out=scores)
    scores[total <= 0] = NOTHING


def mean_of(scores: Sequence[Vectors]) -> Vectors:
    """The mean over encoders of what each could score; NOTHING where none could."""
    if len(scores) == 1:
        return scores[0]
    if all(float(one.min(initial=0.0)) >= 0.0 for one in scores):
        total = scores[0] + scores[1]
        for one in scores[2:]:
            total += one
        return np.asarray(total / np.float32(len(scores)), dtype=np.float32)
    stacked = np.stack(scores)
    readable = stacked >= 0
    count = readable.sum(axis=0)
    total = np.where(readable, stacked, np.float32(0.0)).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), NOTHING).astype(np.float32)


def best_of_causes(scores: Vectors, spans: Sequence[tuple[int, int]], allowed: NDArray[np.bool_]) -> Vectors:
    """The best score in each cause's span of exemplars, rounded; NOTHING where the cause is not allowed."""
    best = np.empty((len(spans), scores.shape[1]), dtype=np.float32)
    for row, (start, stop) in enumerate(spans):
        np.max(scores[start:stop], axis=0, out=best[row])
    np.round(best, DECIMALS, out=best)
    best[~allowed] = NOTHING
    return best


def _part(rows: Rows, start: int, stop: int) -> Rows:
    return Rows(rows.vectors[start:stop], rows.present[start:stop])


def _length(sides: Sides, channels: Sequence[Channel]) -> int:
    return len(sides[channels[0]].present)
