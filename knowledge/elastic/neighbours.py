"""Nearest neighbours in Elasticsearch: a `dense_vector` in a flat index, which kNN searches exactly.

An HNSW graph, the usual index, finds most of the nearest and cannot say which it missed: nothing could be proved from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from knowledge.batches import batches
from knowledge.elastic import bulk
from knowledge.elastic.connection import Connection
from knowledge.elastic.indices import behind_aliases, refill
from knowledge.elastic.mappings import Index, Json, neighbours_index
from knowledge.errors import StoreUnavailableError
from knowledge.ids import digest as id_of
from knowledge.neighbours import Entry, Nearby, Neighbour
from knowledge.vectors import vector_length

_BATCH = 500
_ASKED = 50
_FLOAT = np.dtype("<f4")


class ElasticNeighbours:
    """See `knowledge.neighbours.Neighbours`. The index of a space is made when its first vectors are kept."""

    def __init__(self, connection: Connection, prefix: str) -> None:
        self._connection = connection
        self._prefix = prefix

    def keep(self, project: str, space: str, entries: Iterable[Entry]) -> None:
        index: Index | None = None
        for batch in batches(entries, _BATCH):
            length = vector_length(
                space, {f"{one.group} {one.digest}": one.vector for one in batch}, self._length(index)
            )
            if index is None:
                index = neighbours_index(self._prefix, space, (length or 0) // _FLOAT.itemsize)
                self._have(index)
            self._write(index.alias, project, batch)
        if index is not None:
            self._connection.refresh(index.alias)

    def nearest(
        self, project: str, space: str, asked: Sequence[Nearby], count: int
    ) -> list[tuple[Neighbour, ...]]:
        alias = neighbours_index(self._prefix, space, 1).alias
        found: list[tuple[Neighbour, ...]] = []
        for batch in batches(asked, _ASKED):
            searches = [line for one in batch for line in ({}, _search(project, one, count))]
            found += [_neighbours(self._connection, answer) for answer in self._answers(alias, searches)]
        return found

    def _have(self, index: Index) -> None:
        if behind_aliases(self._connection, self._prefix).get(index.alias) != index.name:
            refill(self._connection, self._prefix, index)

    def _length(self, index: Index | None) -> int | None:
        return int(index.properties["vector"]["dims"]) * _FLOAT.itemsize if index else None

    def _write(self, alias: str, project: str, batch: Sequence[Entry]) -> None:
        by_id = {id_of(project, one.group, one.digest): one for one in batch}
        there = {found["_id"] for found in self._connection.read(alias, list(by_id))}
        actions = [
            bulk.Action("create", key, _source(project, one))
            for key, one in by_id.items()
            if key not in there
        ]
        for outcome in bulk.send(self._connection, alias, actions) if actions else ():
            if not outcome.written and not outcome.conflict:
                raise StoreUnavailableError(f"a vector was not kept in {alias}: {outcome.reason}")

    def _answers(self, alias: str, searches: Sequence[Json]) -> list[Json]:
        answer = self._connection.call(
            lambda: self._connection.client.msearch(index=alias, searches=searches).body
        )
        return list(answer["responses"])


def _source(project: str, entry: Entry) -> Json:
    return {
        "project": project,
        "group": entry.group,
        "digest": entry.digest,
        "vector": np.frombuffer(entry.vector, dtype=_FLOAT).tolist(),
    }


def _search(project: str, asked: Nearby, count: int) -> Json:
    filters = [{"term": {"project": project}}, {"terms": {"group": sorted(asked.groups)}}]
    knn = {
        "field": "vector",
        "query_vector": np.frombuffer(asked.vector, dtype=_FLOAT).tolist(),
        "k": count,
        "num_candidates": count,
        "filter": filters,
    }
    return {"knn": knn, "size": count, "_source": ["group", "digest"], "track_total_hits": False}


def _neighbours(connection: Connection, answer: Json) -> tuple[Neighbour, ...]:
    if "error" in answer or answer.get("timed_out") or answer["_shards"]["failed"]:
        reason = answer.get("error", {}).get("reason", "a shard gave no answer")
        raise StoreUnavailableError(f"Elasticsearch at {connection.shown}: nearest neighbours: {reason}")
    hits = answer["hits"]["hits"]
    return tuple(
        Neighbour(hit["_source"]["group"], hit["_source"]["digest"], _product(hit["_score"])) for hit in hits
    )


def _product(score: float) -> float:
    """The inner product that Elasticsearch made a positive score of, for `max_inner_product`."""
    return score - 1.0 if score >= 1.0 else 1.0 - 1.0 / score
