"""The words that tell a group of texts from all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from attribution.words import FILLERS, NEGATIONS, words

MAX_TERMS = 8

TermCounts = Mapping[str, int]
"""In how many texts each term stands."""


def term_counts(texts: Iterable[str]) -> Counter[str]:
    """In how many of the texts each term stands."""
    return Counter(term for text in texts for term in terms(text))


def key_terms(texts: Sequence[str], everywhere: TermCounts) -> tuple[str, ...]:
    """Up to MAX_TERMS words (of Chinese, pairs of characters) that most of `texts` have and few others have: by share
    of texts with it, times how rare it is `everywhere` (`term_counts` of all texts); ties by the word."""
    inside = term_counts(texts)
    weighed = {term: count * count / max(everywhere.get(term, 0), count) for term, count in inside.items()}
    ordered = sorted(weighed, key=lambda term: (-weighed[term], term))
    return tuple(ordered[:MAX_TERMS])


def terms(text: str) -> set[str]:
    """Its words that say something; of Chinese, pairs of characters."""
    found = words(text)
    single = {word for word in found if len(word) > 2 and word.isascii() and word not in FILLERS | NEGATIONS}
    chinese = {
        left + right for left, right in pairwise(found) if _han(left) and _han(right) and left + right in text
    }
    other = {word for word in found if not word.isascii() and not _han(word)}
    return single | chinese | other


def _han(word: str) -> bool:
    return len(word) == 1 and "\u3400" <= word <= "\u9fff"
