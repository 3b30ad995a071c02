"""Embeddings in SQLite, as float32 blobs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from knowledge.batches import batches
from knowledge.sqlite.database import Database
from knowledge.sqlite.table import joined, marks
from knowledge.vectors import vector_length

_BATCH = 500


class SqliteVectors:
    """See `knowledge.store.Vectors`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_many(self, encoder: str, vectors: Mapping[str, bytes]) -> None:
        with self._database.writing() as connection:
            known = connection.execute(
                "SELECT length(vector) FROM vectors WHERE encoder = ? LIMIT 1", (encoder,)
            ).fetchone()
            vector_length(encoder, vectors, known[0] if known else None)
            connection.executemany(
                "INSERT INTO vectors (encoder, digest, vector) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                ((encoder, digest, vector) for digest, vector in vectors.items()),
            )

    def get_many(self, encoder: str, digests: Iterable[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for batch in batches(digests, _BATCH):
            statement = joined(
                "SELECT digest, vector FROM vectors WHERE encoder = ? AND digest IN", marks(len(batch))
            )
            with self._database.reading() as connection:
                found.update(connection.execute(statement, [encoder, *batch]))
        return found
