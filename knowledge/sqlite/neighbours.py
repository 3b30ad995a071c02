"""Nearest neighbours in SQLite: the groups' vectors as one matrix, and a product."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from knowledge.batches import batches
from knowledge.neighbours import Entry, Nearby, Neighbour
from knowledge.sqlite.database import Database
from knowledge.vectors import vector_length

_BATCH = 500
_FLOAT = np.dtype("<f4")
_Names = list[tuple[str, str]]


class SqliteNeighbours:
    """See `knowledge.neighbours.Neighbours`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, project: str, space: str, entries: Iterable[Entry]) -> None:
        for batch in batches(entries, _BATCH):
            with self._database.writing() as connection:
                known = connection.execute(
                    "SELECT length(vector) FROM neighbours WHERE space = ? LIMIT 1", (space,)
                ).fetchone()
                vector_length(
                    space,
                    {f"{one.group} {one.digest}": one.vector for one in batch},
                    known[0] if known else None,
                )
                connection.executemany(
                    "INSERT INTO neighbours (project, space, member_of, digest, vector) VALUES (?, ?, ?, ?, ?) "
                    "ON CONFLICT DO NOTHING",
                    ((project, space, one.group, one.digest, one.vector) for one in batch),
                )

    def nearest(
        self, project: str, space: str, asked: Sequence[Nearby], count: int
    ) -> list[tuple[Neighbour, ...]]:
        groups = {group for one in asked for group in one.groups}
        names, rows = self._entries(project, space, groups)
        if not names:
            return [() for _ in asked]
        members = _Groups([group for group, _ in names])
        return [_nearest(names, rows, members.rows_of(one.groups), one, count) for one in asked]

    def _entries(
        self, project: str, space: str, groups: Collection[str]
    ) -> tuple[_Names, NDArray[np.float32]]:
        with self._database.reading() as connection:
            found = connection.execute(
                "SELECT member_of, digest, vector FROM neighbours WHERE project = ? AND space = ? "
                "ORDER BY member_of, digest",
                (project, space),
            )
            kept = [(group, digest, vector) for group, digest, vector in found if group in groups]
        joined = b"".join(vector for _, _, vector in kept)
        rows = np.frombuffer(joined, dtype=_FLOAT).reshape(len(kept), -1) if kept else np.empty((0, 0))
        return [(group, digest) for group, digest, _ in kept], rows.astype(np.float32)


class _Groups:
    """The groups of the rows, numbered, so that those that may be asked are found by one look-up."""

    def __init__(self, groups: Sequence[str]) -> None:
        self._numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
        self._of_rows = np.array([self._numbers[group] for group in groups], dtype=np.intp)

    def rows_of(self, groups: Collection[str]) -> NDArray[np.bool_]:
        """A mark per row: whether it is in one of them."""
        marks = np.zeros(len(self._numbers), dtype=bool)
        marks[[self._numbers[group] for group in groups if group in self._numbers]] = True
        return marks[self._of_rows]


def _nearest(
    names: _Names, rows: NDArray[np.float32], marks: NDArray[np.bool_], asked: Nearby, count: int
) -> tuple[Neighbour, ...]:
    products = rows @ np.frombuffer(asked.vector, dtype=_FLOAT)
    products[~marks] = -np.inf
    best = np.argsort(-products, kind="stable")[:count]
    finite = [row for row in best if np.isfinite(products[row])]
    return tuple(Neighbour(names[row][0], names[row][1], float(products[row])) for row in finite)
