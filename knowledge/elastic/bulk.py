"""Many writes in few requests, each with its own outcome; the ones a busy node turns away are sent again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from knowledge.elastic.connection import BUSY, PAUSES, Connection
from knowledge.errors import StoreUnavailableError

Json = dict[str, Any]

MAX_ACTIONS = 500
MAX_BYTES = 8 * 1024 * 1024
CONFLICT = 409


@dataclass(frozen=True)
class Action:
    """One write. `expected`: the `_seq_no` and `_primary_term` that an index action writes over."""

    verb: Literal["create", "index", "delete"]
    doc_id: str
    source: Json | None = None
    expected: Json | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of one write: its HTTP status, what was done (created, updated, deleted, …), or why not."""

    status: int
    result: str
    reason: str | None = None

    @property
    def written(self) -> bool:
        """Whether it was done."""
        return self.status < 300

    @property
    def conflict(self) -> bool:
        """Whether the document was not as expected."""
        return self.status == CONFLICT


def send(
    connection: Connection, index: str, actions: Sequence[Action], *, alias: bool = True
) -> list[Outcome]:
    """One outcome per action, in order. `alias`: `index` must be one, so that no index is made by mistake.

    StoreUnavailableError where the cluster does not answer or stays busy; what was written by then stays written.
    """
    outcomes: dict[int, Outcome] = {}
    waiting = list(range(len(actions)))
    for pause in (*PAUSES, None):
        for positions, lines in _requests(actions, waiting):
            outcomes.update(zip(positions, _send(connection, index, lines, alias=alias), strict=True))
        waiting = [position for position in waiting if outcomes[position].status in BUSY]
        if not waiting:
            return [outcomes[position] for position in range(len(actions))]
        if pause is not None:
            connection.sleep(pause)
    raise StoreUnavailableError(
        f"Elasticsearch at {connection.shown} stays overloaded: {len(waiting)} of {len(actions)} writes were turned "
        f"away ({outcomes[waiting[0]].reason}); try again later"
    )


def _requests(actions: Sequence[Action], positions: Sequence[int]) -> Iterator[tuple[list[int], list[bytes]]]:
    """The positions and lines of each request, none over the limits unless a single action is."""
    batch: list[int] = []
    lines: list[bytes] = []
    size = 0
    for position in positions:
        made = _lines(actions[position])
        length = sum(map(len, made))
        if batch and (len(batch) >= MAX_ACTIONS or size + length > MAX_BYTES):
            yield batch, lines
            batch, lines, size = [], [], 0
        batch.append(position)
        lines += made
        size += length
    if batch:
        yield batch, lines


def _lines(action: Action) -> list[bytes]:
    about: Json = {"_id": action.doc_id}
    if action.expected is not None:
        about["if_seq_no"] = action.expected["_seq_no"]
        about["if_primary_term"] = action.expected["_primary_term"]
    head = orjson.dumps({action.verb: about})
    return [head] if action.source is None else [head, orjson.dumps(action.source)]


def _send(connection: Connection, index: str, lines: list[Any], *, alias: bool) -> list[Outcome]:
    answer = connection.call(
        lambda: connection.client.bulk(index=index, operations=lines, require_alias=alias).body
    )
    return [_outcome(connection, item) for item in answer["items"]]


def _outcome(connection: Connection, item: Json) -> Outcome:
    ((_, said),) = item.items()
    error = said.get("error")
    if error is None:
        return Outcome(said["status"], said["result"])
    reason = f"{error.get('type')}: {error.get('reason')}"
    if said["status"] in (403, 404):
        raise StoreUnavailableError(
            f"Elasticsearch at {connection.shown}: {reason}; prepare the store, or wait while an index is being moved"
        )
    return Outcome(said["status"], "refused", reason)
