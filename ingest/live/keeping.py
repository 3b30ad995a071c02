"""Keeping spans as they come: masked, in the store, until their trace can be made a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ingest.adapters.otlp.span import Span, SpanError
from ingest.adapters.otlp.traces import MAX_SPANS
from ingest.live.masked_spans import masked_span
from ingest.masking import Masker
from knowledge.kinds import SPANS, TRACES
from knowledge.spans import KeptSpan, KeptTrace
from knowledge.stage import Shift
from knowledge.store import Query

MAX_OPEN = 20_000
"""Traces of a project that may wait for more spans; beyond it nothing is taken until some are done."""


@dataclass(frozen=True)
class Kept:
    """How many spans were kept, how many refused and the first reasons, and the traces they belong to."""

    spans: int
    refused: int
    reasons: tuple[str, ...]
    traces: tuple[str, ...]


def open_traces(shift: Shift) -> int:
    """How many traces of the project wait."""
    tallies = shift.store.collection(shift.project, TRACES).tally(Query(where={"state": "open"}), "state")
    return sum(tally.count for tally in tallies)


def keep(found: Iterable[Span | SpanError], shift: Shift, masker: Masker) -> Kept:
    """Keep what can be kept. When this returns, the spans are in the store: another process would find them."""
    spans, reasons = list[Span](), list[str]()
    for item in found:
        if isinstance(item, Span):
            spans.append(item)
        else:
            reasons.append(str(item))
    states = _states(shift, {span.trace_id for span in spans})
    taken = _with_room(spans, states)
    reasons += [f"a trace of more than {MAX_SPANS} spans"] * (len(spans) - len(taken))
    unwritten = _write(shift, taken, states, masker)
    traces = tuple(dict.fromkeys(span.trace_id for span in taken))
    every = [*reasons, *unwritten]
    return Kept(len(taken) - len(unwritten), len(every), tuple(dict.fromkeys(every))[:3], traces)


def _with_room(spans: list[Span], states: dict[str, KeptTrace | None]) -> list[Span]:
    """Those whose trace has not as many spans as are read of one."""
    room = {trace_id: MAX_SPANS - (state.spans if state else 0) for trace_id, state in states.items()}
    taken = []
    for span in spans:
        room[span.trace_id] -= 1
        if room[span.trace_id] >= 0:
            taken.append(span)
    return taken


def _states(shift: Shift, trace_ids: set[str]) -> dict[str, KeptTrace | None]:
    known = shift.store.collection(shift.project, TRACES).get_many(sorted(trace_ids))
    return {trace_id: known[trace_id].item if trace_id in known else None for trace_id in trace_ids}


def _write(shift: Shift, spans: list[Span], states: dict[str, KeptTrace | None], masker: Masker) -> list[str]:
    """Spans first: a trace is open only once its spans are there."""
    items = (
        KeptSpan(
            span_key=f"{span.trace_id}.{span.span_id}",
            trace_id=span.trace_id,
            arrived_at=shift.now,
            body=masked_span(span, masker),
        )
        for span in spans
    )
    report = shift.store.collection(shift.project, SPANS).add_many(items)
    came = Counter(key.partition(".")[0] for key in report.created)
    opened = [_opened(states[trace_id], trace_id, count, shift) for trace_id, count in came.items()]
    if opened:
        shift.store.collection(shift.project, TRACES).put_many(opened)
    return [f"the store refused it: {refused.reason}" for refused in report.refused]


def _opened(known: KeptTrace | None, trace_id: str, count: int, shift: Shift) -> KeptTrace:
    before = known or KeptTrace(trace_id=trace_id, last_at=shift.now)
    return before.model_copy(update={"state": "open", "last_at": shift.now, "spans": before.spans + count})
