"""What the tests of whole nights share: the shop's evening, nights in other processes, and all that is stored."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attribution.parameters import default_parameters
from ingest.service import ingest_runs
from knowledge.kinds import KINDS, NIGHTS, STAGES, STRATEGIES, SYSTEM, key_of
from knowledge.open import open_store
from knowledge.store import Query
from knowledge.strategies import Strategy
from strategies.bundles import publish_live
from tests.jobs.killed_nights import PROJECT
from tests.jobs.small_shop import START, day
from wiring.build import Errata
from wiring.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
AS_OF = "2026-03-01T02:00:00+00:00"
CLOCK_FIELDS = {"started_at", "ended_at", "fencing_token"}
COUNTS_OF_THE_ATTEMPT = {"encoded", "new", "changed", "retired", "expiring"}
"""What an attempt that was cut short had written already, the one that ended the stage does not count again."""
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


def expiring_rule() -> Strategy:
    """A rule that agents have, and that ends before the night."""
    rule = {
        "id": "ST-0001",
        "revision": 1,
        "root_cause": "RC-001",
        "scope": {"step_id": "do_close_order", "tool": "close_order"},
        "trigger": {"field": "args.order_id", "pattern": "^$"},
        "action": {"kind": "block", "text": "Ask for the order's number."},
        "mode": "active",
        "valid_until": "2026-02-28",
    }
    evidence = {"support": 3, "tasks": 3, "references": 30, "fired": 3, "right": 3, "wrong": 0, "harmed": 0}
    approved = {"at": START, "actor": "wang", "source": "in_review", "target": "active", "reason": "right"}
    return Strategy.model_validate(
        {
            "strategy_id": "ST-0001",
            "draft_key": "by-hand",
            "synthesiser": "person",
            "state": "active",
            "rule": rule,
            "evidence": evidence,
            "history": [approved],
        }
    )


def hand_in_at(url: str, folder: Path) -> None:
    """Put the shop's day into a new store, in which one rule is live."""
    settings = Settings.model_validate({"data_dir": folder, "secret": "the same for every test"})
    store = open_store(url, folder)
    store.prepare()
    errata = Errata(settings, store, (), default_parameters(), lambda: START)
    errata.ensure_project(PROJECT)
    ingest_runs(day(), errata.shift(PROJECT), errata.masker(PROJECT))
    store.collection(PROJECT, STRATEGIES).add_many([expiring_rule()])
    publish_live(errata.shift(PROJECT), "wang", "the first rule")
    store.close()


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
                    fields = timeless(fields)
                found[f"{project}/{kind.name}/{key_of(kind, stored.item)}"] = fields
    store.close()
    return found


def timeless(record: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in record.items() if name not in CLOCK_FIELDS}
    if "counts" in kept:
        kept["counts"] = {n: times for n, times in kept["counts"].items() if n not in COUNTS_OF_THE_ATTEMPT}
    return kept


def of_kind(state: State, name: str) -> list[dict[str, Any]]:
    return [fields for key, fields in state.items() if key.split("/")[1] == name]
