"""The items of one kind in one project, in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, Generic

from knowledge.batches import batches
from knowledge.documents import Document, document_of, document_or_refusal, is_key, item_of, lost_growth
from knowledge.errors import BadInputError, ConflictError, NotFoundError, StaleError
from knowledge.kinds import Kind, M
from knowledge.plan import (
    Plan,
    Position,
    check_tally,
    decode_cursor,
    encode_cursor,
    page_size,
    plan_query,
)
from knowledge.sqlite import rows
from knowledge.sqlite.database import Database
from knowledge.sqlite.selection import Condition, condition_of, segments
from knowledge.sqlite.table import Table, column, joined, marks
from knowledge.sqlite.tallies import tally
from knowledge.store import MAX_PAGE, BulkReport, ItemResult, Page, Query, Stored, Tally

_BATCH = 500


class SqliteCollection(Generic[M]):
    """See `knowledge.store.Collection`. A batch of writes is one transaction of at most 500 items."""

    def __init__(self, database: Database, project: str, kind: Kind[M]) -> None:
        self._database = database
        self._project = project
        self._kind = kind
        self._table = Table.of(kind)

    def add_many(self, items: Iterable[M]) -> BulkReport:
        results: list[ItemResult] = []
        for batch in batches(items, _BATCH):
            documents = [document_or_refusal(self._kind, item) for item in batch]
            with self._database.writing() as connection:
                written = [self._added(connection, document) for document in documents]
            self._database.written(len(written))
            results.extend(written)
        return BulkReport(tuple(results))

    def put_many(self, items: Iterable[M]) -> BulkReport:
        results: list[ItemResult] = []
        for batch in batches(items, _BATCH):
            documents = [(item, document_or_refusal(self._kind, item)) for item in batch]
            with self._database.writing() as connection:
                written = [self._written(connection, item, document) for item, document in documents]
            self._database.written(len(written))
            results.extend(written)
        return BulkReport(tuple(results))

    def put(self, item: M, version: str | None) -> Stored[M]:
        document = document_of(self._kind, item)
        with self._database.writing() as connection:
            if version is None:
                made = rows.insert(connection, self._table, self._project, document)
                if made is None:
                    raise ConflictError(
                        f"{self._kind.name} {document.key} exists already; read it and edit that"
                    )
            else:
                made = self._replaced(connection, item, document, version)
        return Stored(item, made)

    def get(self, key: str) -> Stored[M] | None:
        return self.get_many([key]).get(key)

    def get_many(self, keys: Iterable[str]) -> dict[str, Stored[M]]:
        found: dict[str, Stored[M]] = {}
        for batch in batches(filter(is_key, keys), _BATCH):
            statement = self._table.select(
                "key, version, body", f"project = ? AND key IN {marks(len(batch))}"
            )
            with self._database.reading() as connection:
                read = connection.execute(statement, [self._project, *batch]).fetchall()
            found.update(
                (key, Stored(item_of(self._kind, key, body), version)) for key, version, body in read
            )
        return found

    def find(self, query: Query, limit: int = 50, cursor: str | None = None) -> Page[M]:
        plan = plan_query(self._project, self._kind, query)
        after = None if cursor is None else decode_cursor(plan, cursor)
        size = page_size(limit)
        read = self._read(plan, self._condition(plan), size + 1, after)
        items = tuple(self._stored(row) for row in read[:size])
        more = encode_cursor(plan, _position(plan, read[size - 1])) if len(read) > size else None
        return Page(items, more)

    def scan(self, query: Query) -> Iterator[Stored[M]]:
        return self._scanned(plan_query(self._project, self._kind, query))

    def tally(self, query: Query, by: str) -> list[Tally]:
        check_tally(self._kind, by)
        condition = self._condition(plan_query(self._project, self._kind, query))
        with self._database.reading() as connection:
            return tally(connection, self._table, condition, by)

    def remove_many(self, keys: Iterable[str]) -> int:
        removed = 0
        for batch in batches(filter(is_key, keys), _BATCH):
            with self._database.writing() as connection:
                removed += sum(self._removed(connection, key) for key in batch)
        return removed

    def _added(self, connection: sqlite3.Connection, document: Document | ItemResult) -> ItemResult:
        if isinstance(document, ItemResult):
            return document
        version = rows.insert(connection, self._table, self._project, document)
        return ItemResult(document.key, "exists" if version is None else "created")

    def _written(
        self, connection: sqlite3.Connection, item: M, document: Document | ItemResult
    ) -> ItemResult:
        if isinstance(document, ItemResult):
            return document
        row = rows.read(connection, self._table, self._project, document.key)
        if row is None:
            rows.insert(connection, self._table, self._project, document)
            return ItemResult(document.key, "created")
        if lost := self._lost_growth(row, item):
            return ItemResult(document.key, "refused", lost)
        rows.replace(connection, self._table, self._project, row.row_id, document)
        return ItemResult(document.key, "replaced")

    def _replaced(self, connection: sqlite3.Connection, item: M, document: Document, version: str) -> str:
        name = f"{self._kind.name} {document.key}"
        row = rows.read(connection, self._table, self._project, document.key)
        if row is None:
            raise NotFoundError(f"{name} is gone; it was removed since it was read")
        if row.version != version:
            raise StaleError(f"{name} changed since it was read; read it again and repeat the edit")
        if lost := self._lost_growth(row, item):
            raise BadInputError(f"{name}: {lost}")
        return rows.replace(connection, self._table, self._project, row.row_id, document)

    def _lost_growth(self, row: rows.Row, item: M) -> str | None:
        if not self._kind.append_only:
            return None
        return lost_growth(self._kind, item_of(self._kind, "", row.body), item)

    def _removed(self, connection: sqlite3.Connection, key: str) -> bool:
        row = rows.read(connection, self._table, self._project, key)
        if row is not None:
            rows.remove(connection, self._table, row.row_id)
        return row is not None

    def _condition(self, plan: Plan) -> Condition:
        return condition_of(self._table, self._project, plan)

    def _read(self, plan: Plan, condition: Condition, count: int, after: Position | None) -> list[Any]:
        """Up to `count` rows of (key, version, body, sort value), from several segments where one does not do."""
        columns = f"key, version, body, {column(plan.sort) if plan.sort else 'NULL'}"
        read: list[Any] = []
        with self._database.reading() as connection:
            for segment in segments(condition, plan, after):
                statement = self._table.select(
                    columns, segment.condition.sql, "ORDER BY", segment.order, "LIMIT ?"
                )
                read += connection.execute(statement, [*segment.condition.parameters, count - len(read)])
                if len(read) >= count:
                    break
        return read

    def _scanned(self, plan: Plan) -> Iterator[Stored[M]]:
        """Rows that are new since the start are left out: whoever writes while scanning comes to an end."""
        with self._database.reading() as connection:
            (newest,) = connection.execute(joined("SELECT max(id) FROM", self._table.name)).fetchone()
        condition = self._condition(plan).with_part("id <= ?", newest or 0)
        after: Position | None = None
        while read := self._read(plan, condition, MAX_PAGE, after):
            yield from map(self._stored, read)
            after = _position(plan, read[-1])

    def _stored(self, row: Any) -> Stored[M]:
        key, version, body, _ = row
        return Stored(item_of(self._kind, key, body), version)


def _position(plan: Plan, row: Any) -> Position:
    key, _, _, value = row
    return [value, key] if plan.sort else [key]
