"""What an encoder's cosines are worth where people's answers are too few to say: measured on the starter causes' exemplars."""

from __future__ import annotations

import numpy as np

from attribution.calibration import Calibration, fitted
from attribution.encoders.port import Encoder
from attribution.starter import starter_causes
from attribution.text import normalised


def measured(encoder: Encoder) -> Calibration:
    """The calibration of the error text for `encoder`: pairs of exemplars of one cause against pairs of two causes
    that a gate does not keep apart. Made so for each packaged encoder; flat where it tells nothing apart."""
    rows = [
        (cause, text)
        for cause in starter_causes()
        for text in sorted({normalised(exemplar.error_pattern) for exemplar in cause.exemplars})
        if encoder.reads(text)
    ]
    vectors = encoder.encode([text for _, text in rows])
    left, right = np.triu_indices(len(rows), 1)
    cosines = np.einsum("ij,ij->i", vectors[left], vectors[right])
    same = np.array([rows[a][0] is rows[b][0] for a, b in zip(left, right, strict=True)])
    rivals = np.array(
        [
            bool(set(rows[a][0].error_codes) & set(rows[b][0].error_codes))
            for a, b in zip(left, right, strict=True)
        ]
    )
    return fitted(cosines[same], cosines[~same & rivals])
