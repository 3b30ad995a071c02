"""`errata watch`: runs are taken as they come."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import structlog
import typer

from ingest.report import IngestReport
from ingest.service import ingest_file
from jobs.cli.output import count, print_json, say
from jobs.cli.session import JsonOption, ProjectOption, opened
from jobs.files import made_folder
from jobs.watching import Taken, Watch, memory_path
from knowledge.errors import StoreUnavailableError
from knowledge.stage import Guard
from wiring.build import Errata

logger = structlog.get_logger(__name__)
SUMS = ("runs", "calls", "cases", "new_cases")


def watch(
    folder: Annotated[Path, typer.Argument(help="The folder; those within it too.", metavar="FOLDER")],
    source: Annotated[
        str, typer.Option("--source", help="The files' shape; recognised if not given.")
    ] = "auto",
    project: ProjectOption = None,
    every: Annotated[
        float, typer.Option("--every", min=0.2, max=3600, help="Seconds between two looks.")
    ] = 2.0,
    once: Annotated[bool, typer.Option("--once", help="Take what is there now, and end.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Ingest what is in a folder and what comes into it, each run once, until a signal ends it.

    What was read is remembered across restarts. Lines of a growing file are read when they are whole.
    """
    with opened() as errata:
        chosen = project or errata.settings.project
        guard = errata.project_at_first(chosen)
        memory = memory_path(errata.settings.data_dir, folder, chosen)
        made_folder(memory.parent)
        watched = Watch(folder, memory, _ingest(errata, chosen, guard), source)
        sums: Counter[str] = Counter({"files": 0, **dict.fromkeys(SUMS, 0), "not_used": 0})
        try:
            _look_on(watched, every, sums, once=once)
        except KeyboardInterrupt:
            say("errata: stopped; what was read is remembered")
    if as_json:
        print_json({"folder": str(folder), "project": chosen, **sums})
    else:
        say(
            f"{count(sums['runs'], 'run')}, {count(sums['new_cases'], 'new case')} from {count(sums['files'], 'reading')}"
        )


def _ingest(errata: Errata, project: str, guard: Guard) -> Callable[[Path, str], IngestReport]:
    """One masker for as long as the watch lasts: making one anew for every line costs more than the line."""
    masker = errata.masker(project)
    return lambda path, source: ingest_file(path, source, errata.shift(project, guard=guard), masker)


def _look_on(watched: Watch, every: float, sums: Counter[str], *, once: bool) -> None:
    """Look again and again; a store that does not answer is asked again at the next look."""
    waiting = threading.Event()
    while True:
        try:
            found = [_told(taken, sums) for taken in watched.poll(settled=once)]
        except StoreUnavailableError as error:
            if once:
                raise
            logger.warning("store unavailable, trying again", reason=str(error))
            found = []
        if once and not found:
            return
        if not once:
            waiting.wait(every)


def _told(taken: Taken, sums: Counter[str]) -> Taken:
    sums["files"] += 1
    if taken.report is None:
        sums["not_used"] += 1
        say(f"{taken.name}: {taken.trouble}")
        return taken
    sums.update({name: getattr(taken.report, name) for name in SUMS})
    say(f"{taken.name}: {count(taken.report.runs, 'run')}, {count(taken.report.new_cases, 'new case')}")
    return taken
