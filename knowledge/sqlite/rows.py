"""Reading and writing single rows of a kind's tables, within the caller's transaction."""

from __future__ import annotations

import secrets
import sqlite3
from dataclasses import dataclass

from knowledge.documents import Document
from knowledge.sqlite.table import Table, joined, marks


@dataclass(frozen=True)
class Row:
    """What is stored under a key."""

    row_id: int
    version: str
    body: str


def read(connection: sqlite3.Connection, table: Table, project: str, key: str) -> Row | None:
    """The row of a key, or None."""
    statement = table.select("id, version, body", "project = ? AND key = ?")
    found = connection.execute(statement, (project, key)).fetchone()
    return None if found is None else Row(*found)


def insert(connection: sqlite3.Connection, table: Table, project: str, document: Document) -> str | None:
    """Write a new row and return its version; None, and nothing is written, where the key exists."""
    version = secrets.token_hex(8)
    written = connection.execute(table.insert, table.row(project, version, document))
    if written.rowcount == 0 or written.lastrowid is None:
        return None
    _index(connection, table, written.lastrowid, document)
    return version


def replace(
    connection: sqlite3.Connection, table: Table, project: str, row_id: int, document: Document
) -> str:
    """Write over a row and return its new version."""
    version = secrets.token_hex(8)
    connection.execute(table.update, [*table.row(project, version, document), row_id])
    _unindex(connection, table, row_id)
    _index(connection, table, row_id, document)
    return version


def remove(connection: sqlite3.Connection, table: Table, row_id: int) -> None:
    """Take a row away."""
    connection.execute(joined("DELETE FROM", table.name, "WHERE id = ?"), (row_id,))
    _unindex(connection, table, row_id)


def _index(connection: sqlite3.Connection, table: Table, row_id: int, document: Document) -> None:
    if table.plural:
        statement = joined("INSERT INTO", table.values_name, "(id, field, value) VALUES (?, ?, ?)")
        connection.executemany(statement, table.plural_rows(row_id, document))
    if table.texts:
        columns = f"(rowid, {', '.join(table.text_columns)})"
        statement = joined("INSERT INTO", table.text_name, columns, "VALUES", marks(1 + len(table.texts)))
        connection.execute(statement, table.text_row(row_id, document))


def _unindex(connection: sqlite3.Connection, table: Table, row_id: int) -> None:
    if table.plural:
        connection.execute(joined("DELETE FROM", table.values_name, "WHERE id = ?"), (row_id,))
    if table.texts:
        connection.execute(joined("DELETE FROM", table.text_name, "WHERE rowid = ?"), (row_id,))
