"""What every command needs: the options they share, and the service opened for one project."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import typer

from knowledge.stage import Progress, Shift, silent
from wiring.build import Errata, build
from wiring.logs import configure_logs
from wiring.settings import Settings, load_settings

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
ProjectOption = Annotated[
    str | None, typer.Option("--project", "-p", help="The project; ERRATA_PROJECT if not given.", metavar="P")
]
ActorOption = Annotated[
    str | None, typer.Option("--actor", help="Who decides; the user of this machine if not given.")
]
ReasonOption = Annotated[str, typer.Option("--reason", "-m", help="Why; kept in the history.")]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="How many, at most.")]


@dataclass(frozen=True)
class Session:
    """The service, and the project that the command is about."""

    errata: Errata
    project: str

    def shift(self, progress: Progress = silent) -> Shift:
        """A shift that works now."""
        return self.errata.shift(self.project, progress=progress)

    def masked(self, text: str) -> str:
        """What a person wrote about the project, masked before it is kept."""
        return self.errata.masker(self.project).authored(text)


def loaded() -> Settings:
    """The settings, with the log set up. A command tells what it did itself: its log is for warnings, unless asked."""
    settings = load_settings()
    asked = "log_level" in settings.model_fields_set
    configure_logs(settings if asked else settings.model_copy(update={"log_level": "warning"}))
    return settings


@contextmanager
def opened() -> Iterator[Errata]:
    """The service, closed again afterwards."""
    settings = loaded()
    errata = build(settings)
    try:
        yield errata
    finally:
        errata.close()


@contextmanager
def in_project(project: str | None) -> Iterator[Session]:
    """The service and a project that exists; NotFoundError where it does not."""
    with opened() as errata:
        chosen = project or errata.settings.project
        errata.require_project(chosen)
        yield Session(errata, chosen)


def actor_name(actor: str | None) -> str:
    """The actor given, else the user of this machine."""
    if actor and actor.strip():
        return actor.strip()
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
