"""What a reviewer sees in an error's text: its words, with all values struck out. Shares nothing with the attribution. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_STRUCK = re.compile(
    r"<[^<>\s]*>"  # a mask
    r"|[\"'`“”「」][^\"'`“”「」]*[\"'`“”「」]"  # a quotation
    r"|\[[^\[\]]*\]|\S*[\d_/@]\S*"  # a list; a number, a name in code, a path
    r"|^(?:error|exception|错误)\s*[:：]",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\d_]+(?:'t)?")
_SMALL = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "to",
        "in",
        "on",
        "for",
        "by",
        "with",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "it",
        "its",
        "this",
        "that",
        "and",
        "or",
        "at",
        "as",
    ]
)
_NEGATIONS = frozenset(
    ["not", "no", "non", "never", "none", "without", "cannot", "can't", "不", "没", "无", "未", "非"]
)
HALF = 0.5


@dataclass(frozen=True)
class Reading:
    """The words of a text, and which of them negate."""

    words: frozenset[str]
    negations: frozenset[str]

    def says_what(self, other: Reading) -> bool:
        """At least half of all the words of the two stand in both, and both negate or neither does."""
        together = self.words | other.words
        if not together or bool(self.negations) != bool(other.negations):
            return False
        return len(self.words & other.words) >= HALF * len(together)

    def shares_nothing(self, other: Reading) -> bool:
        """Not one word stands in both."""
        return not self.words & other.words


def read(text: str) -> Reading:
    """The text as a reviewer reads it; small words such as "the" are passed over."""
    struck = _STRUCK.sub(" ", text.casefold())
    found = frozenset(_WORD.findall(struck)) - _SMALL
    return Reading(found - _NEGATIONS, found & _NEGATIONS)


def one_meaning(texts: Iterable[str]) -> bool:
    """Whether every text says what the first one says."""
    first, *others = [read(text) for text in texts]
    return all(first.says_what(other) for other in others)
