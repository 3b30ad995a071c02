"""What a value to be masked looks like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Check = Callable[[str], bool]

BEGIN = r"(?:^|[^0-9A-Za-z_#])"
END = r"(?:[^0-9A-Za-z_]|$)"


@dataclass(frozen=True)
class Shape:
    """`kind` is what it counts as; `pattern` is RE2, of which the one group that took part is the value; `check` must hold
    for it; a text without any of `needs` (words, separated by spaces) cannot hold it: a quick look."""

    kind: str
    pattern: str
    check: Check | None = None
    needs: str = ""
