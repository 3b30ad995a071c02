from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ingest.health.intervals import bounds, outage_at, outages, record_results, states
from ingest.health.outages import excuse_stored
from ingest.masking import Masker
from ingest.service import ingest_runs
from knowledge.cases import FailureCase
from knowledge.health import ProbeResult
from knowledge.kinds import CASES, PROBLEMS
from knowledge.store import Query, Store
from tests.ingest.making import KEY, a_run, a_shift, failing

TEN = datetime(2026, 2, 1, 10, 0, 20, tzinfo=UTC)


def result(minutes: float, *, up: bool, probe: str = "api", tool: str = "lend") -> ProbeResult:
    return ProbeResult(
        probe=probe, tools=(tool,), up=up, at=TEN + timedelta(minutes=minutes), detail="status 503"
    )


def ingest(store: Store, minutes: float, tool: str = "lend", run_id: str = "r") -> None:
    at = TEN + timedelta(minutes=minutes)
    run = a_run(
        failing(0, tool, "Error: something broke", {"book": "B-1"}, started_at=at, ended_at=at), run_id=run_id
    )
    ingest_runs([run], a_shift(store), Masker(KEY))


def cases(store: Store) -> list[FailureCase]:
    return [stored.item for stored in store.collection("library", CASES).scan(Query(sort="occurred_at"))]


def codes(store: Store) -> list[str]:
    return [case.error_code for case in cases(store)]


def test_results_become_intervals_and_the_same_again_tells_nothing_new(store: Store) -> None:
    shift = a_shift(store)
    results = [result(0, up=True), result(1, up=False), result(2, up=False), result(3, up=True)]
    assert record_results(shift, results) == 4
    assert record_results(shift, results) == 0
    (outage,) = outages(shift)
    assert (outage.since, outage.until, outage.ended, outage.checks) == (
        TEN + timedelta(minutes=1),
        TEN + timedelta(minutes=3),
        True,
        2,
    )
    assert states(shift) == {"lend": True}


def test_a_tool_is_up_only_if_all_its_probes_say_so(store: Store) -> None:
    record_results(a_shift(store), [result(0, up=True), result(1, up=False, probe="database")])
    assert states(a_shift(store)) == {"lend": False}


@pytest.mark.parametrize(
    ("seconds", "down"),
    [(-21, False), (-20, True), (0, True), (59, True), (99, True), (100, False), (160, False)],
)
def test_whole_minutes_count_up_to_the_one_of_the_first_good_result(
    store: Store, seconds: int, down: bool
) -> None:
    shift = a_shift(store)
    record_results(shift, [result(0, up=False), result(2, up=True)])
    found = outages(shift)
    assert bounds(found[0]) == (TEN.replace(second=0), TEN.replace(second=0) + timedelta(minutes=2))
    assert (outage_at(found, "lend", TEN + timedelta(seconds=seconds)) is not None) is down


def test_an_error_while_the_tool_was_down_is_no_agents_and_says_why(store: Store) -> None:
    record_results(a_shift(store), [result(0, up=False), result(5, up=True)])
    ingest(store, 2)
    (case,) = cases(store)
    assert (case.error_code, case.error_kind) == ("tool.unavailable", "unavailable")
    seen = case.evidence["outage"]
    assert isinstance(seen, dict)
    assert (seen["probe"], seen["detail"]) == ("api", "status 503")


def test_before_and_after_it_and_of_another_tool_it_stays_an_error(store: Store) -> None:
    record_results(a_shift(store), [result(0, up=False), result(5, up=True)])
    ingest(store, -2, run_id="before")
    ingest(store, 6, run_id="after")
    ingest(store, 2, tool="find", run_id="other")
    assert codes(store) == ["tool.error"] * 3


def test_a_run_without_times_is_never_excused(store: Store) -> None:
    shift = a_shift(store)
    record_results(shift, [ProbeResult(probe="api", tools=("lend",), up=False, at=shift.now)])
    ingest_runs([a_run(failing(0, "lend", "Error: something broke"))], shift, Masker(KEY))
    excuse_stored(shift)
    assert codes(store) == ["tool.error"]


def test_stored_cases_change_once_with_their_problems_and_stay_so_when_ingested_again(store: Store) -> None:
    shift = a_shift(store)
    ingest(store, 2)
    record_results(shift, [result(0, up=False), result(5, up=True)])
    assert (excuse_stored(shift), excuse_stored(shift)) == (1, 0)
    ingest(store, 2)
    assert codes(store) == ["tool.unavailable"]
    problems = [stored.item for stored in store.collection("library", PROBLEMS).scan(Query())]
    assert [(problem.error_code, problem.count) for problem in problems] == [("tool.unavailable", 1)]


def test_cut_short_between_its_writes_it_is_finished_the_next_time(store: Store) -> None:
    shift = a_shift(store)
    ingest(store, 2)
    (left,) = (stored.item for stored in store.collection("library", PROBLEMS).scan(Query()))
    record_results(shift, [result(0, up=False), result(5, up=True)])
    excuse_stored(shift)
    store.collection("library", PROBLEMS).put_many([left])
    excuse_stored(shift)
    problems = [stored.item.error_code for stored in store.collection("library", PROBLEMS).scan(Query())]
    assert problems == ["tool.unavailable"]
