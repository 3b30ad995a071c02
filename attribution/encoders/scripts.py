"""Which scripts a text is written in: the letters decide, not the digits and signs."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from functools import lru_cache

SHARE_READ = 0.9
"""A text is read where at least this share of its letters is in a script that the encoder knows."""


@lru_cache(maxsize=8192)
def script_of(letter: str) -> str:
    """The first word of the letter's Unicode name: LATIN, CJK, CYRILLIC, HIRAGANA, …; "" if it has none."""
    return unicodedata.name(letter, "").partition(" ")[0].partition("-")[0]


def reads_scripts(text: str, scripts: Collection[str]) -> bool:
    """Whether nearly all letters of `text` are in `scripts`. False for a text without letters: it says nothing."""
    letters = [letter for letter in text if letter.isalpha()]
    known = sum(script_of(letter) in scripts for letter in letters)
    return bool(letters) and known >= SHARE_READ * len(letters)
