"""Leases in SQLite: one row per name, never removed, so that tokens go on growing."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from knowledge.nights import Lease
from knowledge.sqlite.database import Database
from knowledge.tenure import Tenure, given_back, renewed, taken


class SqliteLeases:
    """See `knowledge.store.Leases`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def acquire(self, name: str, holder: str, seconds: float, now: datetime) -> Lease:
        with self._database.writing() as connection:
            tenure = taken(_read(connection, name), name, holder, seconds, now)
            _write(connection, tenure)
        return tenure.lease

    def renew(self, lease: Lease, seconds: float, now: datetime) -> Lease:
        with self._database.writing() as connection:
            tenure = renewed(_read(connection, lease.name), lease, seconds, now)
            _write(connection, tenure)
        return tenure.lease

    def release(self, lease: Lease) -> None:
        with self._database.writing() as connection:
            tenure = given_back(_read(connection, lease.name), lease)
            if tenure is not None:
                _write(connection, tenure)

    def holder(self, name: str) -> Lease | None:
        with self._database.reading() as connection:
            tenure = _read(connection, name)
        return None if tenure is None or tenure.released else tenure.lease


def _read(connection: sqlite3.Connection, name: str) -> Tenure | None:
    row = connection.execute("SELECT body FROM leases WHERE name = ?", (name,)).fetchone()
    return None if row is None else Tenure.model_validate_json(row[0])


def _write(connection: sqlite3.Connection, tenure: Tenure) -> None:
    connection.execute(
        "INSERT INTO leases (name, body) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body",
        (tenure.lease.name, tenure.model_dump_json()),
    )
