from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from attribution.parameters import default_parameters
from ingest.service import ingest_runs
from jobs.stages import STAGES as STORY
from knowledge.kinds import CASES, KINDS, NIGHTS, STAGES, STRATEGIES, SYSTEM, WORK_ORDERS, key_of
from knowledge.open import open_store
from knowledge.store import Query, Store
from tests.conftest import Node
from tests.jobs.killed_nights import PROJECT
from tests.jobs.small_shop import day
from wiring.build import Errata
from wiring.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
AS_OF = "2026-03-01T02:00:00+00:00"
CLOCK_FIELDS = {"started_at", "ended_at", "fencing_token"}
State = dict[str, dict[str, Any]]
Fresh = Callable[[], str]


class Driver:
    """Has nights run in other processes, and die there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.jobs.killed_nights"],
            cwd=ROOT,
            env={"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def night(self, url: str, as_of: str | None, target: int = 0, moment: str = "before") -> dict[str, Any]:
        """Run a night, killed at its `target`-th write."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = {
            "url": url,
            "data_dir": str(self._folder),
            "as_of": as_of,
            "target": target,
            "moment": moment,
        }
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    made = Driver(tmp_path_factory.mktemp("driver"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the shop's day in it, before any night."""
    path = tmp_path_factory.mktemp("evening") / "errata.db"
    store = open_store(f"sqlite:///{path}", path.parent)
    store.prepare()
    hand_in(store, path.parent)
    store.close()
    return path


def hand_in(store: Store, folder: Path) -> None:
    settings = Settings.model_validate({"data_dir": folder, "secret": "the same for every test"})
    errata = Errata(settings, store, (), default_parameters())
    errata.ensure_project(PROJECT)
    ingest_runs(day(), errata.shift(PROJECT), errata.masker(PROJECT))


@pytest.fixture
def fresh(engine: str, evening: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Fresh:
    """Answers the URL of a store as it was in the evening, whatever happened to the last one."""
    if engine == "sqlite":
        return lambda: f"sqlite:///{shutil.copy(evening, tmp_path / 'errata.db')}"
    node: Node = request.getfixturevalue("node")
    prefix: str = request.getfixturevalue("elastic_prefix")
    request.getfixturevalue("open_elastic")
    url = f"{node.url}?prefix={prefix}"

    def empty_and_fill() -> str:
        node.empty(prefix)
        copy_all(f"sqlite:///{evening}", url)
        return url

    return empty_and_fill


def copy_all(source: str, target: str) -> None:
    read, write = open_store(source, ROOT), open_store(target, ROOT)
    for project in (PROJECT, SYSTEM):
        for kind in KINDS:
            items = [stored.item for stored in read.collection(project, kind).scan(Query())]
            if items:
                write.collection(project, kind).add_many(items)
    read.close()
    write.close()


def state_of(url: str) -> State:
    """All that is stored, but for what the clock said."""
    store = open_store(url, ROOT)
    found: State = {}
    for project in (PROJECT, SYSTEM):
        for kind in KINDS:
            for stored in store.collection(project, kind).scan(Query()):
                fields = stored.item.model_dump(mode="json")
                if kind.name in {NIGHTS.name, STAGES.name}:
                    fields = {name: value for name, value in fields.items() if name not in CLOCK_FIELDS}
                found[f"{project}/{kind.name}/{key_of(kind, stored.item)}"] = fields
    store.close()
    return found


def of_kind(state: State, name: str) -> list[dict[str, Any]]:
    return [fields for key, fields in state.items() if key.split("/")[1] == name]


def targets(writes: list[str], stage: str) -> list[tuple[int, str]]:
    """Every write from the start of the stage to its end, and the middle of each that has several items."""
    first = writes.index(f"stages:{stage}:running")
    last = writes.index(f"stages:{stage}:done")
    found = [(number, "before") for number in range(first + 1, last + 2)]
    return found + [(n, "middle") for n, _ in found if int(writes[n - 1].partition("*")[2] or 1) > 1]


def test_the_undisturbed_night_has_something_to_lose(fresh: Fresh, driver: Driver) -> None:
    url = fresh()
    driver.night(url, AS_OF)
    state = state_of(url)
    assert len(of_kind(state, CASES.name)) >= 14
    assert {record["status"] for record in of_kind(state, STAGES.name)} == {"done"}
    assert of_kind(state, WORK_ORDERS.name)
    assert of_kind(state, STRATEGIES.name)


@pytest.mark.parametrize("stage", [stage.name for stage in STORY])
def test_a_night_killed_within_a_stage_or_at_its_edge_ends_as_one_that_nobody_disturbed(
    stage: str, fresh: Fresh, driver: Driver
) -> None:
    url = fresh()
    writes = driver.night(url, AS_OF)["writes"]
    undisturbed = state_of(url)
    for target, moment in targets(writes, stage):
        url = fresh()
        assert driver.night(url, AS_OF, target, moment)["died"]
        assert not driver.night(url, None)["died"]
        assert state_of(url) == undisturbed, f"killed {moment} write {target}, {writes[target - 1]}"


def test_a_night_killed_again_and_again_gets_there(fresh: Fresh, driver: Driver) -> None:
    url = fresh()
    driver.night(url, AS_OF)
    undisturbed = state_of(url)
    url = fresh()
    deaths = 0
    while driver.night(url, AS_OF if deaths == 0 else None, 4)["died"]:
        deaths += 1
    assert deaths > 3
    assert state_of(url) == undisturbed
