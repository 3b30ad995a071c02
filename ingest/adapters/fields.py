"""Single fields of records from anywhere: texts and counts, whatever stands there."""

from __future__ import annotations

from typing import Any


def text(value: Any) -> str:
    """A text or a number as text; anything else is ""."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def first(sources: list[dict[str, Any]], *keys: str) -> str:
    """The first text under one of the keys, the keys asked in their order."""
    return next((found for key in keys for source in sources if (found := text(source.get(key)))), "")


def count(value: Any) -> int | None:
    """A number of tokens, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None
