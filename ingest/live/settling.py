"""Making runs of the traces whose spans are there: at once where a trace is whole, else when it has been quiet.

Spans stay for a while after that. One that comes late opens its trace again, and the run is made again with all of them;
what an earlier telling made and the later one does not is taken away after the new is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import islice

from errata_client.run import Run
from ingest.adapters.otlp.assembly import runs_of
from ingest.adapters.otlp.span import unpacked
from ingest.adapters.otlp.traces import Trace, trace_of
from ingest.adapters.otlp.tree import is_whole
from ingest.adapters.port import NotAnalysed
from ingest.analysis import Analysis
from ingest.masking.already import AlreadyMasked
from ingest.problems import refresh_problems
from ingest.service import ingest_runs
from knowledge.cases import FailureCase
from knowledge.errors import ConflictError, NotFoundError, StaleError
from knowledge.kinds import CASES, PROBLEMS, REFERENCE_CALLS, RUN_RECORDS, SPANS, TRACES
from knowledge.runs import ReferenceCall
from knowledge.spans import KeptTrace
from knowledge.stage import Shift
from knowledge.store import Query, Range, Stored

BATCH = 100
"""Traces that are settled in one go."""


def settle(shift: Shift, trace_ids: Iterable[str]) -> int:
    """Make the runs of those of these traces that are whole; how many traces that were."""
    kept = shift.store.collection(shift.project, TRACES).get_many(sorted(set(trace_ids)))
    opened = [stored for stored in kept.values() if stored.item.state == "open"]
    return _settle(shift, (found for stored in opened if is_whole((found := _trace(shift, stored))[1].spans)))


def settle_quiet(shift: Shift, quiet_seconds: float) -> int:
    """Make the runs of the open traces that no span came for in `quiet_seconds`; how many traces that were."""
    until = shift.now - timedelta(seconds=quiet_seconds)
    query = Query(where={"state": "open"}, ranges={"last_at": Range(until=until)}, sort="last_at")
    opened = shift.store.collection(shift.project, TRACES).scan(query)
    done = 0
    while batch := list(islice(opened, BATCH)):
        done += _settle(shift, (_trace(shift, stored) for stored in batch))
    return done


def forget(shift: Shift, kept_seconds: float) -> int:
    """Remove the spans of settled traces that nothing came for in `kept_seconds`; how many traces that were."""
    until = shift.now - timedelta(seconds=kept_seconds)
    query = Query(where={"state": "settled"}, ranges={"last_at": Range(until=until)}, sort="last_at")
    traces = shift.store.collection(shift.project, TRACES)
    done = 0
    while batch := [stored.item.trace_id for stored in traces.find(query, limit=BATCH).items]:
        _remove(shift, batch)
        done += len(batch)
    return done


Found = tuple[Stored[KeptTrace], Trace]


def _trace(shift: Shift, stored: Stored[KeptTrace]) -> Found:
    trace_id = stored.item.trace_id
    spans = shift.store.collection(shift.project, SPANS).scan(Query(where={"trace_id": trace_id}))
    return stored, trace_of(trace_id, (unpacked(span.item.body) for span in spans))


def _settle(shift: Shift, traces: Iterator[Found]) -> int:
    done = 0
    while batch := list(islice(traces, BATCH)):
        _settle_batch(shift, batch)
        done += len(batch)
    return done


def _settle_batch(shift: Shift, batch: list[Found]) -> None:
    told = {stored.item.trace_id: list(runs_of(trace)) for stored, trace in batch}
    made = _Made()
    items = (item for found in told.values() for item in found)
    ingest_runs(items, shift, AlreadyMasked(), made.note)
    again = {run_id for stored, _ in batch for run_id in stored.item.run_ids}
    if again:
        _take_back(shift, again, made)
    for stored, _ in batch:
        _close(shift, stored, told[stored.item.trace_id])


def _close(shift: Shift, stored: Stored[KeptTrace], items: list[Run | NotAnalysed]) -> None:
    """The trace is settled, unless a span came meanwhile: then it stays open, and is told again. Of a trace that is of no
    agent nothing is kept."""
    if not items:
        _remove(shift, [stored.item.trace_id])
        return
    runs = tuple(item.run_id for item in items if isinstance(item, Run))
    settled = stored.item.model_copy(update={"state": "settled", "run_ids": runs})
    try:
        shift.store.collection(shift.project, TRACES).put(settled, stored.version)
    except (StaleError, NotFoundError, ConflictError):
        return


def _remove(shift: Shift, trace_ids: list[str]) -> None:
    spans = shift.store.collection(shift.project, SPANS)
    keys = [span.item.span_key for span in spans.scan(Query(where={"trace_id": trace_ids}))]
    spans.remove_many(keys)
    shift.store.collection(shift.project, TRACES).remove_many(trace_ids)


class _Made:
    """What one ingest made: its cases and reference calls by id, and the ids of its runs."""

    def __init__(self) -> None:
        self.cases: dict[str, FailureCase] = {}
        self.references: dict[str, ReferenceCall] = {}
        self.runs: set[str] = set()

    def note(self, analysis: Analysis) -> None:
        self.cases.update((case.case_id, case) for case in analysis.cases)
        self.references.update((call.reference_id, call) for call in analysis.references)
        self.runs.add(analysis.record.run_id)


def _take_back(shift: Shift, run_ids: set[str], made: _Made) -> None:
    """Replace what an earlier telling of these runs made otherwise than this one, remove what this one did not make, and make
    the problems of both anew."""
    store, project, where = shift.store, shift.project, {"run_id": sorted(run_ids)}
    cases = store.collection(project, CASES)
    stale = [
        found.item
        for found in cases.scan(Query(where=where))
        if found.item != made.cases.get(found.item.case_id)
    ]
    again = [made.cases[case.case_id] for case in stale if case.case_id in made.cases]
    cases.put_many(again)
    cases.remove_many(case.case_id for case in stale if case.case_id not in made.cases)
    calls = store.collection(project, REFERENCE_CALLS)
    known = [found.item for found in calls.scan(Query(where=where))]
    kept = [made.references[call.reference_id] for call in known if call.reference_id in made.references]
    calls.put_many(call for call in kept if call not in known)
    calls.remove_many(call.reference_id for call in known if call.reference_id not in made.references)
    store.collection(project, RUN_RECORDS).remove_many(run_ids - made.runs)
    _refresh(shift, {case.fingerprint for case in (*stale, *again)})


def _refresh(shift: Shift, fingerprints: set[str]) -> None:
    if not fingerprints:
        return
    refresh_problems(shift, fingerprints)
    cases = shift.store.collection(shift.project, CASES)
    left = {
        found.item.fingerprint for found in cases.scan(Query(where={"fingerprint": sorted(fingerprints)}))
    }
    shift.store.collection(shift.project, PROBLEMS).remove_many(fingerprints - left)
