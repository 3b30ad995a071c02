"""The store in Elasticsearch 9: one index per kind behind an alias, for more than one machine can hold."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from elastic_transport import BaseNode

from knowledge.elastic.address import checked_prefix, parse_address
from knowledge.elastic.client import make_client
from knowledge.elastic.collection import ElasticCollection
from knowledge.elastic.connection import Connection
from knowledge.elastic.freshness import Freshness
from knowledge.elastic.indices import prepare
from knowledge.elastic.leases import ElasticLeases
from knowledge.elastic.mappings import kind_index, leases_index, vectors_index
from knowledge.elastic.neighbours import ElasticNeighbours
from knowledge.elastic.vectors import ElasticVectors
from knowledge.kinds import KINDS, Kind, M
from knowledge.neighbours import Neighbours
from knowledge.projects import checked_project
from knowledge.store import Collection, Leases, Vectors


class ElasticStore:
    """See `knowledge.store.Store`. Usable from many threads; nothing is sent before `prepare` or the first use.

    What is not given is taken from the URL: `http(s)://[user:password@]host:port[?api_key=…&prefix=…&ca=…]`.
    `verify` is whether to check the certificate of an https address, or the file of the authority to check it by.
    `sleep` waits between tries while the cluster is busy; `node_class` is the seam of the HTTP transport.
    """

    leases: Leases
    vectors: Vectors
    neighbours: Neighbours

    def __init__(
        self,
        url: str,
        *,
        prefix: str | None = None,
        api_key: str | None = None,
        verify: bool | Path | None = None,
        kinds: Iterable[Kind[Any]] = KINDS,
        sleep: Callable[[float], None] = time.sleep,
        node_class: type[BaseNode] | None = None,
    ) -> None:
        said = parse_address(url)
        address = replace(
            said,
            prefix=said.prefix if prefix is None else checked_prefix(prefix),
            api_key=api_key or said.api_key,
            verify=said.verify if verify is None else verify,
        )
        self._prefix = address.prefix
        self._kinds = tuple(kinds)
        self._connection = Connection(make_client(address, node_class), address.shown, sleep)
        self._freshness = Freshness(self._connection)
        self.leases = ElasticLeases(self._connection, self._prefix)
        self.vectors = ElasticVectors(self._connection, self._prefix)
        self.neighbours = ElasticNeighbours(self._connection, self._prefix)

    def collection(self, project: str, kind: Kind[M]) -> Collection[M]:
        return ElasticCollection(
            self._connection, self._freshness, self._prefix, checked_project(project), kind
        )

    def prepare(self) -> None:
        indices = [kind_index(self._prefix, kind) for kind in self._kinds]
        indices += [leases_index(self._prefix), vectors_index(self._prefix)]
        prepare(self._connection, self._prefix, indices)

    def ping(self) -> str:
        answer = self._connection.call(lambda: self._connection.client.info().body)
        return f"Elasticsearch {answer['version']['number']}"

    def close(self) -> None:
        self._connection.client.close()
