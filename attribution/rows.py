"""Vectors of many texts as one matrix, with a mark for the texts that are not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attribution.encoders.port import Vectors


@dataclass(frozen=True)
class Rows:
    """`vectors` is n x d float32, a row of zeros where the text is absent or unread; `present` is n marks."""

    vectors: Vectors
    present: NDArray[np.bool_]

    @property
    def complete(self) -> bool:
        """Whether every text is there."""
        return bool(self.present.all())


def stack(texts: Sequence[str], vectors: Mapping[str, Vectors]) -> Rows:
    """One row per text, in order."""
    dimension = len(next(iter(vectors.values()), ()))
    rows = np.zeros((len(texts), dimension), dtype=np.float32)
    present = np.zeros(len(texts), dtype=bool)
    for index, text in enumerate(texts):
        vector = vectors.get(text)
        if vector is not None:
            rows[index] = vector
            present[index] = True
    return Rows(rows, present)
