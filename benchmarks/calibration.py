"""Measures the packaged calibrations on the exemplars of the starter set; prints them as attribution/defaults.yaml."""

from __future__ import annotations

import numpy as np
import yaml

from attribution.calibration import Calibration, fitted
from attribution.encoders.port import Encoder
from attribution.encoders.registry import make_encoder
from attribution.starter import starter_causes
from attribution.text import normalised


def measure(encoder: Encoder) -> Calibration:
    """The calibration of the error text for `encoder`: pairs of exemplars of one cause against pairs of two causes
    that a gate does not keep apart."""
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


def main() -> None:
    """Print what `attribution/defaults.yaml` holds."""
    found = {}
    for name in ("minilm", "use-multilingual", "hash"):
        encoder = make_encoder(name)
        found[encoder.id] = {"error_pattern": measure(encoder).model_dump(mode="json")}
    print(yaml.safe_dump({"calibrations": found}, sort_keys=False, default_flow_style=None))


if __name__ == "__main__":
    main()
