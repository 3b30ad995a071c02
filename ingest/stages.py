"""Level 1 in a night: what there is to do, and the problems made from their cases."""

from __future__ import annotations

from datetime import datetime

from ingest.health.outages import excuse_stored
from ingest.problem_states import mark_states
from ingest.problems import refresh_problems
from knowledge.kinds import CASES, NIGHTS, PROBLEMS, RUN_RECORDS
from knowledge.stage import Shift, StageReport
from knowledge.store import Query, Range


def collect(shift: Shift) -> StageReport:
    """Errors in outages that became known since are told apart; then what there is: runs, cases and problems in all, and of runs and cases those since the last finished night."""
    since = _last_night(shift)
    excused = excuse_stored(shift)
    return StageReport(
        counts={
            "errors_in_outages": excused,
            "runs": _count(shift, "runs", None),
            "cases": _count(shift, "cases", None),
            "problems": _count(shift, "problems", None),
            "runs_since_last_night": _count(shift, "runs", since),
            "cases_since_last_night": _count(shift, "cases", since),
        }
    )


def group(shift: Shift) -> StageReport:
    """Make every problem from its cases, and say of each whether it is new, goes on, escalates or came back."""
    problems = refresh_problems(shift, None)
    return StageReport(counts={"problems": problems, **dict(sorted(mark_states(shift).items()))})


def _last_night(shift: Shift) -> datetime | None:
    """When the newest finished night before this one was."""
    query = Query(
        where={"status": "done"}, ranges={"as_of": Range(until=shift.now)}, sort="as_of", descending=True
    )
    found = shift.store.collection(shift.project, NIGHTS).find(query, limit=1).items
    return found[0].item.as_of if found else None


def _count(shift: Shift, what: str, since: datetime | None) -> int:
    query = Query(ranges={"occurred_at": Range(since=since)} if since and what != "problems" else {})
    store, project = shift.store, shift.project
    if what == "runs":
        tallies = store.collection(project, RUN_RECORDS).tally(query, "outcome.status")
    elif what == "cases":
        tallies = store.collection(project, CASES).tally(query, "error_code")
    else:
        tallies = store.collection(project, PROBLEMS).tally(query, "error_code")
    return sum(tally.count for tally in tallies)
