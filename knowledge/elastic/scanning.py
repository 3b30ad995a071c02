"""Reading all hits of a query, in its order, from one point in time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from knowledge.elastic.connection import Connection

Json = dict[str, Any]

PAGE = 500


def scanned(
    connection: Connection, index: str, query: Json, sort: list[Json], fields: list[str]
) -> Iterator[Json]:
    """The hits, with their versions and these fields of theirs.

    A reader that pauses for so long that the point in time expires goes on in a new one, behind the last hit; so
    `sort` must tell all hits apart by their values.
    """
    point = connection.open_point(index)
    asked: Json = {"query": query, "sort": sort, "size": PAGE, "source_includes": fields}
    after: list[Any] | None = None
    try:
        while True:
            answer = connection.search_at(point, seq_no_primary_term=True, search_after=after, **asked)
            if answer is None:
                point = connection.open_point(index)
                after = after and after[: len(sort)]
                continue
            point = answer["pit_id"]
            hits = answer["hits"]["hits"]
            yield from hits
            if len(hits) < PAGE:
                return
            after = hits[-1]["sort"]
    finally:
        connection.close_point(point)
