from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from jobs.stages import STAGES as STORY
from knowledge.kinds import CASES, PUBLICATIONS, STAGES, STRATEGIES, WORK_ORDERS
from tests.conftest import Node
from tests.jobs.evening import AS_OF, Driver, Fresh, State, copy_all, hand_in_at, of_kind, state_of


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the shop's day in it, before any night."""
    path = tmp_path_factory.mktemp("evening") / "errata.db"
    hand_in_at(f"sqlite:///{path}", path.parent)
    return path


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


@pytest.fixture(scope="module")
def undisturbed_nights() -> dict[str, tuple[list[str], State]]:
    """What a clean night wrote, and all that was stored after it, by engine."""
    return {}


@pytest.fixture
def undisturbed(
    engine: str, fresh: Fresh, driver: Driver, undisturbed_nights: dict[str, tuple[list[str], State]]
) -> tuple[list[str], State]:
    if engine not in undisturbed_nights:
        url = fresh()
        writes = driver.night(url, AS_OF)["writes"]
        undisturbed_nights[engine] = writes, state_of(url)
    return undisturbed_nights[engine]


def targets(writes: list[str], stage: str) -> list[tuple[int, str]]:
    """Every write from the start of the stage to its end, and the middle of each that has several items."""
    first = writes.index(f"stages:{stage}:running")
    last = writes.index(f"stages:{stage}:done")
    found = [(number, "before") for number in range(first + 1, last + 2)]
    return found + [(n, "middle") for n, _ in found if int(writes[n - 1].partition("*")[2] or 1) > 1]


def sample(found: list[tuple[int, str]], engine: str) -> list[tuple[int, str]]:
    """All of them on SQLite; on Elasticsearch, where each costs seconds, the start, the end and the last of those within."""
    if engine == "sqlite" or len(found) <= 3:
        return found
    edges = [found[0], max(one for one in found if one[1] == "before")]
    return [*edges, next(one for one in reversed(found) if one not in edges)]


def test_the_undisturbed_night_has_something_to_lose(undisturbed: tuple[list[str], State]) -> None:
    _, state = undisturbed
    assert len(of_kind(state, CASES.name)) >= 14
    assert {record["status"] for record in of_kind(state, STAGES.name)} == {"done"}
    assert of_kind(state, WORK_ORDERS.name)
    states = sorted(strategy["state"] for strategy in of_kind(state, STRATEGIES.name))
    assert states[-1] == "retired"
    assert "in_review" in states
    assert [publication["revision"] for publication in of_kind(state, PUBLICATIONS.name)] == [1, 2]


@pytest.mark.parametrize("stage", [stage.name for stage in STORY])
def test_a_night_killed_within_a_stage_or_at_its_edge_ends_as_one_that_nobody_disturbed(
    stage: str, engine: str, fresh: Fresh, driver: Driver, undisturbed: tuple[list[str], State]
) -> None:
    writes, state = undisturbed
    for target, moment in sample(targets(writes, stage), engine):
        url = fresh()
        assert driver.night(url, AS_OF, target, moment)["died"]
        assert not driver.night(url, None)["died"]
        assert state_of(url) == state, f"killed {moment} write {target}, {writes[target - 1]}"


def test_a_night_killed_again_and_again_gets_there(
    fresh: Fresh, driver: Driver, undisturbed: tuple[list[str], State]
) -> None:
    url = fresh()
    assert driver.night(url, AS_OF, 6)["died"]
    deaths = 1
    while deaths < 50 and driver.night(url, None, 6)["died"]:
        deaths += 1
    assert 3 < deaths < 50
    assert state_of(url) == undisturbed[1]
