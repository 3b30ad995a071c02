"""Bringing a database to the present shape: each change has a name, is applied once and all or nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from knowledge.documents import document_of, item_of
from knowledge.kinds import Kind
from knowledge.sqlite import rows
from knowledge.sqlite.table import Table, joined

_FIXED = {
    "0001-leases": "CREATE TABLE leases (name TEXT PRIMARY KEY, body TEXT NOT NULL)",
    "0002-vectors": "CREATE TABLE vectors (id INTEGER PRIMARY KEY, encoder TEXT NOT NULL, digest TEXT NOT NULL, "
    "vector BLOB NOT NULL, UNIQUE (encoder, digest))",
    "0003-neighbours": "CREATE TABLE neighbours (id INTEGER PRIMARY KEY, project TEXT NOT NULL, space TEXT NOT NULL, "
    "member_of TEXT NOT NULL, digest TEXT NOT NULL, vector BLOB NOT NULL, UNIQUE (project, space, member_of, digest))",
}


def migrate(connection: sqlite3.Connection, kinds: Iterable[Kind[Any]]) -> list[str]:
    """Apply what is missing, within the caller's transaction; the names of what was applied."""
    connection.execute(
        "CREATE TABLE IF NOT EXISTS migrations (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)"
    )
    done = {name for (name,) in connection.execute("SELECT name FROM migrations")}
    applied = [name for name in _FIXED if name not in done]
    for name in applied:
        connection.execute(_FIXED[name])
    for kind in kinds:
        table = Table.of(kind)
        if table.shape not in done:
            _shape(connection, table)
            applied.append(table.shape)
    connection.executemany("INSERT INTO migrations (name) VALUES (?)", ((name,) for name in applied))
    return applied


def _shape(connection: sqlite3.Connection, table: Table) -> None:
    """Make a kind's tables, filled from the bodies of the ones of another shape where there are any."""
    old = connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table.kind.name,)).fetchone()
    if old:
        connection.execute(joined("ALTER TABLE", table.name, "RENAME TO reshaped"))
        _drop_indices(connection)
    for statement in table.drop() + table.create():
        connection.execute(statement)
    if old:
        _refill(connection, table)
        connection.execute("DROP TABLE reshaped")
        connection.execute(
            "DELETE FROM migrations WHERE substr(name, 1, ?) = ?",
            (len(table.kind.name) + 1, f"{table.kind.name}@"),
        )


def _drop_indices(connection: sqlite3.Connection) -> None:
    """The renamed table keeps its indices and their names, which the new one needs."""
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'reshaped' AND sql IS NOT NULL"
    )
    for (name,) in found.fetchall():
        connection.execute(joined("DROP INDEX", f'"{name}"'))


def _refill(connection: sqlite3.Connection, table: Table) -> None:
    for project, key, body in connection.execute("SELECT project, key, body FROM reshaped ORDER BY id"):
        item = item_of(table.kind, key, body)
        rows.insert(connection, table, project, document_of(table.kind, item))
