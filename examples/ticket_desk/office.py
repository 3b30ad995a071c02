"""The service that the desk reports to: Errata, built as `errata` itself builds it, in a folder of its own."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from api.app import create_app
from errata_client.run import Run
from examples.ticket_desk.calendar import Calendar
from ingest.service import IngestReport, ingest_file
from jobs.cli.serve import bind
from jobs.night import NightReport
from jobs.nightly import run_night
from knowledge.errors import BadInputError
from wiring.build import Errata, build
from wiring.logs import configure_logs
from wiring.settings import load_settings
from wiring.tokens import create_token

PROJECT = "ticket-desk"
MARK = "made-by-the-ticket-desk"
START_SECONDS = 20.0


def cleared(folder: Path) -> Path:
    """An empty folder. What the demo made there before is removed; BadInputError where others have files."""
    if folder.exists() and any(folder.iterdir()):
        if not (folder / MARK).exists():
            raise BadInputError(
                f"{folder} holds files that the demo did not make: name another with --folder"
            )
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).touch()
    return folder


@contextmanager
def office(folder: Path, calendar: Calendar, encoders: str) -> Iterator[Errata]:
    """Errata over SQLite in `folder`, with the demo's clock and project."""
    settings = load_settings(
        data_dir=folder, store_url="sqlite:///errata.db", encoders=encoders, log_level="error"
    )
    configure_logs(settings)
    errata = build(settings, clock=calendar)
    try:
        errata.ensure_project(PROJECT)
        yield errata
    finally:
        errata.close()


def hand_in(errata: Errata, runs: Sequence[Run], path: Path) -> IngestReport:
    """Write the runs as JSON lines, the native format, and ingest that file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [run.model_dump_json(exclude_none=True) for run in runs]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ingest_file(path, "auto", errata.shift(PROJECT), errata.masker(PROJECT))


def night(errata: Errata) -> NightReport:
    """Run the project's night, now."""
    return run_night(errata, PROJECT)


def token(errata: Errata, name: str, *scopes: str) -> str:
    """A bearer token for the project."""
    return create_token(errata, name, scopes, [PROJECT])[0]


@contextmanager
def served(errata: Errata) -> Iterator[str]:
    """The HTTP service on a free loopback port, in a thread; its URL."""
    ready = threading.Event()
    with bind("127.0.0.1", 0) as listener:
        config = uvicorn.Config(create_app(errata), log_config=None, access_log=False, lifespan="on")
        server = _Announcing(config, ready)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        if not ready.wait(START_SECONDS):
            raise BadInputError(f"the service did not start within {START_SECONDS:.0f} s")
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(START_SECONDS)


class _Announcing(uvicorn.Server):
    """A server that says when it is up."""

    def __init__(self, config: uvicorn.Config, ready: threading.Event) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[object] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets)  # type: ignore[arg-type]
        self._ready.set()
