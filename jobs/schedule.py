"""The scheduler inside `errata serve`: it starts the night; the lease sees to it that one replica runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Event

import structlog
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.base import BaseTrigger
from apscheduler.triggers.interval import IntervalTrigger

from jobs.lease import never
from jobs.night import NightReport
from jobs.nightly import run_night
from knowledge.errors import ErrataError, LeaseHeldError
from knowledge.stage import StageReport
from strategies.publish.port import Answering
from strategies.publish.stages import settle
from wiring.build import Errata
from wiring.cron import cron_trigger

logger = structlog.get_logger(__name__)
Stop = Callable[[], bool]
RunNight = Callable[[Errata, str, datetime, Stop], NightReport]


@contextmanager
def scheduled(errata: Errata) -> Iterator[BackgroundScheduler]:
    """A running scheduler; at the end, a night that runs stops at its next write and is resumed by a later one."""
    stopping = Event()
    scheduler = make_scheduler(errata, stopping.is_set)
    scheduler.start()
    try:
        yield scheduler
    finally:
        stopping.set()
        scheduler.shutdown(wait=True)


def make_scheduler(errata: Errata, stop: Stop = never) -> BackgroundScheduler:
    """A scheduler with the night, and where people decide elsewhere the asking for their decisions; not started yet."""
    settings = errata.settings
    trigger = cron_trigger(settings.cron, settings.timezone)
    scheduler = BackgroundScheduler(timezone=UTC)
    scheduler.add_job(
        run_due,
        trigger,
        args=[errata, trigger, stop],
        id="nightly",
        coalesce=True,
        max_instances=1,
        misfire_grace_time=settings.misfire_grace_seconds,
    )
    if any(isinstance(publisher, Answering) for publisher in errata.publishers):
        scheduler.add_job(
            settle_all,
            IntervalTrigger(minutes=settings.settle_minutes),
            args=[errata],
            id="settle",
            coalesce=True,
            max_instances=1,
        )
    return scheduler


def settle_all(errata: Errata) -> dict[str, StageReport]:
    """Do, in every project, what people decided at the targets; by project. Two replicas that do it at once do it once."""
    found = {}
    for item in errata.projects():
        try:
            report = settle(errata.shift(item.project_id), errata.publishers)
        except ErrataError as error:
            logger.warning("settling_failed", project=item.project_id, code=error.code, why=str(error))
            continue
        found[item.project_id] = report
        for left in report.skipped:
            logger.warning("not_settled", project=item.project_id, **left)
    return found


def run_due(
    errata: Errata, trigger: BaseTrigger, stop: Stop = never, run: RunNight | None = None
) -> list[NightReport]:
    """Run the night of every project, as of the time that the trigger named.

    The nominal time, not the clock's, makes the night's id: a replica that comes late, after the first has
    finished and given back the lease, finds the night done and does nothing.
    """
    grace = timedelta(seconds=errata.settings.misfire_grace_seconds)
    as_of = last_firing(trigger, errata.clock(), grace)
    ran = [_run_one(errata, item.project_id, as_of, stop, run or _run) for item in errata.projects()]
    return [report for report in ran if report is not None]


def last_firing(trigger: BaseTrigger, now: datetime, grace: timedelta) -> datetime:
    """The latest time at or before `now`, within `grace`, that the trigger names; `now` if there is none."""
    latest, start = now, (now - grace).astimezone(UTC)
    while (following := trigger.get_next_fire_time(None, start)) is not None and following <= now:
        latest = following.astimezone(UTC)
        start = latest + timedelta(microseconds=1)  # in UTC: local time goes back where clocks are set back
    return latest.astimezone(UTC)


def _run(errata: Errata, project: str, as_of: datetime, stop: Stop) -> NightReport:
    return run_night(errata, project, as_of, stop=stop)


def _run_one(errata: Errata, project: str, as_of: datetime, stop: Stop, run: RunNight) -> NightReport | None:
    """One project's trouble does not keep the others from their night."""
    try:
        return run(errata, project, as_of, stop)
    except LeaseHeldError as held:
        logger.info("night_left_to_another", project=project, why=str(held))
    except ErrataError as error:
        logger.warning("night_cut_short", project=project, code=error.code, why=str(error))
    return None
