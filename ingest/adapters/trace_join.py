"""Records of many traces, mixed as they come, put together trace by trace in bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import orjson

from errata_client.model import JsonValue
from ingest.adapters.port import NotAnalysed

MAX_HELD = 64 * 1024 * 1024
"""Bytes of records that are held while their traces may still go on. Beyond it the traces that grew least lately are
taken as whole."""

MAX_CLOSED = 100_000
"""Ids of traces taken as whole early that are remembered, so that what comes too late for them is told."""

MAX_KNOWN = 200_000
"""Ids of records of which it is remembered what trace they belong to, for later halves that do not say it."""

MAX_LINKS = 200


@dataclass(frozen=True)
class Piece:
    """A record of a trace. `trace` is the trace's id, or None where only the ids of the record (`own`) and of its parent
    are known."""

    position: str
    value: JsonValue
    trace: str | None = None
    own: str | None = None
    parent: str | None = None


@dataclass(frozen=True)
class Gathered:
    """All records of one trace, in the order in which they came."""

    trace: str
    values: tuple[JsonValue, ...]


def gathered(pieces: Iterable[Piece | NotAnalysed], held: int = MAX_HELD) -> Iterator[Gathered | NotAnalysed]:
    """The traces, each once. Those that the bound cuts short come early, and what came later is reported."""
    join = _Join(held)
    for piece in pieces:
        if isinstance(piece, NotAnalysed):
            yield piece
        else:
            yield from join.add(piece)
    yield from join.rest()


@dataclass
class _Join:
    held: int
    _size: int = 0
    _groups: OrderedDict[str, list[bytes]] = field(default_factory=OrderedDict)
    _traces: dict[str, str] = field(default_factory=dict)
    _closed: OrderedDict[str, None] = field(default_factory=OrderedDict)

    def add(self, piece: Piece) -> Iterator[Gathered | NotAnalysed]:
        trace = self._trace_of(piece)
        if trace in self._closed:
            reason = f"it came after {self.held // 2**20} MiB of other traces, when its trace was taken as whole; it was not read"
            yield NotAnalysed(position=f"{piece.position}, trace {trace}", reason=reason)
            return
        # A copy: what orjson gives keeps the buffer that it was written into, several times its length.
        data = memoryview(orjson.dumps(piece.value)).tobytes()
        self._groups.setdefault(trace, []).append(data)
        self._groups.move_to_end(trace)
        self._size += len(data)
        while self._size > self.held and len(self._groups) > 1:
            oldest = next(iter(self._groups))
            self._closed[oldest] = None
            if len(self._closed) > MAX_CLOSED:
                self._closed.popitem(last=False)
            yield self._taken(oldest)

    def rest(self) -> Iterator[Gathered]:
        for trace in list(self._groups):
            yield self._taken(trace)

    def _taken(self, trace: str) -> Gathered:
        data = self._groups.pop(trace)
        self._size -= sum(map(len, data))
        return Gathered(trace, tuple(orjson.loads(item) for item in data))

    def _trace_of(self, piece: Piece) -> str:
        """The trace's id: its own, or that of a record known by id, of its parent, or the root's id. What was gathered
        under a parent's id before the parent came moves to its trace."""
        own, parent = piece.own, piece.parent
        known = piece.trace or self._known(own) or self._known(parent)
        trace = known or parent or own or piece.position
        if own is not None and own != trace:
            self._traces[own] = trace
            if len(self._traces) > MAX_KNOWN:
                del self._traces[next(iter(self._traces))]
            if own in self._groups:
                self._groups.setdefault(trace, []).extend(self._groups.pop(own))
        return trace

    def _known(self, record: str | None) -> str | None:
        """The trace of a record that was seen, through however many that were thought to be its root."""
        found = self._traces.get(record or "")
        for _ in range(MAX_LINKS):
            if found is None or found not in self._traces:
                break
            found = self._traces[found]
        return found or (record if record in self._groups else None)
