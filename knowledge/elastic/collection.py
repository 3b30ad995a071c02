"""The items of one kind in one project, in Elasticsearch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Generic

from knowledge.batches import batches
from knowledge.documents import document_of, is_key, item_of, lost_growth
from knowledge.elastic import bulk
from knowledge.elastic.connection import Connection
from knowledge.elastic.freshness import Freshness
from knowledge.elastic.mappings import Json, document_id, kind_index, source_of, version_of
from knowledge.elastic.queries import query_of, sort_of, tally_of
from knowledge.elastic.scanning import scanned
from knowledge.elastic.writing import added, replaced
from knowledge.errors import BadInputError, ConflictError, NotFoundError, StaleError
from knowledge.kinds import Kind, M
from knowledge.plan import check_tally, decode_cursor, encode_cursor, page_size, plan_query
from knowledge.store import BulkReport, ItemResult, Page, Query, Stored, Tally
from knowledge.tallies import in_order

_BATCH = 500
_BUCKETS = 1000


class ElasticCollection(Generic[M]):
    """See `knowledge.store.Collection`. Every search carries the project's filter, every id its project."""

    def __init__(
        self, connection: Connection, freshness: Freshness, prefix: str, project: str, kind: Kind[M]
    ) -> None:
        self._connection = connection
        self._freshness = freshness
        self._project = project
        self._kind = kind
        self._alias = kind_index(prefix, kind).alias

    def add_many(self, items: Iterable[M]) -> BulkReport:
        results: list[ItemResult] = []
        for batch in batches(items, _BATCH):
            try:
                results += added(self._connection, self._alias, self._project, self._kind, batch)
            finally:
                self._freshness.written(self._alias)
        return BulkReport(tuple(results))

    def put_many(self, items: Iterable[M]) -> BulkReport:
        results: list[ItemResult] = []
        for batch in batches(items, _BATCH):
            try:
                results += replaced(self._connection, self._alias, self._project, self._kind, batch)
            finally:
                self._freshness.written(self._alias)
        return BulkReport(tuple(results))

    def put(self, item: M, version: str | None) -> Stored[M]:
        document = document_of(self._kind, item)
        name = f"{self._kind.name} {document.key}"
        doc_id = document_id(self._project, document.key)
        expected = None if version is None else self._expected(item, doc_id, name, version)
        source = source_of(self._project, document)
        try:
            written = self._connection.write(self._alias, doc_id, source, expected)
        finally:
            self._freshness.written(self._alias)
        if written is not None:
            return Stored(item, version_of(written))
        if version is None:
            raise ConflictError(f"{name} exists already; read it and edit that")
        raise self._overtaken(doc_id, name)

    def get(self, key: str) -> Stored[M] | None:
        return self.get_many([key]).get(key)

    def get_many(self, keys: Iterable[str]) -> dict[str, Stored[M]]:
        found: dict[str, Stored[M]] = {}
        for batch in batches(filter(is_key, keys), _BATCH):
            ids = [document_id(self._project, key) for key in dict.fromkeys(batch)]
            read = map(self._stored, self._connection.read(self._alias, ids))
            found.update(read)
        return found

    def find(self, query: Query, limit: int = 50, cursor: str | None = None) -> Page[M]:
        plan = plan_query(self._project, self._kind, query)
        after = None if cursor is None else decode_cursor(plan, cursor)
        size = page_size(limit)
        self._freshness.ensure(self._alias)
        answer = self._connection.search(
            self._alias,
            query=query_of(self._project, self._kind, plan),
            sort=sort_of(plan),
            size=size + 1,
            search_after=after,
            seq_no_primary_term=True,
            source_includes=["key", "body"],
        )
        hits = answer["hits"]["hits"]
        items = tuple(stored for _, stored in map(self._stored, hits[:size]))
        return Page(items, encode_cursor(plan, hits[size - 1]["sort"]) if len(hits) > size else None)

    def scan(self, query: Query) -> Iterator[Stored[M]]:
        plan = plan_query(self._project, self._kind, query)
        return self._scanned(query_of(self._project, self._kind, plan), sort_of(plan))

    def tally(self, query: Query, by: str) -> list[Tally]:
        check_tally(self._kind, by)
        plan = plan_query(self._project, self._kind, query)
        self._freshness.ensure(self._alias)
        return in_order(self._counted(query_of(self._project, self._kind, plan), by))

    def remove_many(self, keys: Iterable[str]) -> int:
        removed = 0
        for batch in batches(filter(is_key, keys), _BATCH):
            actions = [bulk.Action("delete", document_id(self._project, key)) for key in dict.fromkeys(batch)]
            try:
                outcomes = bulk.send(self._connection, self._alias, actions)
            finally:
                self._freshness.written(self._alias)
            removed += sum(outcome.result == "deleted" for outcome in outcomes)
        return removed

    def _expected(self, item: M, doc_id: str, name: str, version: str) -> Json:
        """What is stored, as a condition of the write; it has been read at `version`."""
        found = self._connection.read(self._alias, [doc_id])
        if not found:
            raise NotFoundError(f"{name} is gone; it was removed since it was read")
        if version_of(found[0]) != version:
            raise StaleError(f"{name} changed since it was read; read it again and repeat the edit")
        if self._kind.append_only:
            _, stored = self._stored(found[0])
            if lost := lost_growth(self._kind, stored.item, item):
                raise BadInputError(f"{name}: {lost}")
        return found[0]

    def _overtaken(self, doc_id: str, name: str) -> ConflictError | NotFoundError:
        if self._connection.read(self._alias, [doc_id]):
            return StaleError(f"{name} changed since it was read; read it again and repeat the edit")
        return NotFoundError(f"{name} is gone; it was removed since it was read")

    def _scanned(self, query: Json, sort: list[Json]) -> Iterator[Stored[M]]:
        self._freshness.ensure(self._alias)
        for hit in scanned(self._connection, self._alias, query, sort, ["key", "body"]):
            _, stored = self._stored(hit)
            yield stored

    def _counted(self, query: Json, by: str) -> Iterator[Tally]:
        after: Json | None = None
        while True:
            asked = tally_of(by, _BUCKETS, after)
            answer = self._connection.search(self._alias, query=query, size=0, aggs=asked)
            page = answer["aggregations"]["values"]
            yield from (Tally(bucket["key"]["value"], bucket["doc_count"]) for bucket in page["buckets"])
            after = page.get("after_key")
            if after is None:
                return

    def _stored(self, found: Any) -> tuple[str, Stored[M]]:
        key = found["_source"]["key"]
        item = item_of(self._kind, key, found["_source"]["body"])
        return key, Stored(item, version_of(found))
