"""The night: a chain of named stages, each idempotent and checkpointed, run under a lease.

Killed anywhere and run again, the result is the same as that of one clean run: the night keeps its `as_of`, a stage
that was done is not run again, and one that was cut short is run again from its start.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import structlog

from jobs.checkpoints import Checkpoints, Unwatched, Watcher
from jobs.lease import LeaseGuard, never, take
from jobs.night import LEASE, NightReport, Stage, night_id
from jobs.stages import STAGES
from knowledge.errors import BadInputError
from knowledge.kinds import ATTRIBUTIONS, NIGHTS, STRATEGIES
from knowledge.nights import Night, StageRecord
from knowledge.store import Query
from wiring.build import Errata

logger = structlog.get_logger(__name__)


def run_night(
    errata: Errata,
    project: str,
    as_of: datetime | None = None,
    watcher: Watcher | None = None,
    stages: Sequence[Stage] = STAGES,
    stop: Callable[[], bool] = never,
) -> NightReport:
    """Run a night of the project and say how it went.

    A night that was cut short is resumed first, with its own `as_of`; where no other was asked for, that is the night
    that is reported. LeaseHeldError if another works on this project; LeaseLostError once `stop` answers true.
    """
    errata.require_project(project)
    if as_of is not None and as_of.tzinfo is None:
        raise BadInputError(f"as_of {as_of.isoformat()} has no time zone: write UTC, or an offset")
    seconds = errata.settings.lease_seconds
    lease = take(errata.store.leases, LEASE.format(project=project), seconds, errata.clock())
    guard = LeaseGuard(errata.store.leases, lease, seconds, errata.clock, stop)
    try:
        return _run_due(errata, project, as_of, guard, watcher or Unwatched(), stages)
    finally:
        guard.release()


def _run_due(
    errata: Errata,
    project: str,
    as_of: datetime | None,
    guard: LeaseGuard,
    watcher: Watcher,
    stages: Sequence[Stage],
) -> NightReport:
    wanted = as_of.astimezone(UTC) if as_of else None
    for unfinished in _unfinished(errata, project):
        if unfinished.as_of != wanted:
            logger.info("night_resumed", project=project, night=unfinished.night_id)
            report = _run_one(errata, project, unfinished.as_of, guard, watcher, stages)
            if wanted is None:
                return report
    return _run_one(errata, project, wanted or errata.clock(), guard, watcher, stages)


def _unfinished(errata: Errata, project: str) -> list[Night]:
    query = Query(where={"status": "running"}, sort="as_of")
    return [stored.item for stored in errata.store.collection(project, NIGHTS).scan(query)]


def _run_one(
    errata: Errata,
    project: str,
    as_of: datetime,
    guard: LeaseGuard,
    watcher: Watcher,
    stages: Sequence[Stage],
) -> NightReport:
    night, resumed = _begin(errata, project, as_of, guard)
    checkpoints = Checkpoints(errata, project, night, guard, watcher)
    records: dict[str, StageRecord] = {}
    for position, stage in enumerate(stages, start=1):
        watcher.began(stage.name, position, len(stages))
        records[stage.name] = checkpoints.run(stage, position, records)
        watcher.ended(records[stage.name])
    ended = _finish(errata, project, night, guard, records)
    return _report(errata, project, ended, records, resumed=resumed)


def _begin(errata: Errata, project: str, as_of: datetime, guard: LeaseGuard) -> tuple[Night, bool]:
    """The night as stored, running; and whether it was there before."""
    nights = errata.store.collection(project, NIGHTS)
    found = nights.get(night_id(project, as_of))
    if found is not None and found.item.status == "done":
        return found.item, True
    night = Night(
        night_id=night_id(project, as_of),
        as_of=as_of,
        started_at=found.item.started_at if found else errata.clock(),
        status="running",
        fencing_token=guard.lease.token,
    )
    guard()
    nights.put_many([night])
    return night, found is not None


def _finish(
    errata: Errata, project: str, night: Night, guard: LeaseGuard, records: dict[str, StageRecord]
) -> Night:
    if night.status == "done":
        return night
    good = all(record.status == "done" for record in records.values())
    changes = {
        "status": "done" if good else "failed",
        "ended_at": errata.clock(),
        "fencing_token": guard.lease.token,
    }
    ended = night.model_copy(update=changes)
    guard()
    errata.store.collection(project, NIGHTS).put_many([ended])
    logger.info("night_ended", project=project, night=night.night_id, status=ended.status)
    return ended


def _report(
    errata: Errata, project: str, night: Night, records: dict[str, StageRecord], *, resumed: bool
) -> NightReport:
    verdicts = errata.store.collection(project, ATTRIBUTIONS).tally(Query(), "verdict")
    counted = {str(tally.value): tally.count for tally in verdicts}
    return NightReport(
        night_id=night.night_id,
        project=project,
        as_of=night.as_of,
        status="done" if night.status == "done" else "failed",
        resumed=resumed,
        started_at=night.started_at,
        ended_at=night.ended_at or errata.clock(),
        stages=tuple(records.values()),
        attributed={verdict: counted.get(verdict, 0) for verdict in ("matched", "abstained", "unmatched")},
        drafted=_drafted(errata, project, night.as_of),
    )


def _drafted(errata: Errata, project: str, as_of: datetime) -> int:
    """How many strategies were filed as of this night, whichever of its attempts filed them."""
    filed = (stored.item.history for stored in errata.store.collection(project, STRATEGIES).scan(Query()))
    return sum(bool(history) and history[0].at == as_of for history in filed)
