"""The adapter: traces as files, in every form in which they are stored, shown or sent."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from errata_client.run import Run
from ingest.adapters.otlp.assembly import runs_of
from ingest.adapters.otlp.json_wire import RESOURCES, shape_of
from ingest.adapters.otlp.kinds import convention_of
from ingest.adapters.otlp.source import spans_of
from ingest.adapters.otlp.span import Span
from ingest.adapters.otlp.traces import TraceSpool
from ingest.adapters.port import NotAnalysed
from ingest.adapters.records import Opening

LOOKED_AT = 200
"""Spans that are looked at for the conventions that they follow."""

_FRAMINGS = {
    "bare": "protobuf",
    "varint": "protobuf messages behind their lengths (varint)",
    "uint32": "protobuf messages behind their lengths (four bytes)",
}


class OtlpTraces:
    """OTLP as JSON or protobuf, Tempo's and Jaeger's answers, SDKs' console output, bare spans. A trace is a run."""

    name = "otlp"
    looks_for = (
        "traces: OTLP requests {resourceSpans}, Tempo's {batches}, Jaeger's {data: [{spans, processes}]}, spans with traceId and "
        "spanId, or OTLP protobuf"
    )

    def recognises(self, opening: Opening) -> str | None:
        """By the shape of its records, or by the first bytes of protobuf; the conventions that are found are named."""
        if opening.framing is not None:
            shape: str | None = f"it is OTLP {_FRAMINGS[opening.framing]}"
        else:
            shape = next((f"its records are {told}" for told in map(shape_of, opening.samples) if told), None)
        if shape is None and set(RESOURCES) & set(opening.keys):
            shape = "it is one OTLP request"
        return f"{shape}, {_conventions(opening)}" if shape else None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """The runs of each trace, once the whole file is read; traces that are of no agent are counted at the end."""
        spool, found = TraceSpool(), _Found()
        try:
            for item in spans_of(opening):
                if isinstance(item, Span):
                    spool.add(item)
                else:
                    yield item
            for trace in spool.traces():
                items = list(runs_of(trace))
                found.note(trace.trace_id, len(items))
                yield from items
        finally:
            spool.close()
        yield from found.told()


class _Found:
    """Counts the traces that hold nothing of an agent."""

    def __init__(self) -> None:
        self._empty, self._first = 0, ""

    def note(self, trace_id: str, items: int) -> None:
        if not items:
            self._first = self._first or trace_id
            self._empty += 1

    def told(self) -> Iterator[NotAnalysed]:
        if self._empty:
            reason = "no span of it is of a model, a tool or an agent, by any convention that is read"
            more = f" (and {self._empty - 1} more traces)" if self._empty > 1 else ""
            yield NotAnalysed(position=f"trace {self._first}{more}", reason=reason)


def _conventions(opening: Opening) -> str:
    """Which conventions the first spans follow."""
    spans = (item for item in islice(spans_of(opening), LOOKED_AT) if isinstance(item, Span))
    names = list(dict.fromkeys(name for span in spans if (name := convention_of(span)) is not None))
    if not names:
        return f"none of the first {LOOKED_AT} spans with attributes of GenAI, OpenInference or Traceloop"
    return f"with attributes of {' and '.join(names)}"
