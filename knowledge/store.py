"""The ports of the store. What is promised here, the contract suite proves on SQLite and on Elasticsearch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Literal, Protocol

from knowledge.kinds import Kind, M
from knowledge.neighbours import Neighbours
from knowledge.nights import Lease

Exact = str | int | float | bool | datetime
MAX_PAGE = 500


@dataclass(frozen=True)
class Stored(Generic[M]):
    """An item and the opaque version it had when read; the version changes with every write."""

    item: M
    version: str


@dataclass(frozen=True)
class ItemResult:
    """What became of one item of a bulk write. `reason` is set where it was refused."""

    key: str
    status: Literal["created", "exists", "replaced", "refused"]
    reason: str | None = None


@dataclass(frozen=True)
class BulkReport:
    """One result per item, in the order given. The good ones are written even where others are refused."""

    results: tuple[ItemResult, ...] = ()

    @property
    def created(self) -> tuple[str, ...]:
        """Keys of the items that were new."""
        return tuple(result.key for result in self.results if result.status == "created")

    @property
    def refused(self) -> tuple[ItemResult, ...]:
        """The items that were not written."""
        return tuple(result for result in self.results if result.status == "refused")


@dataclass(frozen=True)
class Range:
    """since <= value < until, for dates and numbers; None leaves a side open."""

    since: datetime | float | None = None
    until: datetime | float | None = None


@dataclass(frozen=True)
class Query:
    """All of `where` (a value, or any of several; None finds absent ones), all of `ranges`, and `text`:
    each word or quoted-like Chinese sequence of it as a phrase in any text field, in any order.

    With `alike`, a word of failure in `text` ("not found", "查不到") stands for any that means the same, in English and
    Chinese (`knowledge.alike`).

    Sorted by `sort` (a non-text field; "" sorts by key), then by key, so that pages never overlap.
    """

    where: Mapping[str, Exact | Sequence[Exact] | None] = field(default_factory=dict)
    ranges: Mapping[str, Range] = field(default_factory=dict)
    text: str | None = None
    sort: str = ""
    descending: bool = False
    alike: bool = False


@dataclass(frozen=True)
class Page(Generic[M]):
    """A page of results and the cursor of the next one; None at the end. A cursor is opaque and is only good
    for the query that made it; any other is BadInputError."""

    items: tuple[Stored[M], ...]
    cursor: str | None = None


@dataclass(frozen=True)
class Tally:
    """How many items share one value of a field; `value` None counts those without it."""

    value: str | None
    count: int


class Collection(Protocol[M]):
    """The items of one kind in one project. No call ever sees or touches another project's items.

    What this process wrote through the store is seen by its next read. Unknown field names in a query, and a
    kind's text field used as an exact one, are BadInputError. A store that does not answer is StoreUnavailableError.
    """

    def add_many(self, items: Iterable[M]) -> BulkReport:
        """Create the ones whose key is new; an existing key is "exists" and stays as it was."""
        ...

    def put_many(self, items: Iterable[M]) -> BulkReport:
        """Create or replace, whoever wrote last. `append_only` fields must extend what is stored, else refused."""
        ...

    def put(self, item: M, version: str | None) -> Stored[M]:
        """Create (version None; ConflictError if the key exists) or replace the version given (StaleError if it is no
        longer the stored one, NotFoundError if it is gone). BadInputError if an append-only field would lose anything."""
        ...

    def get(self, key: str) -> Stored[M] | None:
        """The item, or None."""
        ...

    def get_many(self, keys: Iterable[str]) -> dict[str, Stored[M]]:
        """The ones that exist, by key."""
        ...

    def find(self, query: Query, limit: int = 50, cursor: str | None = None) -> Page[M]:
        """One page, at most MAX_PAGE items."""
        ...

    def scan(self, query: Query) -> Iterator[Stored[M]]:
        """All of them in the query's order, page by page; an item written meanwhile may be seen or not."""
        ...

    def tally(self, query: Query, by: str) -> list[Tally]:
        """Counts by the value of a keyword field, largest first, then by value; all of them. A field of several
        values counts once under each."""
        ...

    def remove_many(self, keys: Iterable[str]) -> int:
        """Remove them; how many there were."""
        ...


class Leases(Protocol):
    """Mutual exclusion between processes, by name, with a fencing token. `now` is the caller's clock (UTC)."""

    def acquire(self, name: str, holder: str, seconds: float, now: datetime) -> Lease:
        """Take a free or expired lease, with a token greater than any before; LeaseHeldError says who has it. The same
        holder may take it again and gets a new token."""
        ...

    def renew(self, lease: Lease, seconds: float, now: datetime) -> Lease:
        """Extend it; LeaseLostError if another holder or token has it since. An expired lease that nobody took may
        still be renewed."""
        ...

    def release(self, lease: Lease) -> None:
        """Give it back; no error if it was lost meanwhile. Tokens go on growing."""
        ...

    def holder(self, name: str) -> Lease | None:
        """Who has it, expired or not; None if nobody has."""
        ...


class Vectors(Protocol):
    """Embeddings by (encoder id, text digest): float32 vectors of one length per encoder, shared by projects."""

    def put_many(self, encoder: str, vectors: Mapping[str, bytes]) -> None:
        """Keep them (little-endian float32); the same digest again changes nothing."""
        ...

    def get_many(self, encoder: str, digests: Iterable[str]) -> dict[str, bytes]:
        """The ones that are there."""
        ...


class Store(Protocol):
    """One engine behind all of it. Built in wiring; `prepare` creates or migrates what it needs, idempotently."""

    leases: Leases
    vectors: Vectors
    neighbours: Neighbours

    def collection(self, project: str, kind: Kind[M]) -> Collection[M]:
        """The items of `kind` in `project`. Project ids are 1 to 64 of [a-z0-9_-] and start with a letter or digit,
        or are SYSTEM; BadInputError for any other."""
        ...

    def prepare(self) -> None:
        """Create files, tables, indices and aliases; apply named migrations."""
        ...

    def ping(self) -> str:
        """What engine answers, and its version; StoreUnavailableError if none does."""
        ...

    def close(self) -> None:
        """Release connections; the store cannot be used after it."""
        ...
