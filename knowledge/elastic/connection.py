"""The requests that the store sends, each with back-off where Elasticsearch is busy, errors in the words of the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from elasticsearch import ApiError, ConflictError, Elasticsearch, NotFoundError, TransportError

from knowledge.errors import StoreUnavailableError

T = TypeVar("T")
Json = dict[str, Any]

BUSY = (429, 503)
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)
KEEP_ALIVE = "5m"
_REASONS = {
    401: "it does not know this user or API key; check the ones in the store URL",
    403: "it refuses this; check what the user or API key may do, and that no index is read-only or being moved",
    404: "an index or alias is missing; prepare the store first",
    413: "the request is larger than it takes (http.max_content_length)",
    429: "it is overloaded; try again later",
    503: "it is not ready; check the cluster's health",
}


class Connection:
    """A client of one cluster. `shown` names it in errors, without secrets; `sleep` waits between tries."""

    def __init__(self, client: Elasticsearch, shown: str, sleep: Callable[[float], None]) -> None:
        self.client = client
        self.shown = shown
        self.sleep = sleep

    def call(self, action: Callable[[], T]) -> T:
        """What `action` gives; tried again while the cluster is busy. StoreUnavailableError where it fails."""
        for pause in (*PAUSES, None):
            try:
                return action()
            except ApiError as error:
                if error.status_code not in BUSY or pause is None:
                    raise self._unavailable(error) from error
            except TransportError as error:
                raise StoreUnavailableError(
                    f"Elasticsearch at {self.shown} does not answer ({type(error).__name__}: {error.message}); "
                    "check that it runs and that the address is right"
                ) from error
            self.sleep(pause)
        raise AssertionError("the last try returns or raises")

    def search(self, index: str | None, **asked: Any) -> Json:
        """A search; `index` None where a point in time says it."""
        return self.call(lambda: self.client.search(index=index, track_total_hits=False, **asked).body)

    def search_at(self, point: str, **asked: Any) -> Json | None:
        """A search in a point in time; None where it has expired."""

        def action() -> Json | None:
            try:
                pit = {"id": point, "keep_alive": KEEP_ALIVE}
                return dict(self.client.search(pit=pit, track_total_hits=False, **asked).body)
            except NotFoundError:
                return None

        return self.call(action)

    def open_point(self, index: str) -> str:
        """A point in time, to be closed."""
        return str(
            self.call(lambda: self.client.open_point_in_time(index=index, keep_alive=KEEP_ALIVE))["id"]
        )

    def close_point(self, point: str) -> None:
        """Give it back. Where that fails it expires by itself, and what was read stays good."""
        with suppress(ApiError, TransportError):
            self.client.close_point_in_time(id=point)

    def read(self, index: str, ids: Sequence[str]) -> list[Json]:
        """The documents that exist, newest state, with `_seq_no` and `_primary_term`."""
        answer = self.call(lambda: self.client.mget(index=index, ids=list(ids)).body)
        for found in answer["docs"]:
            if "error" in found:
                reason = found["error"].get("reason", "unknown")
                raise StoreUnavailableError(f"Elasticsearch at {self.shown}: {reason}; {_REASONS[404]}")
        return [found for found in answer["docs"] if found["found"]]

    def write(self, index: str, doc_id: str, document: Json, expected: Json | None) -> Json | None:
        """Write a document behind an alias: a new one (`expected` None), or over the `_seq_no` and `_primary_term` read.
        None where it is not as expected."""
        if expected is None:
            condition: Json = {"op_type": "create"}
        else:
            condition = {"if_seq_no": expected["_seq_no"], "if_primary_term": expected["_primary_term"]}

        def action() -> Json | None:
            try:
                written = self.client.index(
                    index=index, id=doc_id, document=document, require_alias=True, **condition
                )
                return dict(written.body)
            except ConflictError:
                return None

        return self.call(action)

    def refresh(self, index: str) -> None:
        """Make what was written visible to searches."""
        self.call(lambda: self.client.indices.refresh(index=index))

    def _unavailable(self, error: ApiError) -> StoreUnavailableError:
        said = _REASONS.get(error.status_code, f"it answers {error.status_code}")
        return StoreUnavailableError(
            f"Elasticsearch at {self.shown}: {said} ({error.message}: {reason_of(error)})"
        )


def reason_of(error: ApiError) -> str:
    """What Elasticsearch itself gives as the reason."""
    try:
        causes = error.body["error"]["root_cause"]
        return "; ".join(str(cause.get("reason", cause.get("type"))) for cause in causes)
    except (TypeError, KeyError, AttributeError):
        return "no reason given"
