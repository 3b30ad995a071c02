"""A store that kills its own process at a chosen write: what a power cut or an impatient operator does.

Only the night's writes are counted: those of collections and vectors. "before" the n-th write nothing of it is stored,
in the "middle" the first half of its items is.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from knowledge.kinds import Kind, M
from knowledge.neighbours import Neighbours
from knowledge.nights import StageRecord
from knowledge.store import BulkReport, Collection, Leases, Page, Query, Store, Stored, Tally, Vectors

Moment = Literal["before", "middle"]


class Executioner:
    """Keeps account of the writes, and kills this process at the `target`-th (from 1); 0 never."""

    def __init__(self, target: int, moment: Moment) -> None:
        self.writes: list[str] = []
        self._target = target
        self._moment = moment

    def halves(self, name: str, items: list[Any]) -> Iterator[list[Any]]:
        """The items in one go; where it is their turn, only half of them or none, and then the end."""
        self.writes.append(_label(name, items))
        if len(self.writes) != self._target:
            yield items
            return
        if self._moment == "middle" and len(items) > 1:
            yield items[: len(items) // 2]
        os.kill(os.getpid(), signal.SIGKILL)


def _label(name: str, items: list[Any]) -> str:
    """`problems*12`; the record of a stage says which and how it stands: `stages:collect:done`."""
    if len(items) == 1 and isinstance(items[0], StageRecord):
        return f"{name}:{items[0].stage}:{items[0].status}"
    return f"{name}*{len(items)}"


class KillingCollection:
    """A collection whose writes are counted; see `knowledge.store.Collection`."""

    def __init__(self, name: str, inner: Collection[M], executioner: Executioner) -> None:
        self._name = name
        self._inner: Collection[Any] = inner
        self._executioner = executioner

    def add_many(self, items: Iterable[Any]) -> BulkReport:
        return self._each(self._inner.add_many, items)

    def put_many(self, items: Iterable[Any]) -> BulkReport:
        return self._each(self._inner.put_many, items)

    def put(self, item: Any, version: str | None) -> Stored[Any]:
        next(self._executioner.halves(self._name, [item]))
        return self._inner.put(item, version)

    def remove_many(self, keys: Iterable[str]) -> int:
        return sum(self._inner.remove_many(part) for part in self._executioner.halves(self._name, list(keys)))

    def get(self, key: str) -> Stored[Any] | None:
        return self._inner.get(key)

    def get_many(self, keys: Iterable[str]) -> dict[str, Stored[Any]]:
        return self._inner.get_many(keys)

    def find(self, query: Query, limit: int = 50, cursor: str | None = None) -> Page[Any]:
        return self._inner.find(query, limit, cursor)

    def scan(self, query: Query) -> Iterator[Stored[Any]]:
        return self._inner.scan(query)

    def tally(self, query: Query, by: str) -> list[Tally]:
        return self._inner.tally(query, by)

    def _each(self, write: Any, items: Iterable[Any]) -> BulkReport:
        results: tuple[Any, ...] = ()
        for part in self._executioner.halves(self._name, list(items)):
            results += write(part).results
        return BulkReport(results)


class KillingVectors:
    """Vectors whose writes are counted; see `knowledge.store.Vectors`."""

    def __init__(self, inner: Vectors, executioner: Executioner) -> None:
        self._inner = inner
        self._executioner = executioner

    def put_many(self, encoder: str, vectors: Mapping[str, bytes]) -> None:
        for part in self._executioner.halves("vectors", list(vectors.items())):
            self._inner.put_many(encoder, dict(part))

    def get_many(self, encoder: str, digests: Iterable[str]) -> dict[str, bytes]:
        return self._inner.get_many(encoder, digests)


class KillingStore:
    """A store whose process dies at a chosen write; see `knowledge.store.Store`."""

    leases: Leases
    vectors: Vectors
    neighbours: Neighbours

    def __init__(self, inner: Store, executioner: Executioner) -> None:
        self._inner = inner
        self._executioner = executioner
        self.leases = inner.leases
        self.vectors = KillingVectors(inner.vectors, executioner)
        self.neighbours = inner.neighbours

    def collection(self, project: str, kind: Kind[M]) -> Collection[M]:
        return KillingCollection(kind.name, self._inner.collection(project, kind), self._executioner)

    def prepare(self) -> None:
        self._inner.prepare()

    def ping(self) -> str:
        return self._inner.ping()

    def close(self) -> None:
        self._inner.close()
