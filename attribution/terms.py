"""The words that tell a group of texts from all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from attribution.words import FILLERS, words

MAX_TERMS = 8


def key_terms(texts: Sequence[str], background: Iterable[str]) -> tuple[str, ...]:
    """Up to MAX_TERMS words (of Chinese, pairs of characters) that most of `texts` have and few of `background` have:
    by share of texts with it, times how rare it is elsewhere; ties by the word."""
    inside = Counter(term for text in texts for term in _terms(text))
    everywhere = Counter(term for text in background for term in _terms(text))
    weighed = {term: count * count / max(everywhere[term], count) for term, count in inside.items()}
    ordered = sorted(weighed, key=lambda term: (-weighed[term], term))
    return tuple(ordered[:MAX_TERMS])


def _terms(text: str) -> set[str]:
    found = words(text)
    single = {word for word in found if len(word) > 2 and word.isascii() and word not in FILLERS}
    chinese = {
        left + right for left, right in pairwise(found) if _han(left) and _han(right) and left + right in text
    }
    other = {word for word in found if not word.isascii() and not _han(word)}
    return single | chinese | other


def _han(word: str) -> bool:
    return len(word) == 1 and "\u3400" <= word <= "\u9fff"
