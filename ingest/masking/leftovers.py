"""What in something stored looks private and was never masked."""

from __future__ import annotations

from collections import Counter

from errata_client.model import JsonValue
from ingest.masking.finder import spans
from ingest.masking.keys import is_schema, is_telling, personal_kind
from ingest.masking.people import CHECKS, is_personal
from ingest.masking.placeholders import Placeholders

LONG = 200
"""Stored texts from this length on may have been cut: what stands at their very end is half a placeholder."""


class Leftovers:
    """Looks with one project's key: what is a placeholder of that key is none."""

    def __init__(self, key: bytes) -> None:
        self._placeholders = Placeholders(key)

    def of(self, value: JsonValue) -> Counter[str]:
        """Kinds of values that are left in a text, or anywhere in a JSON value, and how many of each."""
        found: Counter[str] = Counter()
        if isinstance(value, str):
            found.update(
                span.kind for span in spans(value) if self._is_left(value, span.end, span.kind, span.value)
            )
        elif isinstance(value, dict):
            for key, below in value.items():
                found += self.of(key) + self._under(key, below)
        elif isinstance(value, list):
            for below in value:
                found += self.of(below)
        return found

    def _is_left(self, text: str, end: int, kind: str, value: str) -> bool:
        cut = len(text) >= LONG and end == len(text)
        return not cut and not self._placeholders.holds_kind(kind, value)

    def _under(self, key: str, value: JsonValue) -> Counter[str]:
        kind = "secret" if is_telling(key) and not is_schema(value) else personal_kind(key)
        if kind is None or not isinstance(value, str):
            return self.of(value)
        check = (lambda text: len(text) > 0) if kind == "secret" else CHECKS.get(kind, is_personal)
        if not check(value) or self._placeholders.holds_kind(kind, value):
            return Counter()
        return Counter({kind: 1})
