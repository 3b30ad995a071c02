"""Whether a condition really separates failures from successes, or only seems to by chance."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from errata_client.rule import Condition
from knowledge.cases import FailureCase


@dataclass(frozen=True)
class Separation:
    """A condition that holds in the `failing` of `known` failures, and in none of `successes` where it is known.

    `field` is the argument that the trigger looks at; the texts say what has to be so.
    """

    field: str
    condition: Condition
    failing: tuple[FailureCase, ...]
    known: int
    successes: int
    simplicity: int
    english: str
    chinese: str


def chance(failures: int, failing: int, successes: int) -> float:
    """How probable it is by chance alone that a condition which holds in `failing` of `failures` holds in none of
    `successes`: Fisher's exact test, one-sided, with a zero among the successes."""
    if failing == 0:
        return 1.0
    return comb(failures, failing) / comb(failures + successes, failing)
