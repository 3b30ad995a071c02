"""The states of all problems, once a night; and what people make of a problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from ingest.problem_state import EARLIER, RECENT, FirstSeen, Window, is_regression, state_of
from knowledge.batches import batches
from knowledge.cases import FailureCase, Problem, ProblemStatus
from knowledge.errors import BadInputError, NotFoundError, StaleError
from knowledge.ids import digest
from knowledge.kinds import AUDIT, CASES, PROBLEMS, RUN_RECORDS
from knowledge.nights import AuditEntry
from knowledge.stage import Shift
from knowledge.store import Query, Range, Stored

BATCH = 200
MAX_REASON = 2_000
NIGHT = "errata nightly"


@dataclass(frozen=True)
class _Counts:
    """Cases by problem and runs in all, in two windows."""

    recent: Mapping[str, int]
    earlier: Mapping[str, int]
    recent_runs: int
    earlier_runs: int

    def of(self, fingerprint: str) -> tuple[Window, Window]:
        return (
            Window(self.recent.get(fingerprint, 0), self.recent_runs),
            Window(self.earlier.get(fingerprint, 0), self.earlier_runs),
        )


def mark_states(shift: Shift) -> Counter[str]:
    """Bring the state of every problem up to tonight; a resolved one that came back is unresolved again. How many there
    are in each state. Problems that a person changes meanwhile keep that, and wait for the next night."""
    counts, windows, first_seen = Counter[str](), _counts(shift), _first_seen(shift)
    problems = shift.store.collection(shift.project, PROBLEMS)
    for batch in batches(list(problems.scan(Query())), BATCH):
        shift.guard()
        back = _came_back(shift, batch, first_seen)
        for stored in batch:
            marked = _marked(stored.item, back.get(stored.item.fingerprint), windows, shift.now)
            counts[marked.state] += 1
            if marked != stored.item:
                _put(shift, stored, marked)
    return counts


def change_status(
    shift: Shift,
    fingerprint: str,
    status: ProblemStatus,
    actor: str,
    reason: str,
    version: str | None = None,
    told: Mapping[str, str] | None = None,
) -> Stored[Problem]:
    """What a person makes of a problem. Resolved, it comes back as a regression only by a later case of an agent whose version
    is not older than `version`, if one is named. `told` goes into the audit entry too. NotFoundError, BadInputError as they say."""
    if not reason.strip() or len(reason) > MAX_REASON:
        raise BadInputError(f"a change of status needs a reason of 1 to {MAX_REASON} characters")
    if version is not None and status != "resolved":
        raise BadInputError("a version can only be named for a problem that is resolved in it")
    problems = shift.store.collection(shift.project, PROBLEMS)
    found = problems.get(fingerprint)
    if found is None:
        raise NotFoundError(f"no problem {fingerprint} in {shift.project}: see `errata problems list`")
    update: dict[str, object] = {"status": status}
    if status == "resolved":
        update |= {"resolved_at": shift.now, "resolved_in": version, "regressed_at": None}
    stored = problems.put(found.item.model_copy(update=update), found.version)
    _audit(shift, actor, fingerprint, reason, {**(told or {}), "status": status, "version": version})
    return stored


def _marked(problem: Problem, back: FailureCase | None, windows: _Counts, now: datetime) -> Problem:
    if back is not None:
        problem = problem.model_copy(update={"status": "unresolved", "regressed_at": back.occurred_at})
    state, reason = state_of(problem, *windows.of(problem.fingerprint), now)
    return problem.model_copy(update={"state": state, "state_reason": reason})


def _came_back(
    shift: Shift, batch: Iterable[Stored[Problem]], first_seen: FirstSeen
) -> dict[str, FailureCase]:
    """The first case after its resolution of each resolved problem that shows it again."""
    resolved = {stored.item.fingerprint: stored.item for stored in batch if stored.item.status == "resolved"}
    if not resolved:
        return {}
    since = min(problem.resolved_at or problem.last_seen for problem in resolved.values())
    query = Query(
        where={"fingerprint": tuple(sorted(resolved))},
        ranges={"occurred_at": Range(since=since)},
        sort="occurred_at",
    )
    found: dict[str, FailureCase] = {}
    for stored in shift.store.collection(shift.project, CASES).scan(query):
        case = stored.item
        if case.fingerprint not in found and is_regression(resolved[case.fingerprint], case, first_seen):
            found[case.fingerprint] = case
    return found


def _put(shift: Shift, stored: Stored[Problem], marked: Problem) -> None:
    try:
        shift.store.collection(shift.project, PROBLEMS).put(marked, stored.version)
    except StaleError:
        return
    if stored.item.status == "resolved" and marked.status == "unresolved":
        _audit(shift, NIGHT, marked.fingerprint, marked.state_reason, {"status": "unresolved"})


def _counts(shift: Shift) -> _Counts:
    recent = Range(since=shift.now - RECENT)
    earlier = Range(since=shift.now - RECENT - EARLIER, until=shift.now - RECENT)
    return _Counts(_cases(shift, recent), _cases(shift, earlier), _runs(shift, recent), _runs(shift, earlier))


def _cases(shift: Shift, window: Range) -> dict[str, int]:
    query = Query(ranges={"occurred_at": window})
    found = shift.store.collection(shift.project, CASES).tally(query, "fingerprint")
    return {tally.value: tally.count for tally in found if tally.value is not None}


def _runs(shift: Shift, window: Range) -> int:
    query = Query(ranges={"occurred_at": window})
    found = shift.store.collection(shift.project, RUN_RECORDS).tally(query, "outcome.status")
    return sum(tally.count for tally in found)


def _first_seen(shift: Shift) -> FirstSeen:
    @lru_cache(maxsize=1_000)
    def first_seen(version: str) -> datetime | None:
        query = Query(where={"agent.version": version}, sort="occurred_at")
        page = shift.store.collection(shift.project, RUN_RECORDS).find(query, limit=1)
        return page.items[0].item.occurred_at if page.items else None

    return first_seen


def _audit(shift: Shift, actor: str, fingerprint: str, reason: str, details: dict[str, str | None]) -> None:
    entry = AuditEntry(
        entry_id=digest("audit", shift.now.isoformat(), actor, "problem.status", fingerprint, reason),
        at=shift.now,
        actor=actor,
        action="problem.status",
        target=fingerprint,
        reason=reason,
        details={key: value for key, value in details.items() if value is not None},
    )
    shift.store.collection(shift.project, AUDIT).add_many([entry])
