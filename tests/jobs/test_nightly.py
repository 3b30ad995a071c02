from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from jobs.night import Stage, night_id
from jobs.nightly import run_night
from jobs.stages import STAGES
from knowledge.errors import (
    BadInputError,
    LeaseHeldError,
    LeaseLostError,
    NotFoundError,
    StoreUnavailableError,
)
from knowledge.kinds import NIGHTS
from knowledge.kinds import STAGES as STAGE_RECORDS
from knowledge.nights import StageRecord
from knowledge.stage import Shift, StageReport
from knowledge.store import Query
from tests.jobs.clock import Clock
from wiring.build import Errata

AS_OF = datetime(2026, 3, 1, 2, 0, tzinfo=UTC)
Behaviour = Callable[[Shift], StageReport]


class Story:
    """Stages that remember in what order they ran, and do as they are told."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.shifts: list[Shift] = []
        self.tells: dict[str, Behaviour] = {}

    def stage(self, name: str, *needs: str) -> Stage:
        def work(errata: Errata, shift: Shift) -> StageReport:
            self.ran.append(name)
            self.shifts.append(shift)
            return self.tells.get(name, lambda _: StageReport({"seen": 1}))(shift)

        return Stage(name, work, needs)

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (self.stage("one"), self.stage("two", "one"), self.stage("three", "two"), self.stage("apart"))


@pytest.fixture
def story() -> Story:
    return Story()


def failing(error: BaseException) -> Behaviour:
    def behaviour(shift: Shift) -> StageReport:
        raise error

    return behaviour


def statuses(records: tuple[StageRecord, ...]) -> dict[str, str]:
    return {record.stage: record.status for record in records}


def test_the_stages_read_like_the_story_and_need_only_earlier_ones() -> None:
    names = [stage.name for stage in STAGES]
    assert names == [
        "collect", "contrast", "group", "embed", "attribute", "cluster", "judge", "synthesize", "backtest", "file",
        "settle", "measure", "review", "publish", "announce",
    ]  # fmt: skip
    for position, stage in enumerate(STAGES):
        assert set(stage.needs) <= set(names[:position])


def test_a_night_runs_its_stages_in_order_as_of_one_moment(errata: Errata, story: Story) -> None:
    report = run_night(errata, "shop", AS_OF, stages=story.stages)
    assert story.ran == ["one", "two", "three", "apart"]
    assert {shift.now for shift in story.shifts} == {AS_OF}
    assert (report.status, report.resumed) == ("done", False)
    assert [record.counts for record in report.stages] == [{"seen": 1}] * 4
    stored = [
        item.item for item in errata.store.collection("shop", STAGE_RECORDS).scan(Query(sort="position"))
    ]
    assert tuple(stored) == report.stages


def test_a_night_that_is_done_is_not_run_again(errata: Errata, story: Story) -> None:
    first = run_night(errata, "shop", AS_OF, stages=story.stages)
    again = run_night(errata, "shop", AS_OF, stages=story.stages)
    assert len(story.ran) == 4
    assert again.stages == first.stages
    assert again.ended_at == first.ended_at


def test_a_stage_that_fails_says_so_and_only_what_needs_it_is_skipped(errata: Errata, story: Story) -> None:
    story.tells["one"] = failing(BadInputError("nothing to read"))
    report = run_night(errata, "shop", AS_OF, stages=story.stages)
    assert statuses(report.stages) == {"one": "failed", "two": "skipped", "three": "skipped", "apart": "done"}
    assert [record.error for record in report.stages] == [
        "nothing to read", "needs one, which was failed", "needs two, which was skipped", None,
    ]  # fmt: skip
    assert report.status == "failed"


def test_a_fault_in_a_stage_is_recorded_with_its_kind(errata: Errata, story: Story) -> None:
    story.tells["apart"] = failing(ZeroDivisionError("a fault of ours"))
    report = run_night(errata, "shop", AS_OF, stages=story.stages)
    assert report.stages[3].error == "ZeroDivisionError: a fault of ours"
    assert statuses(report.stages)["three"] == "done"


def test_a_failed_night_asked_for_again_runs_what_was_not_done(errata: Errata, story: Story) -> None:
    story.tells["two"] = failing(BadInputError("not yet"))
    run_night(errata, "shop", AS_OF, stages=story.stages)
    story.ran.clear()
    story.tells.clear()
    report = run_night(errata, "shop", AS_OF, stages=story.stages)
    assert story.ran == ["two", "three"]
    assert report.status == "done"


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), StoreUnavailableError("gone"), LeaseLostError("taken")]
)
def test_a_night_that_was_cut_short_is_resumed_with_its_own_moment(
    errata: Errata, story: Story, clock: Clock, error: BaseException
) -> None:
    story.tells["two"] = failing(error)
    with pytest.raises(type(error)):
        run_night(errata, "shop", stages=story.stages)
    story.ran.clear()
    story.tells.clear()
    clock.forward(3600)
    report = run_night(errata, "shop", stages=story.stages)
    assert story.ran == ["two", "three", "apart"]
    assert report.resumed
    assert report.as_of == AS_OF
    assert report.night_id == night_id("shop", AS_OF)
    assert errata.store.leases.holder("nightly:shop") is None


def test_after_a_resumed_night_the_next_start_is_a_new_one(
    errata: Errata, story: Story, clock: Clock
) -> None:
    story.tells["two"] = failing(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run_night(errata, "shop", stages=story.stages)
    story.tells.clear()
    run_night(errata, "shop", stages=story.stages)
    clock.forward(60)
    report = run_night(errata, "shop", stages=story.stages)
    assert (report.resumed, report.as_of) == (False, AS_OF + timedelta(seconds=60))


def test_asked_for_another_moment_the_unfinished_night_is_ended_first(
    errata: Errata, story: Story, clock: Clock
) -> None:
    story.tells["two"] = failing(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run_night(errata, "shop", AS_OF, stages=story.stages)
    story.tells.clear()
    story.shifts.clear()
    later = AS_OF + timedelta(days=1)
    report = run_night(errata, "shop", later, stages=story.stages)
    assert [shift.now for shift in story.shifts] == [AS_OF] * 3 + [later] * 4
    assert report.as_of == later
    nights = [item.item for item in errata.store.collection("shop", NIGHTS).scan(Query(sort="as_of"))]
    assert [(night.as_of, night.status) for night in nights] == [(AS_OF, "done"), (later, "done")]


def test_while_one_works_another_is_told_who_has_the_lease(errata: Errata, story: Story) -> None:
    def start_another(shift: Shift) -> StageReport:
        with pytest.raises(LeaseHeldError, match="nightly:shop is held by process"):
            run_night(errata, "shop", stages=story.stages)
        return StageReport()

    story.tells["two"] = start_another
    run_night(errata, "shop", AS_OF, stages=story.stages)
    assert story.ran == ["one", "two", "three", "apart"]


def test_projects_have_their_nights_apart(errata: Errata, story: Story) -> None:
    errata.ensure_project("desk")

    def start_the_other(shift: Shift) -> StageReport:
        if shift.project == "shop":
            run_night(errata, "desk", AS_OF, stages=story.stages)
        return StageReport()

    story.tells["two"] = start_the_other
    report = run_night(errata, "shop", AS_OF, stages=story.stages)
    assert report.status == "done"
    assert report.night_id != night_id("desk", AS_OF)


def test_one_that_lost_its_lease_writes_nothing_more(errata: Errata, story: Story, clock: Clock) -> None:
    def sleep_too_long(shift: Shift) -> StageReport:
        clock.forward(500)
        errata.store.leases.acquire("nightly:shop", "another", 120, clock())
        return StageReport({"stale": 1})

    story.tells["two"] = sleep_too_long
    with pytest.raises(LeaseLostError):
        run_night(errata, "shop", AS_OF, stages=story.stages)
    record = errata.store.collection("shop", STAGE_RECORDS).get(f"{night_id('shop', AS_OF)}:two")
    assert record is not None
    assert (record.item.status, record.item.counts) == ("running", {})
    held = errata.store.leases.holder("nightly:shop")
    assert held is not None
    assert held.holder == "another"


def test_progress_between_two_writes_keeps_the_lease(errata: Errata, story: Story, clock: Clock) -> None:
    def work_long(shift: Shift) -> StageReport:
        for done in range(10):
            clock.forward(100)
            shift.progress(done, 10)
        return StageReport()

    story.tells["two"] = work_long
    run_night(errata, "shop", AS_OF, stages=story.stages[:2])
    assert errata.store.leases.holder("nightly:shop") is None


def test_a_night_stops_at_its_next_write_where_the_service_stops(errata: Errata, story: Story) -> None:
    stopping: list[bool] = []

    def ask_to_stop(shift: Shift) -> StageReport:
        stopping.append(True)
        return StageReport()

    story.tells["two"] = ask_to_stop
    with pytest.raises(LeaseLostError, match="stopping"):
        run_night(errata, "shop", AS_OF, stages=story.stages, stop=lambda: bool(stopping))
    story.tells.clear()
    assert run_night(errata, "shop", stages=story.stages).resumed


def test_a_project_that_nobody_made_has_no_night(errata: Errata, story: Story) -> None:
    with pytest.raises(NotFoundError, match="no project 'elsewhere'"):
        run_night(errata, "elsewhere", stages=story.stages)


def test_a_moment_without_a_time_zone_is_refused(errata: Errata, story: Story) -> None:
    with pytest.raises(BadInputError, match="time zone"):
        run_night(errata, "shop", AS_OF.replace(tzinfo=None), stages=story.stages)
