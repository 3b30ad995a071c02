"""A text as the words that stand in it: what tells "has a key too many" from "lacks a key", which sentence encoders hardly do."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from attribution.encoders.port import Vectors
from attribution.words import words

LEXICON = "words"
"""The name of its probe, beside those of the encoders."""
WIDTH = 2048
STEM = 6
"""Letters of a word that count."""


def counted(text: str) -> Vectors | None:
    """A row of unit length: how often each word, and each pair of words that are neighbours or have one between them, occurs;
    hashed to WIDTH places. A Chinese character is a word. None where there is no word."""
    row = np.zeros(WIDTH, dtype=np.float32)
    for term in _terms(words(text)):
        row[zlib.crc32(term.encode("utf-8")) % WIDTH] += 1
    length = float(np.linalg.norm(row))
    return row / np.float32(length) if length else None


def _terms(said: Sequence[str]) -> Iterator[str]:
    stems = [word[:STEM] if word.isascii() else word for word in said]
    yield from stems
    for gap in (1, 2):
        yield from (f"{left} {gap} {right}" for left, right in zip(stems, stems[gap:], strict=False))
