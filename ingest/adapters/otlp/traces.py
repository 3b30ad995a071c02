"""Spans put together into traces: a file holds them in any order and spread over many requests.

Spans are kept packed, in memory up to MEMORY bytes and beyond that in a temporary file that has no name; only where each
lies is remembered, sixteen bytes a span. So memory does not grow with the file.
"""

from __future__ import annotations

import tempfile
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import orjson

from ingest.adapters.otlp.span import Span, packed, unpacked

MEMORY = 32 * 1024 * 1024
MAX_SPANS = 10_000
MAX_BYTES = 64 * 1024 * 1024
"""Spans of one trace that are read, and their bytes together; a longer one is cut there, and that is reported."""


@dataclass(frozen=True)
class Trace:
    """The spans of one trace, each once, and how many more there were than are read."""

    trace_id: str
    spans: tuple[Span, ...]
    left_out: int = 0


def trace_of(trace_id: str, spans: Iterable[Span], left_out: int = 0) -> Trace:
    """The trace of these spans; of one that was told twice the telling that ends later stays."""
    found: dict[str, Span] = {}
    for span in spans:
        known = found.get(span.span_id)
        if known is None or span.end > known.end:
            found[span.span_id] = span
    return Trace(trace_id, tuple(found.values()), left_out)


class TraceSpool:
    """Takes spans and gives traces, in the order in which their first spans came."""

    def __init__(self, memory: int = MEMORY) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=memory)  # noqa: SIM115 - closed by close()
        self._places: dict[str, array[int]] = {}
        self._left_out: Counter[str] = Counter()
        self._end = 0

    def add(self, span: Span) -> None:
        """One more span."""
        places = self._places.setdefault(span.trace_id, array("Q"))
        if len(places) >= 2 * MAX_SPANS:
            self._left_out[span.trace_id] += 1
            return
        line = orjson.dumps(packed(span))
        places.extend((self._end, len(line)))
        self._file.write(line)
        self._end += len(line)

    def traces(self) -> Iterator[Trace]:
        """All traces; nothing may be added any more."""
        for trace_id, places in self._places.items():
            taken, size = 0, 0
            for length in places[1::2]:
                size += length
                taken += size <= MAX_BYTES
            spans = (self._read(places[2 * at], places[2 * at + 1]) for at in range(taken))
            yield trace_of(trace_id, spans, len(places) // 2 - taken + self._left_out[trace_id])

    def close(self) -> None:
        """Give the memory and the file back."""
        self._file.close()

    def _read(self, start: int, size: int) -> Span:
        self._file.seek(start)
        return unpacked(orjson.loads(self._file.read(size)))
