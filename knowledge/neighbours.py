"""The port of nearest neighbours: which kept vectors come nearest to a given one, exactly, among groups that may be asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

PRECISION = 1e-5
"""How far a product that is answered may be from the one that float64 gives, for vectors of unit length."""
MAX_NEAREST = 1000


@dataclass(frozen=True)
class Entry:
    """A vector (little-endian float32) of a text, given by its digest, in a group such as a root cause."""

    group: str
    digest: str
    vector: bytes


@dataclass(frozen=True)
class Nearby:
    """What is asked: a vector (little-endian float32), and the groups to look in."""

    vector: bytes
    groups: Collection[str]


@dataclass(frozen=True)
class Neighbour:
    """A kept entry and its inner product with the vector asked about: the cosine, for unit length."""

    group: str
    digest: str
    product: float


class Neighbours(Protocol):
    """Vectors by (project, space), where a space is one field as one encoder sees it: all of one length.

    Nothing is ever taken out: entries that nobody knows any more cost room, one that is missing would falsify the
    promise of `nearest`. No call sees another project's. A store that does not answer is StoreUnavailableError.
    """

    def keep(self, project: str, space: str, entries: Iterable[Entry]) -> None:
        """Have them all; ones that are there stay as they are. BadInputError where their lengths differ."""
        ...

    def nearest(
        self, project: str, space: str, asked: Sequence[Nearby], count: int
    ) -> list[tuple[Neighbour, ...]]:
        """For each, the `count` (1 to MAX_NEAREST) entries with the greatest product, the greatest first.

        Exact, never approximate: no other entry of those groups has a product greater than the last one's, within
        PRECISION; fewer than `count` means that these are all. What was kept
        before is seen. To be asked of a space in which something was kept.
        """
        ...
