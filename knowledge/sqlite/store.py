"""The store in one SQLite file: the default, good to about a million cases."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from knowledge.kinds import KINDS, Kind, M
from knowledge.neighbours import Neighbours
from knowledge.projects import checked_project
from knowledge.sqlite.collection import SqliteCollection
from knowledge.sqlite.database import Database
from knowledge.sqlite.leases import SqliteLeases
from knowledge.sqlite.migrations import migrate
from knowledge.sqlite.neighbours import SqliteNeighbours
from knowledge.sqlite.vectors import SqliteVectors
from knowledge.store import Collection, Leases, Vectors


class SqliteStore:
    """See `knowledge.store.Store`. Usable from many threads, and by several processes at once."""

    leases: Leases
    vectors: Vectors
    neighbours: Neighbours

    def __init__(self, path: Path, *, kinds: Iterable[Kind[Any]] = KINDS) -> None:
        self._database = Database(path)
        self._kinds = tuple(kinds)
        self.leases = SqliteLeases(self._database)
        self.vectors = SqliteVectors(self._database)
        self.neighbours = SqliteNeighbours(self._database)

    def collection(self, project: str, kind: Kind[M]) -> Collection[M]:
        return SqliteCollection(self._database, checked_project(project), kind)

    def prepare(self) -> None:
        self._database.create()
        with self._database.writing() as connection:
            migrate(connection, self._kinds)
        self._database.analyse()

    def ping(self) -> str:
        with self._database.reading() as connection:
            connection.execute("SELECT count(*) FROM migrations").fetchone()
        return f"SQLite {sqlite3.sqlite_version}"

    def close(self) -> None:
        self._database.close()
