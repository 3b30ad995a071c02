"""The runs of some files, dealt over nights: the runs of one task far from each other, each dated on its day. Pure but for reading."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from errata_client.run import Run
from ingest.adapters.records import open_source
from ingest.adapters.registry import AUTO, recognise
from knowledge.errors import BadInputError
from knowledge.ids import digest

DAY = timedelta(days=1)
_NAME = re.compile(r"\.jsonl?(\.gz)?$")


def read_runs(folders: Sequence[Path]) -> list[Run]:
    """Every run of the files in the folders that are read as runs; one that two files hold counts once."""
    paths = [path for folder in folders for path in sorted(folder.rglob("*")) if _NAME.search(path.name)]
    runs = {run.run_id: run for path in paths for run in _runs(path)}
    return list(runs.values())


def deal(runs: Iterable[Run], nights: int, seed: int, first: datetime) -> list[list[Run]]:
    """The runs by day, the first at `first`. Those of one task come at equal distances, from a day that the seed decides;
    within a day the seed decides too, and each run is dated a minute after the one before."""
    by_task: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_task[run.task_id or run.run_id].append(run)
    days: list[list[Run]] = [[] for _ in range(nights)]
    for task, same in by_task.items():
        start = int(_draw(seed, task), 36) % nights
        for place, run in enumerate(sorted(same, key=lambda run: _draw(seed, run.run_id))):
            days[(start + place * nights // len(same)) % nights].append(run)
    return [list(_dated(day, first + number * DAY, seed)) for number, day in enumerate(days)]


def _dated(runs: Sequence[Run], begins: datetime, seed: int) -> Iterator[Run]:
    for minute, run in enumerate(sorted(runs, key=lambda run: _draw(seed, run.run_id))):
        at = begins + timedelta(minutes=minute)
        yield run.model_copy(update={"started_at": at, "ended_at": at})


def _draw(seed: int, name: str) -> str:
    return digest("nights", seed, name)


def _runs(path: Path) -> Iterator[Run]:
    """Nothing for a file that holds no runs, such as one of labels."""
    try:
        opening = open_source(path)
        items = recognise(opening, AUTO).adapter.read(opening)
    except BadInputError:
        return
    yield from (item for item in items if isinstance(item, Run))
