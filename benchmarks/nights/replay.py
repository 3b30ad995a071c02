"""The nights themselves: each day's runs are taken in, the real chain of stages runs, and in the morning the reviewer acts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import SecretStr

import ingest.stages
from attribution.stages import read_causes, read_problems
from benchmarks.nights.curve import Evening, repeated
from benchmarks.nights.reviewer import Reviewer
from errata_client.run import Run
from examples.ticket_desk.calendar import Calendar
from ingest.service import ingest_runs
from jobs.night import Stage
from jobs.nightly import run_night
from jobs.stages import STAGES
from knowledge.cases import Problem
from knowledge.causes import Attribution, RootCause
from knowledge.kinds import ATTRIBUTIONS, WORK_ORDERS
from knowledge.store import Query
from wiring.build import Errata, build
from wiring.settings import Settings

PROJECT = "nights"
FIRST = datetime(2026, 3, 2, tzinfo=UTC)
NIGHT, MORNING = timedelta(hours=26), timedelta(hours=32)
"""From the start of a day to the night that follows it, and to the morning after."""
NO_STARTERS = tuple(
    replace(stage, work=lambda _, shift: ingest.stages.collect(shift)) if stage.name == "collect" else stage
    for stage in STAGES
)
"""The chain without the starter causes."""


@dataclass(frozen=True)
class Replay:
    """What came of it: each night, and how all stands after the last."""

    evenings: tuple[Evening, ...]
    problems: tuple[Problem, ...]
    attributions: dict[str, Attribution]
    causes: tuple[RootCause, ...]


def play(
    days: Sequence[Sequence[Run]],
    folder: Path,
    encoders: Sequence[str],
    *,
    reviewed: int,
    starters: bool,
    say: Callable[[str], None],
) -> Replay:
    """Play the days in `folder`, with a reviewer on the first `reviewed` mornings; `say` gets each night's line."""
    calendar = Calendar(FIRST)
    settings = Settings(
        data_dir=folder,
        store_url="sqlite:///errata.db",
        encoders=tuple(encoders),
        secret=SecretStr("placeholders are the same in each replay"),
    )
    errata = build(settings, clock=calendar)
    try:
        errata.ensure_project(PROJECT)
        shop = _Shop(errata, calendar, STAGES if starters else NO_STARTERS)
        evenings = []
        for number, runs in enumerate(days):
            evenings.append(shop.day(number, runs, reviewed=number < reviewed))
            say(evenings[-1].line())
        shift = errata.shift(PROJECT)
        return Replay(
            tuple(evenings), tuple(read_problems(shift)), shop.attributions(), tuple(read_causes(shift))
        )
    finally:
        errata.close()


class _Shop:
    """A project, a day at a time."""

    def __init__(self, errata: Errata, calendar: Calendar, stages: Sequence[Stage]) -> None:
        self._errata, self._calendar, self._stages = errata, calendar, stages
        self._runs = self._orders = 0

    def day(self, number: int, runs: Sequence[Run], *, reviewed: bool) -> Evening:
        begins = FIRST + number * timedelta(days=1)
        self._calendar.set(begins + timedelta(hours=24))
        ingest_runs(runs, self._errata.shift(PROJECT), self._errata.masker(PROJECT))
        self._runs += len(runs)
        self._calendar.set(begins + NIGHT)
        report = run_night(self._errata, PROJECT, stages=self._stages)
        failed = [f"{stage.stage}: {stage.error}" for stage in report.stages if stage.status != "done"]
        if failed:
            raise RuntimeError(f"night {number + 1} failed: {'; '.join(failed)}")
        problems = read_problems(self._errata.shift(PROJECT))
        counted = repeated(problems, self.attributions())
        opened = self._opened()
        self._calendar.set(begins + MORNING)
        reviewer = Reviewer(self._errata, PROJECT)
        if reviewed:
            reviewer.work()
        return Evening(number + 1, self._runs, len(problems), counted, opened, reviewer.done)

    def attributions(self) -> dict[str, Attribution]:
        """How each problem was decided last."""
        found = self._errata.store.collection(PROJECT, ATTRIBUTIONS).scan(Query())
        return {stored.item.fingerprint: stored.item for stored in found}

    def _opened(self) -> int:
        before, self._orders = (
            self._orders,
            sum(1 for _ in self._errata.store.collection(PROJECT, WORK_ORDERS).scan(Query())),
        )
        return self._orders - before
