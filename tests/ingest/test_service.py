from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from errata_client.run import Run
from ingest import service
from ingest.adapters.port import NotAnalysed
from ingest.masking import Masker
from ingest.problems import refresh_problems
from ingest.references import Reservoirs
from ingest.service import ingest_file, ingest_runs
from ingest.stages import collect, group
from knowledge.errors import StoreUnavailableError
from knowledge.kinds import CASES, PROBLEMS, REFERENCE_CALLS, RUN_RECORDS
from knowledge.sqlite import SqliteStore
from knowledge.store import Query, Store
from tests.ingest.making import (
    KEY,
    a_loan,
    a_run,
    a_shift,
    failing,
    reply,
    simulation,
    state,
    step,
    system,
    tau,
    tau2,
    tau2_call,
    tau2_reply,
    user,
    written,
)
from tests.jobs.killing import Executioner, KillingStore


def some_runs() -> list[Run]:
    return [
        a_run(
            step(0, "find", {"title": f"t{number}"}),
            failing(1, "lend", f"Error: book B-{number:04d} is lent", {"book_id": f"B-{number:04d}"}),
            step(2, "lend", {"book_id": "B-1"}),
            run_id=f"run-{number}",
            user_intent=f"Lend me t{number}, B-{number:04d} or B-1.",
        )
        for number in range(30)
    ]


def test_a_file_is_counted_and_the_second_time_nothing_is_new(tmp_path: Path, store: Store) -> None:
    records = [
        tau(a_loan("Error: book is lent"), 0, reward=0),
        tau(a_loan("Error: 503 Service Unavailable"), 1),
        tau(a_loan(), 2),
    ]
    path = written(tmp_path / "runs.json.gz", records)
    first = ingest_file(path, "auto", a_shift(store), Masker(KEY))
    before = state(store)
    second = ingest_file(path, "auto", a_shift(store), Masker(KEY))
    assert (first.source, first.runs, first.calls) == ("tau_bench", 3, 3)
    assert (first.cases, first.new_cases, first.problems) == (2, 2, 2)
    assert first.by_error_code == {"tool.error": 1, "tool.unavailable": 1}
    assert (second.cases, second.new_cases, second.by_error_code) == (2, 0, first.by_error_code)
    assert second.reference_calls == first.reference_calls == 1
    assert state(store) == before


def test_the_report_is_json_of_places_and_reasons(tmp_path: Path, store: Store) -> None:
    path = written(tmp_path / "runs.json", [tau(a_loan()), 5])
    report = ingest_file(path, "auto", a_shift(store), Masker(KEY)).model_dump(mode="json")
    assert report["not_analysed"] == [
        {"position": "record 2", "reason": "a record is an object with a traj, this is a number"}
    ]


def test_two_files_with_the_same_tasks_do_not_collide(tmp_path: Path, store: Store) -> None:
    for book in ("B-1001", "B-2002"):
        path = written(tmp_path / f"{book}.json", [tau(a_loan("Error: no", book=book))])
        assert ingest_file(path, "auto", a_shift(store), Masker(KEY)).new_cases == 1
    assert len(state(store)["run_records"]) == 2


def test_nothing_of_a_secret_or_of_a_person_is_stored(tmp_path: Path, store: Store) -> None:
    messages = [
        system("Admin token: t0psecret-token-1"),
        user("I am mia.li@example.org, 555-123-2002, my password is hunter2-x"),
        *a_loan("Error: mia.li@example.org (5551232002) may not, hunter2-x is wrong")[2:],
    ]
    report = ingest_file(
        written(tmp_path / "runs.json", [tau(messages)]), "auto", a_shift(store), Masker(KEY)
    )
    kept = str(state(store))
    for private in ("mia.li", "example.org", "555-123", "5551232002", "hunter2", "t0psecret"):
        assert private not in kept
    assert report.masked["email"] >= 2


def test_a_user_id_that_is_the_local_part_of_an_address_is_not_fabricated(
    tmp_path: Path, store: Store
) -> None:
    messages = a_loan(book="mia_li_3668")
    messages[1] = user("My email is mia_li_3668@example.org.")
    report = ingest_file(
        written(tmp_path / "runs.json", [tau(messages)]), "auto", a_shift(store), Masker(KEY)
    )
    assert report.cases == 0


def test_errors_of_both_sides_of_tau2_are_cases(tmp_path: Path, store: Store) -> None:
    messages = [
        tau2_call("c1", "lend", {}),
        tau2_reply("c1", "Error: no", error=True),
        tau2_call("c2", "check", {}, requestor="user"),
        tau2_reply("c2", "Error: no", error=True, requestor="user"),
        tau2_call("c3", "lend", {"a": 1}),
        tau2_reply("c3", "Error: is a title", error=False),
    ]
    path = written(tmp_path / "runs.json", tau2([simulation(messages)]))
    assert ingest_file(path, "auto", a_shift(store), Masker(KEY)).by_error_code == {"tool.error": 2}
    sides = [stored.item.requestor for stored in store.collection("library", CASES).scan(Query())]
    assert sorted(sides) == ["agent", "user"]


