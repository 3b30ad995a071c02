"""Ingest: runs of a source in; cases, run records, reference calls and problems in the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from errata_client.run import Run
from ingest.adapters.port import NotAnalysed, Recognition
from ingest.adapters.records import open_source
from ingest.adapters.registry import AUTO, adapter_named, recognise
from ingest.analysis import Analysis, analyse
from ingest.bounds import bounded
from ingest.from_email import note_derived
from ingest.health.intervals import outages
from ingest.health.outages import excused
from ingest.masking import Masker
from ingest.payloads import put_away, with_payloads
from ingest.problems import refresh_problems
from ingest.references import Reservoirs
from ingest.report import IngestReport, LeftOut
from ingest.tools.declared import declarations
from knowledge.errors import BadInputError
from knowledge.kinds import CASES, RUN_RECORDS, key_of
from knowledge.runs import RunRecord
from knowledge.stage import Shift
from knowledge.store import BulkReport

BATCH = 200
"""Runs of one batch of writes."""

MAX_MESSAGE = 2_000

BATCH_ITEMS = 5_000
"""Cases and reference calls of one batch, at which fewer runs are enough."""

Note = Callable[[Analysis], None]

__all__ = ["AUTO", "IngestReport", "NotAnalysed", "ingest_file", "ingest_runs"]


def ingest_file(path: Path, source: str, shift: Shift, masker: Masker) -> IngestReport:
    """Everything in the file, streamed. `source` is an adapter's name or "auto".

    BadInputError where the file cannot be opened or recognised, or where no run could be read out of it.
    """
    if source != AUTO:
        adapter_named(source)
    try:
        opening = open_source(path)
        found = recognise(opening, source)
    except BadInputError as error:
        raise BadInputError(masker.text(str(error))[:MAX_MESSAGE]) from None
    report = _ingest(found.adapter.read(opening), shift, masker, found)
    if not report.runs:
        first = report.not_analysed[0] if report.not_analysed else None
        why = f"{first.position}: {first.reason}" if first else "it holds no records"
        raise BadInputError(f"{masker.text(str(path))}: no run could be read as {found.adapter.name} ({why})")
    return report


def ingest_runs(
    items: Iterable[Run | NotAnalysed], shift: Shift, masker: Masker, note: Note | None = None
) -> IngestReport:
    """Everything in `items`, as an adapter gives them. Safe to do again: nothing is counted twice. `note` is called with what
    each run gave."""
    return _ingest(items, shift, masker, None, note)


def _ingest(
    items: Iterable[Run | NotAnalysed],
    shift: Shift,
    masker: Masker,
    found: Recognition | None,
    note: Note | None = None,
) -> IngestReport:
    work = _Work(shift, masker, note)
    for item in items:
        work.take(item)
    work.flush()
    problems = refresh_problems(shift, work.fingerprints) if work.fingerprints else 0
    return IngestReport(
        source=found.adapter.name if found else "runs",
        why=masker.text(found.why) if found else "",
        runs=work.runs,
        calls=work.calls,
        cases=sum(work.codes.values()),
        new_cases=work.new_cases,
        by_error_code=dict(sorted(work.codes.items())),
        reference_calls=work.reservoirs.total(),
        problems=problems,
        masked=dict(sorted((masker.counts - work.masked_before).items())),
        not_analysed=work.left_out.items(),
    )


class _Work:
    """The state of one ingest: what was counted, and what was touched."""

    def __init__(self, shift: Shift, masker: Masker, note: Note | None = None) -> None:
        self._shift, self._masker, self._noting = shift, masker, note
        self.masked_before = Counter(masker.counts)
        self._tools = declarations(shift)
        self._down = outages(shift)
        self.reservoirs = Reservoirs(shift)
        self.left_out = LeftOut()
        self.fingerprints: set[str] = set()
        self.codes: Counter[str] = Counter()
        self.runs = self.calls = self.new_cases = 0
        self._gathered: dict[str, Analysis] = {}
        self._items = 0

    def take(self, item: Run | NotAnalysed) -> None:
        """Analyse one item; write what has gathered when it is enough."""
        if isinstance(item, NotAnalysed):
            self.left_out.add(self._masker.model(item))
            return
        analysis = self._analyse(item)
        self._count(analysis)
        if self._noting is not None:
            self._noting(analysis)
        self._gathered[analysis.record.run_id] = analysis
        self._items += len(analysis.cases) + len(analysis.references)
        if len(self._gathered) >= BATCH or self._items >= BATCH_ITEMS:
            self.flush()

    def flush(self) -> None:
        """Write what has gathered. Cases go last but for the problems: a run whose cases are there is all there."""
        if self._gathered:
            self._write(list(self._gathered.values()))
            self._gathered, self._items = {}, 0
        self._shift.progress(self.runs, None)

    def _analyse(self, run: Run) -> Analysis:
        shift = self._shift
        masked, cuts = bounded(self._masker.run(note_derived(run)))
        kept = put_away(cuts, shift.project, shift.objects) if shift.objects else ()
        if cuts:
            whole = "; they are whole in the object store" if kept else ""
            reason = (
                f"{len(cuts)} of its texts are longer than what is analysed: their ends were not read{whole}"
            )
            self.left_out.add(NotAnalysed(position=f"run {masked.run_id}", reason=reason))
        found = analyse(masked, shift.project, shift.now, tools=self._tools, wanted=self.reservoirs.wants)
        cases = with_payloads(found.cases, masked, kept)
        return replace(found, cases=tuple(excused(case, self._down, shift.project) for case in cases))

    def _count(self, analysis: Analysis) -> None:
        self.runs += 1
        self.calls += analysis.calls
        self.codes.update(case.error_code for case in analysis.cases)
        self.fingerprints.update(case.fingerprint for case in analysis.cases)

    def _write(self, analyses: list[Analysis]) -> None:
        self._shift.guard()
        store, project = self._shift.store, self._shift.project
        self._note(
            self.reservoirs.offer(call for found in analyses for call in found.references), "reference call"
        )
        self._note(self._write_records([found.record for found in analyses]), "run record")
        report = store.collection(project, CASES).add_many(case for found in analyses for case in found.cases)
        self.new_cases += len(report.created)
        self._note(report, "case")

    def _write_records(self, records: list[RunRecord]) -> BulkReport:
        """New ones, and ones that changed: a run may be told again with more steps. A date once given stays."""
        collection = self._shift.store.collection(self._shift.project, RUN_RECORDS)
        known = collection.get_many(key_of(RUN_RECORDS, record) for record in records)
        wanted = []
        for record in records:
            stored = known.get(key_of(RUN_RECORDS, record))
            dated = record.model_copy(update={"occurred_at": stored.item.occurred_at}) if stored else record
            if stored is None or stored.item != dated:
                wanted.append(dated)
        return collection.put_many(wanted) if wanted else BulkReport()

    def _note(self, report: BulkReport, word: str) -> None:
        for refused in report.refused:
            reason = f"the store refused it: {refused.reason}"
            self.left_out.add(NotAnalysed(position=f"{word} {refused.key}", reason=reason))
