"""All shapes, compiled: RE2 patterns over UTF-8 bytes, each with the check that a find must pass.

RE2 has no look-around: of a match the one group that took part is replaced, and what stands around it is matched too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import re2

from ingest.masking.people import PEOPLE
from ingest.masking.shape import Check, Shape
from ingest.masking.tokens import TOKENS
from ingest.masking.told import TOLD

SHAPES: tuple[Shape, ...] = (*TOKENS, *TOLD, *PEOPLE)
"""In the order in which they are applied: what is longer and surer first."""

_LONG_NUMBER = r"(?:[0-9][ .()-]{0,2}){8}[0-9]|[A-Z]{2}[0-9]{2}[ 0-9A-Z]{11}|[0-9]{6}[0-9A-Z]{10}"
"""All that is told by its digits alone has nine of them, or begins as an account number or ends as a credit code does."""

_UNBROKEN = rb"[A-Za-z0-9+/]{16}"
"""What base64 of anything worth masking holds."""

_MEMORY = 1 << 28


@dataclass(frozen=True)
class Pattern:
    """A shape, compiled."""

    kind: str
    regex: Any
    check: Check | None


@dataclass(frozen=True)
class Patterns:
    """All patterns, and the quick look that says, in one pass over a text, which of them are to be tried."""

    patterns: tuple[Pattern, ...]
    looks: Any

    def worth_trying(self, data: bytes) -> tuple[list[Pattern], bool]:
        """The patterns that the text may hold, in order; and whether it may hold base64."""
        places = sorted(self.looks.Match(data) or ())
        unbroken = bool(places) and places[-1] == len(self.patterns)
        return [self.patterns[place] for place in (places[:-1] if unbroken else places)], unbroken


def compile_patterns() -> Patterns:
    """All shapes, in the order in which they are applied."""
    looks = re2.Set.SearchSet(_options())
    for shape in SHAPES:
        needs = "|".join(re2.escape(part) for part in shape.needs.split())
        looks.Add((needs or _LONG_NUMBER).encode())
    looks.Add(_UNBROKEN)
    looks.Compile()
    made = (
        Pattern(shape.kind, re2.compile(shape.pattern.encode(), _options()), shape.check) for shape in SHAPES
    )
    return Patterns(tuple(made), looks)


def _options() -> Any:
    """Over the bytes of UTF-8 text."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    options.encoding = re2.Options.Encoding.UTF8
    return options
