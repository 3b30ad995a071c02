"""Words of a normalised text, and the words that turn a meaning round."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_WORD = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]|[^\W_\u3400-\u4dbf\u4e00-\u9fff]+(?:'[a-z]+)?")

_NEGATIVE_ENGLISH = (
    "no not none never cannot cant wont without neither nor unable fails failed isnt arent wasnt werent dont doesnt didnt hasnt havent hadnt shouldnt couldnt wouldnt mustnt non only out "
    "missing lacks lack denied refused rejected insufficient unavailable unsupported unauthorized invalid unknown"
)
_FILLER_ENGLISH = (
    "a an the of to for in on is are was were be been being has have had do does did can could may must should please "
    "your this that these it its any by with"
)
NEGATIONS = frozenset(_NEGATIVE_ENGLISH.split()) | frozenset("不未无没非否勿别莫失仅只缺")
FILLERS = frozenset(_FILLER_ENGLISH.split()) | frozenset("的了该您你请已此这个可以能")
_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "mis", "non-")


def words(text: str) -> list[str]:
    """Words of the text in order; each Chinese character is a word."""
    return _WORD.findall(text.casefold())


def negations(sequence: Sequence[str]) -> int:
    """How often the words say no."""
    return sum(word in NEGATIONS for word in sequence)


def content(sequence: Sequence[str]) -> list[str]:
    """The words that carry meaning, neither fillers nor negations, without their endings."""
    return [_stem(word) for word in sequence if word not in FILLERS and word not in NEGATIONS]


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s", "e"):
        if len(word) > len(ending) + 2 and word.endswith(ending):
            return word.removesuffix(ending)
    return word


def opposites(left: Collection[str], right: Collection[str]) -> frozenset[tuple[str, str]]:
    """Pairs such as ("available", "unavailable"): a word of the one, and in the other the same with a negative prefix;
    the plain word comes first."""
    pairs = ((word, prefix + word) for word in {*left, *right} for prefix in _PREFIXES)
    return frozenset(
        (plain, negative)
        for plain, negative in pairs
        if (plain in left and negative in right) or (plain in right and negative in left)
    )