def test_a_reply_without_its_call_is_a_case_but_no_call_and_no_reference(
    tmp_path: Path, store: Store
) -> None:
    messages = [user("hi"), reply("c9", "Error: nobody asked"), reply("c8", "fine")]
    report = ingest_file(
        written(tmp_path / "runs.json", [tau(messages)]), "auto", a_shift(store), Masker(KEY)
    )
    assert (report.by_error_code, report.calls, report.reference_calls) == ({"tool.error": 1}, 0, 0)
    assert len(report.not_analysed) == 2


def test_what_an_adapter_left_out_is_in_the_report(store: Store) -> None:
    left_out = NotAnalysed(position="line 3", reason="broken near mia@example.org")
    report = ingest_runs([left_out, *some_runs()], a_shift(store), Masker(KEY))
    assert report.runs == 30
    assert report.not_analysed[0].position == "line 3"
    assert "mia@" not in report.not_analysed[0].reason


def test_a_run_told_again_with_more_steps_keeps_its_date_and_gets_the_rest(store: Store) -> None:
    whole = some_runs()[0]
    ingest_runs([whole.model_copy(update={"steps": whole.steps[:1]})], a_shift(store), Masker(KEY))
    ingest_runs([whole], a_shift(store), Masker(KEY))
    (record,) = state(store)["run_records"]
    assert len(record["calls"]) == 3
    assert len(state(store)["cases"]) == 1


def test_a_problem_is_read_off_its_cases_and_keeps_a_persons_status(store: Store) -> None:
    shift = a_shift(store)
    ingest_runs(some_runs()[:10], shift, Masker(KEY))
    problems = store.collection("library", PROBLEMS)
    (stored,) = problems.find(Query()).items
    assert (stored.item.count, stored.item.tool, stored.item.status) == (10, "lend", "unresolved")
    problems.put(stored.item.model_copy(update={"status": "resolved"}), stored.version)
    ingest_runs(some_runs(), shift, Masker(KEY))
    (again,) = problems.find(Query()).items
    assert (again.item.count, again.item.status) == (30, "resolved")
    assert refresh_problems(shift, None) == 1
    assert problems.find(Query()).items == (again,)


def test_the_reservoir_keeps_the_same_sample_whatever_the_order_and_the_batches(tmp_path: Path) -> None:
    kept = []
    for name, runs in (("forward", some_runs()), ("backward", some_runs()[::-1])):
        store = SqliteStore(tmp_path / f"{name}.db")
        store.prepare()
        reservoirs = Reservoirs(a_shift(store), size=7)
        for run in runs:
            reservoirs.offer(service.analyse(run, "library", a_shift(store).now).references)
        found = [stored.item for stored in store.collection("library", REFERENCE_CALLS).scan(Query())]
        kept.append(sorted((call.tool, call.rank) for call in found))
        assert reservoirs.total() == 14
        again = Reservoirs(a_shift(store), size=7)
        again.offer(service.analyse(runs[0], "library", a_shift(store).now).references)
        assert (
            sorted(
                (s.item.tool, s.item.rank) for s in store.collection("library", REFERENCE_CALLS).scan(Query())
            )
            == kept[-1]
        )
        store.close()
    assert kept[0] == kept[1]
    assert [tool for tool, _ in kept[0]] == ["find"] * 7 + ["lend"] * 7


class Stopper(Executioner):
    """Stops with an error instead of killing the process."""

    def halves(self, name: str, items: list[Any]) -> Iterator[list[Any]]:
        self.writes.append(name)
        if len(self.writes) != self._target:
            yield items
            return
        if self._moment == "middle" and len(items) > 1:
            yield items[: len(items) // 2]
        raise StoreUnavailableError("stopped by the test")


@pytest.mark.parametrize("moment", ["before", "middle"])
@pytest.mark.parametrize("target", [1, 2, 3, 4])
def test_stopped_anywhere_and_run_again_leaves_the_same_as_one_clean_run(
    tmp_path: Path, store: Store, target: int, moment: Any
) -> None:
    clean = SqliteStore(tmp_path / "clean.db")
    clean.prepare()
    ingest_runs(some_runs(), a_shift(clean), Masker(KEY))
    with pytest.raises(StoreUnavailableError):
        ingest_runs(some_runs(), a_shift(KillingStore(store, Stopper(target, moment))), Masker(KEY))
    ingest_runs(some_runs(), a_shift(store), Masker(KEY))
    assert state(store) == state(clean)
    clean.close()


def test_the_first_stages_of_a_night_count_and_group(store: Store) -> None:
    shift = a_shift(store)
    ingest_runs(some_runs(), shift, Masker(KEY))
    assert collect(shift).counts == {
        "runs": 30,
        "cases": 30,
        "problems": 1,
        "runs_since_last_night": 30,
        "cases_since_last_night": 30,
        "errors_in_outages": 0,
    }
    problems = store.collection("library", PROBLEMS)
    problems.remove_many([stored.item.fingerprint for stored in problems.scan(Query())])
    assert group(shift).counts == {"problems": 1, "new": 1}
    assert len(list(problems.scan(Query()))) == 1


def test_another_project_is_not_touched(store: Store) -> None:
    ingest_runs(some_runs(), a_shift(store), Masker(KEY))
    assert not list(store.collection("archive", RUN_RECORDS).scan(Query()))
