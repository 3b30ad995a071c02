from __future__ import annotations

from pathlib import Path

from tests.conftest import Node
from tests.jobs.evening import AS_OF, Driver, State, hand_in_at, of_kind, state_of


def test_the_same_day_and_night_give_the_same_on_elasticsearch_and_on_sqlite(
    node: Node, tmp_path: Path, driver: Driver
) -> None:
    """Ids too, and everything else but what the clock said."""
    ends: list[State] = []
    for url in (f"sqlite:///{tmp_path / 'errata.db'}", f"{node.url}?prefix={node.prefix()}"):
        hand_in_at(url, tmp_path)
        assert not driver.night(url, AS_OF)["died"]
        ends.append(state_of(url))
    sqlite, elastic = ends
    assert sorted(elastic) == sorted(sqlite)
    for kind in ("cases", "problems", "attributions", "work_orders", "strategies", "reference_calls"):
        assert of_kind(sqlite, kind), kind
    assert elastic == sqlite
