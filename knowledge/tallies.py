"""The order in which counts are given."""

from __future__ import annotations

from collections.abc import Iterable

from knowledge.store import Tally


def in_order(tallies: Iterable[Tally]) -> list[Tally]:
    """Largest first, then by value; those without a value come last among equals."""
    return sorted(tallies, key=lambda tally: (-tally.count, tally.value is None, tally.value or ""))
