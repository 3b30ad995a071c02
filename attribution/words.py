"""Words of a normalised text, and the words that turn a meaning round."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_WORD = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]|[^\W_\u3400-\u4dbf\u4e00-\u9fff]+(?:'[a-z]+)?")

NEGATIONS = frozenset(
    [
        "no",
        "not",
        "none",
        "never",
        "cannot",
        "cant",
        "wont",
        "without",
        "neither",
        "nor",
        "unable",
        "fails",
        "failed",
        "isnt",
        "doesnt",
        "didnt",
        "non",
        "不",
        "未",
        "无",
        "没",
        "非",
        "否",
        "勿",
        "别",
        "莫",
        "失",
    ]
)
FILLERS = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "to",
        "for",
        "in",
        "is",
        "are",
        "was",
        "be",
        "been",
        "please",
        "your",
        "this",
        "that",
        "的",
        "了",
        "该",
        "您",
        "你",
        "请",
        "已",
        "此",
        "这",
        "个",
    ]
)
_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "mis", "non-")


def words(text: str) -> list[str]:
    """Words of the text in order; each Chinese character is a word."""
    return _WORD.findall(text.casefold())


def negations(sequence: Sequence[str]) -> int:
    """How often the words say no."""
    return sum(word in NEGATIONS for word in sequence)


def content(sequence: Sequence[str]) -> list[str]:
    """The words that carry meaning: neither fillers nor negations."""
    return [word for word in sequence if word not in FILLERS and word not in NEGATIONS]


def opposites(left: Collection[str], right: Collection[str]) -> frozenset[tuple[str, str]]:
    """Pairs such as ("available", "unavailable"): a word of the one, and in the other the same with a negative prefix;
    the plain word comes first."""
    pairs = ((word, prefix + word) for word in {*left, *right} for prefix in _PREFIXES)
    return frozenset(
        (plain, negative)
        for plain, negative in pairs
        if (plain in left and negative in right) or (plain in right and negative in left)
    )
