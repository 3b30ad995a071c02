"""Text as tokens of character classes, and the RE2 pattern that several texts of one shape share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

import re2

Class = Literal["digits", "upper", "lower", "mixed", "letters", "space", "mark"]
Grain = Literal["fine", "coarse"]

_FINE = re.compile(
    r"(?P<digits>[0-9]+)|(?P<upper>[A-Z]+)|(?P<lower>[a-z]+)|(?P<letters>[^\W\d_]+)|(?P<space>\s+)|(?P<mark>.)",
    re.DOTALL,
)
_COARSE = re.compile(r"(?P<mixed>[A-Za-z0-9]+)|(?P<letters>[^\W\d_]+)|(?P<space>\s+)|(?P<mark>.)", re.DOTALL)
_CLASS = {
    "digits": "[0-9]",
    "upper": "[A-Z]",
    "lower": "[a-z]",
    "mixed": "[A-Za-z0-9]",
    "letters": r"\p{L}",
    "space": r"\s",
}
WORDS = frozenset({"digits", "upper", "lower", "mixed", "letters"})
_COUNTED = frozenset({"digits", "mixed"})


@dataclass(frozen=True)
class Token:
    """A run of characters of one class; a mark (punctuation) is a single character."""

    text: str
    kind: Class

    @property
    def is_word(self) -> bool:
        """Whether it holds letters or digits: what a value is made of, while marks and spaces are its form."""
        return self.kind in WORDS


def tokens(text: str, grain: Grain) -> tuple[Token, ...]:
    """The tokens of `text`: fine ones part digits from letters, coarse ones take `4WQ150` as one."""
    pattern = _FINE if grain == "fine" else _COARSE
    return tuple(Token(found.group(), cast("Class", found.lastgroup)) for found in pattern.finditer(text))


def shape(found: Sequence[Token]) -> tuple[str, ...]:
    """What texts of one shape have in common: the classes, and the marks themselves."""
    return tuple(token.text if token.kind == "mark" else token.kind for token in found)


def lengths(found: Sequence[Token]) -> tuple[int, ...]:
    """How long each run of digits is; with `shape`, what texts of one fixed form have in common."""
    return tuple(len(token.text) for token in found if token.kind == "digits")


def pattern_of(column: Sequence[Token], *, exact: bool, literal: bool) -> str:
    """The pattern for tokens that stand at the same place of several texts.

    `literal` allows a word that all of them share to stand as itself; `exact` counts the characters of codes
    and numbers, and otherwise any length will do.
    """
    first = column[0]
    if first.kind == "mark" or (literal and _is_shared_word(column)):
        return str(re2.escape(first.text))
    return _CLASS[first.kind] + _count({len(token.text) for token in column}, first.kind, exact=exact)


def _is_shared_word(column: Sequence[Token]) -> bool:
    return column[0].kind in {"upper", "lower", "letters"} and len({token.text for token in column}) == 1


def _count(sizes: set[int], kind: Class, *, exact: bool) -> str:
    if sizes == {1} and kind == "upper":
        return ""
    if not exact or kind not in _COUNTED:
        return "+"
    if len(sizes) == 1:
        return f"{{{sizes.pop()}}}"
    return f"{{{min(sizes)},{max(sizes)}}}"
