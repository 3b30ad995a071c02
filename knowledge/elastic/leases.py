"""Leases in Elasticsearch: one document per name, never removed, so that tokens go on growing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from knowledge.elastic.connection import Connection
from knowledge.elastic.mappings import Json, leases_index
from knowledge.errors import StoreUnavailableError
from knowledge.ids import digest
from knowledge.nights import Lease
from knowledge.tenure import Tenure, given_back, renewed, taken

_TRIES = 20


class ElasticLeases:
    """See `knowledge.store.Leases`. Every write is over the version that was decided on; decided again if overtaken."""

    def __init__(self, connection: Connection, prefix: str) -> None:
        self._connection = connection
        self._alias = leases_index(prefix).alias

    def acquire(self, name: str, holder: str, seconds: float, now: datetime) -> Lease:
        tenure = self._decided(name, lambda current: taken(current, name, holder, seconds, now))
        assert tenure is not None
        return tenure.lease

    def renew(self, lease: Lease, seconds: float, now: datetime) -> Lease:
        tenure = self._decided(lease.name, lambda current: renewed(current, lease, seconds, now))
        assert tenure is not None
        return tenure.lease

    def release(self, lease: Lease) -> None:
        self._decided(lease.name, lambda current: given_back(current, lease))

    def holder(self, name: str) -> Lease | None:
        tenure, _ = self._read(name)
        return None if tenure is None or tenure.released else tenure.lease

    def _decided(self, name: str, decide: Callable[[Tenure | None], Tenure | None]) -> Tenure | None:
        for _ in range(_TRIES):
            current, found = self._read(name)
            tenure = decide(current)
            if tenure is None:
                return None
            document = {"name": name, "body": tenure.model_dump_json()}
            if self._connection.write(self._alias, digest(name), document, found) is not None:
                return tenure
        raise StoreUnavailableError(f"the lease {name} is written by others all the time; try again later")

    def _read(self, name: str) -> tuple[Tenure | None, Json | None]:
        found = self._connection.read(self._alias, [digest(name)])
        if not found:
            return None, None
        return Tenure.model_validate_json(found[0]["_source"]["body"]), found[0]
