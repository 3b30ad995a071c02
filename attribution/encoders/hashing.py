"""A fake encoder without a model: words and character trigrams hashed into a vector. Fast, exact, for tests."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from attribution.encoders.port import Vectors

_WORDS = re.compile(r"\w+")


class HashingEncoder:
    """Texts that share words are near, all others far; it knows no meaning. Reads whatever has a letter."""

    def __init__(self, dimension: int = 512) -> None:
        self.id = f"hash-{dimension}"
        self.dimension = dimension

    def reads(self, text: str) -> bool:
        """Whether there is a letter in it."""
        return any(character.isalpha() for character in text)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See the port. A text without a word gets the first unit vector."""
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for feature in _features(text):
                hashed = zlib.crc32(feature.encode())
                row[hashed % self.dimension] += 1.0 if hashed & 0x80000000 else -1.0
            if not row.any():
                row[0] = 1.0
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def _features(text: str) -> Iterator[str]:
    for word in _WORDS.findall(text.casefold()):
        yield f"word {word}"
        padded = f"^{word}$"
        yield from (padded[start : start + 3] for start in range(len(padded) - 2))
