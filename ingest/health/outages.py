"""Errors of tools that were down are no errors of agents: tool.error becomes tool.unavailable."""

from __future__ import annotations

from collections.abc import Sequence

from ingest.fingerprint import fingerprint
from ingest.health.intervals import bounds, outage_at, outages
from ingest.problems import refresh_problems
from knowledge.cases import FailureCase
from knowledge.health import HealthInterval
from knowledge.kinds import CASES, PROBLEMS
from knowledge.stage import Shift
from knowledge.store import Query, Range

BATCH = 500


def excused(case: FailureCase, down: Sequence[HealthInterval], project: str) -> FailureCase:
    """The case as tool.unavailable, with the outage as evidence, if its tool was down in that minute; else as it is. Its id
    stays, so that ingesting the run again finds it."""
    if case.error_code != "tool.error" or not case.dated:
        return case
    outage = outage_at(down, case.trigger_step.tool, case.occurred_at)
    if outage is None:
        return case
    step = case.trigger_step
    seen = {
        "probe": outage.probe,
        "down_since": outage.since.isoformat(),
        "down_until": outage.until.isoformat(),
        "up_again": outage.ended,
        "detail": outage.detail,
    }
    changed = {
        "error_code": "tool.unavailable",
        "error_kind": "unavailable",
        "evidence": {**case.evidence, "outage": seen, "error_kind_told": case.error_kind},
        "fingerprint": fingerprint(project, step.tool, step.step_id, "tool.unavailable", case.error_pattern),
    }
    return case.model_copy(update=changed)


def excuse_stored(shift: Shift) -> int:
    """Do so for the cases that are stored already, and bring their problems up to date; how many changed. Idempotent, also
    where it was cut short before."""
    down = outages(shift)
    changed = sum(_excuse(shift, outage) for outage in down)
    _forget_empty(shift, sorted({outage.tool for outage in down}))
    return changed


def _excuse(shift: Shift, outage: HealthInterval) -> int:
    cases = shift.store.collection(shift.project, CASES)
    first, end = bounds(outage)
    where = {"error_code": "tool.error", "trigger_step.tool": outage.tool}
    query = Query(where=where, ranges={"occurred_at": Range(first, end)}, sort="occurred_at")
    found = [stored.item for stored in cases.scan(query)]
    pairs = [(case, excused(case, [outage], shift.project)) for case in found]
    moved = [(before, after) for before, after in pairs if after is not before]
    for start in range(0, len(moved), BATCH):
        shift.guard()
        cases.put_many(after for _, after in moved[start : start + BATCH])
    if moved:
        refresh_problems(shift, {case.fingerprint for pair in moved for case in pair})
    return len(moved)


def _forget_empty(shift: Shift, tools: Sequence[str]) -> None:
    """Problems without a case are none any more: their cases are in another's by now."""
    problems, cases = (
        shift.store.collection(shift.project, PROBLEMS),
        shift.store.collection(shift.project, CASES),
    )
    for tool in tools:
        known = {
            stored.item.fingerprint
            for stored in problems.scan(Query(where={"error_code": "tool.error", "tool": tool}))
        }
        where = {"error_code": "tool.error", "trigger_step.tool": tool}
        held = {tally.value for tally in cases.tally(Query(where=where), "fingerprint")}
        if known - held:
            shift.guard()
            problems.remove_many(sorted(known - held))
