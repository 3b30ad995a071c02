"""Several threads and processes on one store, on every engine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from knowledge.errors import ConflictError
from knowledge.kinds import CASES, STRATEGIES
from knowledge.store import BulkReport, Query, Store
from tests.knowledge.making import case, cases, strategy

ROOT = Path(__file__).resolve().parents[2]


def test_of_many_writers_of_one_version_one_wins(open_again: Callable[[], Store], store: Store) -> None:
    stores = [store, open_again()]
    version = store.collection("p", CASES).put(case("c1"), None).version

    def attempt(number: int) -> bool:
        try:
            stores[number % 2].collection("p", CASES).put(case("c1", user_intent=str(number)), version)
        except ConflictError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        won = [number for number, done in enumerate(pool.map(attempt, range(24))) if done]
    assert len(won) == 1
    assert store.collection("p", CASES).get_many(["c1"])["c1"].item.user_intent == str(won[0])


def test_of_many_that_create_one_key_one_does(open_again: Callable[[], Store], store: Store) -> None:
    stores = [store, open_again()]

    def attempt(number: int) -> BulkReport:
        return stores[number % 2].collection("p", CASES).add_many(cases(50, user_intent=str(number)))

    with ThreadPoolExecutor(6) as pool:
        reports = list(pool.map(attempt, range(12)))
    created = [key for report in reports for key in report.created]
    assert sorted(created) == [item.case_id for item in cases(50)]


def test_edits_with_versions_lose_nothing(open_again: Callable[[], Store], store: Store) -> None:
    stores = [store, open_again()]
    store.collection("p", STRATEGIES).put(strategy("ST-1"), None)

    def append(number: int) -> int:
        collection = stores[number % 2].collection("p", STRATEGIES)
        for attempts in range(1, 500):
            stored = collection.get_many(["ST-1"])["ST-1"]
            reasons = tuple(entry.reason for entry in stored.item.history)
            try:
                collection.put(strategy("ST-1", (*reasons, f"edit {number}")), stored.version)
            except ConflictError:
                continue
            return attempts
        raise AssertionError("never got through")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(append, range(16)))
    history = store.collection("p", STRATEGIES).get_many(["ST-1"])["ST-1"].item.history
    assert sorted(entry.reason for entry in history) == sorted(f"edit {number}" for number in range(16))


def test_each_thread_sees_what_it_wrote_while_others_write_and_read(store: Store) -> None:
    collection = store.collection("p", CASES)

    def work(number: int) -> list[int]:
        seen = []
        for turn in range(5):
            collection.add_many([case(f"{number}-{turn}", run_id=f"r{number}")])
            seen.append(len(collection.find(Query(where={"run_id": f"r{number}"})).items))
        return seen

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [[1, 2, 3, 4, 5]] * 8


def test_a_new_process_sees_everything_at_once(open_again: Callable[[], Store], store: Store) -> None:
    store.collection("p", CASES).add_many(cases(3))
    assert len(open_again().collection("p", CASES).find(Query()).items) == 3


WRITER = """
import sys
from pathlib import Path
from knowledge.kinds import CASES
from knowledge.open import open_store
from tests.knowledge.making import cases
store = open_store(sys.argv[1], Path("."))
store.prepare()
def written():
    for item in cases(400, user_intent=sys.argv[2]):
        yield item
report = store.collection("p", CASES).add_many(written())
store.close()
print("\\n".join(report.created))
"""


def spawn(url: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, url, *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_processes_prepare_and_write_at_once(engine: str, url: str, open_again: Callable[[], Store]) -> None:
    writers = [spawn(url, str(number)) for number in range(3)]
    created = [key for writer in writers for key in writer.communicate(timeout=120)[0].split()]
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert sorted(created) == [item.case_id for item in cases(400)]
    assert len(list(open_again().collection("p", CASES).scan(Query()))) == 400


ENDLESS_WRITER = """
import itertools, sys
from pathlib import Path
from knowledge.kinds import CASES
from knowledge.open import open_store
from tests.knowledge.making import case
store = open_store(sys.argv[1], Path("."))
for turn in itertools.count():
    report = store.collection("p", CASES).add_many(case(f"t{turn:05}-{n:03}") for n in range(200))
    print("\\n".join(report.created), flush=True)
"""


@pytest.mark.parametrize("batches", [1, 4])
def test_what_was_reported_is_there_after_a_kill(
    url: str, store: Store, open_again: Callable[[], Store], batches: int
) -> None:
    command = [sys.executable, "-c", ENDLESS_WRITER, url]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        reported = [next(writer.stdout).strip() for _ in range(200 * batches)]
        writer.kill()
        reported += [line.strip() for line in writer.stdout if line.endswith("\n")]
    assert writer.returncode == -9
    again = open_again()
    again.prepare()
    collection = again.collection("p", CASES)
    assert set(collection.get_many(reported)) == set(reported)
    everything = [stored.item.case_id for stored in collection.scan(Query(text="not-found", sort="run_id"))]
    assert set(reported) <= set(everything)
    assert len(everything) == len(set(everything))
    assert collection.add_many([case("after")]).created == ("after",)
