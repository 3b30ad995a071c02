"""Patterns that recognise a tool's errors again, whatever ids, numbers and names stand in them."""

from __future__ import annotations

import re
from collections.abc import Iterable

import re2

MAX_ERRORS = 12
MAX_LENGTH = 160
_VARYING = re.compile(
    r"\s*(?:\"[^\"]*\"|'[^']*'|\[[^\]]*\]|#?[\w./:@-]*\d[\w./:@-]*|https?://\S+)\s*", re.UNICODE
)


def pattern_of_errors(errors: Iterable[str]) -> str:
    """A pattern that finds each of the errors, and others that differ in what varies: quoted texts, lists, whatever holds a
    digit. Upper and lower case are alike."""
    bodies = sorted({_body(error) for error in errors if error.strip()})[:MAX_ERRORS]
    return "(?i)^(?:" + "|".join(bodies) + ")"


def _body(error: str) -> str:
    parts = _VARYING.split(" ".join(error.split())[:MAX_LENGTH])
    return ".*".join(re2.escape(part.casefold()) for part in parts)


_NUMBER = re.compile(r"(?<![\w.,#-])\d{1,12}(?:\.\d{1,6})?(?![\w]|[.,]\d)")


def number_pattern(error: str) -> str | None:
    """A pattern that finds the error and captures each number of it that stands alone; None where none does, or where
    something else in it varies too."""
    text = " ".join(error.split())
    if len(text) > MAX_LENGTH or not _NUMBER.search(text):
        return None
    fixed = _NUMBER.split(text)
    if any(_VARIES.search(part) for part in fixed):
        return None
    return "(?i)" + r"([0-9]+(?:\.[0-9]+)?)".join(re2.escape(part.casefold()) for part in fixed)


_VARIES = re.compile(r"\d|[\"'\[\]]")
