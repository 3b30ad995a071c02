"""What in something stored looks private and was never masked."""

from __future__ import annotations

import re
from collections import Counter

from errata_client.model import JsonValue
from ingest.masking.finder import Span, spans
from ingest.masking.keys import is_schema, is_telling, personal_kind
from ingest.masking.people import CHECKS, is_personal
from ingest.masking.placeholders import Placeholders

LONG = 200
"""Stored texts from this length on may have been cut: what stands at their very end is half a placeholder."""


AROUND = 32
_GROUP = re.compile(r"[ -]?[0-9A-Z]{1,6}")


class Leftovers:
    """Looks with one project's key: what is a placeholder of that key is none."""

    def __init__(self, key: bytes) -> None:
        self._placeholders = Placeholders(key)

    def of(self, value: JsonValue) -> Counter[str]:
        """Kinds of values that are left in a text, or anywhere in a JSON value, and how many of each."""
        found: Counter[str] = Counter()
        if isinstance(value, str):
            found.update(span.kind for span in spans(value) if self._is_left(value, span))
        elif isinstance(value, dict):
            for key, below in value.items():
                found += self.of(key) + self._under(key, below)
        elif isinstance(value, list):
            for below in value:
                found += self.of(below)
        return found

    def _is_left(self, text: str, span: Span) -> bool:
        cut = len(text) >= LONG and span.end == len(text)
        return not (cut or self._placeholders.holds_kind(span.kind, span.value) or self._is_part(text, span))

    def _is_part(self, text: str, span: Span) -> bool:
        """Whether it is part of a longer placeholder: the digits of one may pass for a card by chance."""
        if span.views or not span.value[-1].isdigit():
            return False
        before, after = text[max(0, span.start - AROUND) : span.start], text[span.end : span.end + AROUND]
        starts = [span.start - size for size in _groups(before[::-1])]
        ends = [span.end + size for size in _groups(after)]
        longer = (
            text[start:end] for start in starts for end in ends if (start, end) != (span.start, span.end)
        )
        return any(self._placeholders.holds(part) for part in longer)

    def _under(self, key: str, value: JsonValue) -> Counter[str]:
        kind = "secret" if is_telling(key) and not is_schema(value) else personal_kind(key)
        if kind is None or not isinstance(value, str):
            return self.of(value)
        check = (lambda text: len(text) > 0) if kind == "secret" else CHECKS.get(kind, is_personal)
        if not check(value) or self._placeholders.holds_kind(kind, value):
            return Counter()
        return Counter({kind: 1})


def _groups(text: str) -> list[int]:
    """How far groups of digits and capitals reach from the start of the text: after none of them, one, two, …"""
    sizes, at = [0], 0
    while (match := _GROUP.match(text, at)) is not None:
        at = match.end()
        sizes.append(at)
    return sizes
