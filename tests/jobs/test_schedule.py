from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from jobs.lease import never
from jobs.night import NightReport, Stage
from jobs.nightly import run_night
from jobs.schedule import last_firing, make_scheduler, run_due, scheduled
from knowledge.errors import LeaseHeldError, StoreUnavailableError
from knowledge.stage import StageReport
from tests.jobs.clock import Clock
from wiring.build import Errata
from wiring.cron import cron_trigger

EVERY_NIGHT = cron_trigger("0 2 * * *", "UTC")
HOUR = timedelta(hours=1)


def night_of(calls: list[tuple[str, datetime]]) -> Callable[..., NightReport]:
    stage = Stage("one", lambda errata, shift: StageReport({"seen": len(calls)}))

    def run(errata: Errata, project: str, as_of: datetime, stop: Callable[[], bool]) -> NightReport:
        calls.append((project, as_of))
        return run_night(errata, project, as_of, stages=[stage], stop=stop)

    return run


def test_a_night_is_as_of_the_time_it_was_due_however_late_it_starts(errata: Errata, clock: Clock) -> None:
    calls: list[tuple[str, datetime]] = []
    clock.forward(61.5)
    run_due(errata, EVERY_NIGHT, run=night_of(calls))
    assert calls == [("shop", datetime(2026, 3, 1, 2, 0, tzinfo=UTC))]


def test_a_replica_that_comes_after_the_first_has_finished_finds_the_night_done(
    errata: Errata, clock: Clock
) -> None:
    calls: list[tuple[str, datetime]] = []
    (first,) = run_due(errata, EVERY_NIGHT, run=night_of(calls))
    clock.forward(5)
    (second,) = run_due(errata, EVERY_NIGHT, run=night_of(calls))
    assert second.night_id == first.night_id
    assert second.stages == first.stages


def test_every_project_has_its_night_whatever_happens_to_another(errata: Errata) -> None:
    for name in ("a", "b", "c"):
        errata.ensure_project(name)
    calls: list[tuple[str, datetime]] = []
    troubles = {"a": LeaseHeldError("another has it"), "b": StoreUnavailableError("gone")}

    def run(errata: Errata, project: str, as_of: datetime, stop: Callable[[], bool]) -> NightReport:
        if project in troubles:
            raise troubles[project]
        return night_of(calls)(errata, project, as_of, stop)

    reports = run_due(errata, EVERY_NIGHT, never, run)
    assert [report.project for report in reports] == ["c", "shop"]


@pytest.mark.parametrize(
    ("cron", "now", "expected"),
    [
        ("0 2 * * *", "2026-03-01T02:00:00", "2026-03-01T02:00:00"),
        ("0 2 * * *", "2026-03-01T02:59:59", "2026-03-01T02:00:00"),
        ("0 2 * * *", "2026-03-01T05:00:00", "2026-03-01T05:00:00"),
        ("*/10 * * * *", "2026-03-01T02:39:00", "2026-03-01T02:30:00"),
    ],
)
def test_the_last_firing_is_the_latest_within_the_grace(cron: str, now: str, expected: str) -> None:
    moment = datetime.fromisoformat(now).replace(tzinfo=UTC)
    found = last_firing(cron_trigger(cron, "UTC"), moment, HOUR)
    assert found == datetime.fromisoformat(expected).replace(tzinfo=UTC)


def test_when_clocks_are_set_back_each_of_the_two_hours_has_its_own_moment() -> None:
    trigger = cron_trigger("30 * * * *", "Europe/Berlin")
    early = last_firing(trigger, datetime(2026, 10, 25, 0, 45, tzinfo=UTC), HOUR)
    late = last_firing(trigger, datetime(2026, 10, 25, 1, 45, tzinfo=UTC), HOUR)
    assert (early.hour, late.hour) == (0, 1)


def test_the_scheduler_has_one_job_that_never_overlaps_itself(errata: Errata) -> None:
    with scheduled(errata) as scheduler:
        (job,) = scheduler.get_jobs()
        assert (job.max_instances, job.coalesce, job.misfire_grace_time) == (1, True, 3600)
        assert (job.next_run_time.hour, job.next_run_time.minute) == (2, 0)
    assert not scheduler.running


def test_a_scheduler_is_not_running_until_it_is_started(errata: Errata) -> None:
    assert not make_scheduler(errata).running
