"""Embeddings in Elasticsearch: base64 of float32 in a binary field, by id; they are only read back, never searched."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping

from knowledge.batches import batches
from knowledge.elastic import bulk
from knowledge.elastic.connection import Connection
from knowledge.elastic.mappings import vectors_index
from knowledge.errors import StoreUnavailableError
from knowledge.ids import digest as id_of
from knowledge.vectors import vector_length

_BATCH = 500


class ElasticVectors:
    """See `knowledge.store.Vectors`."""

    def __init__(self, connection: Connection, prefix: str) -> None:
        self._connection = connection
        self._alias = vectors_index(prefix).alias

    def put_many(self, encoder: str, vectors: Mapping[str, bytes]) -> None:
        length = vector_length(encoder, vectors, self._length(encoder))
        if length is None or not vectors:
            return
        if not self._claimed(encoder, length):
            vector_length(encoder, vectors, self._length(encoder))
        actions = [
            bulk.Action("create", id_of(encoder, digest), _source(encoder, digest, vector))
            for digest, vector in vectors.items()
        ]
        for outcome in bulk.send(self._connection, self._alias, actions):
            if not outcome.written and not outcome.conflict:
                raise StoreUnavailableError(f"a vector of {encoder} was not kept: {outcome.reason}")

    def get_many(self, encoder: str, digests: Iterable[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for batch in batches(digests, _BATCH):
            ids = [id_of(encoder, digest) for digest in dict.fromkeys(batch)]
            read = (document["_source"] for document in self._connection.read(self._alias, ids))
            found.update((source["digest"], base64.b64decode(source["vector"])) for source in read)
        return found

    def _length(self, encoder: str) -> int | None:
        """The length in bytes of the encoder's vectors, where there are any."""
        found = self._connection.read(self._alias, [id_of(encoder)])
        return int(found[0]["_source"]["length"]) if found else None

    def _claimed(self, encoder: str, length: int) -> bool:
        """Whether this call wrote the length down; otherwise it was known, or another was quicker."""
        document = {"encoder": encoder, "length": length}
        return self._connection.write(self._alias, id_of(encoder), document, None) is not None


def _source(encoder: str, digest: str, vector: bytes) -> dict[str, str]:
    return {"encoder": encoder, "digest": digest, "vector": base64.b64encode(vector).decode()}
