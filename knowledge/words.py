"""How text is cut into tokens for search: once, here, so that every store finds the same.

A token is a run of letters and digits, or a single Chinese or Japanese character. Case and width do not count.
"""

from __future__ import annotations

import re
import unicodedata

_MAX_TOKEN = 100
_CHARACTER = re.compile(
    "([\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff])"
)
_RUN = re.compile(rf"[^\W_]{{1,{_MAX_TOKEN}}}")


def tokens(text: str) -> list[str]:
    """The tokens of `text` in order; longer runs than 100 characters are cut into several."""
    if text.isascii():
        return _RUN.findall(text.lower())
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _RUN.findall(" ".join(_CHARACTER.split(folded)))


def phrases(text: str) -> tuple[tuple[str, ...], ...]:
    """One phrase (its tokens) for each word between white space; words without letters or digits are left out."""
    cut = (tuple(tokens(word)) for word in text.split())
    return tuple(phrase for phrase in cut if phrase)
