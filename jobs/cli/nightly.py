"""`errata nightly`: the night, now."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Annotated

import typer
from rich.console import Console

from jobs.cli.exit_codes import EXIT_CODES, FAILED
from jobs.cli.output import count, say, show
from jobs.cli.progress import NightBars
from jobs.cli.session import JsonOption, opened
from jobs.night import NightReport
from jobs.nightly import run_night
from knowledge.errors import BadInputError, ConflictError, ErrataError, NotFoundError
from wiring.build import Errata

Trouble = tuple[str, ErrataError]


def nightly(
    project: Annotated[
        str | None,
        typer.Option("--project", "-p", help="One project; all of them if not given.", metavar="P"),
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            metavar="DATE",
            help="The night's date or time (ISO 8601, UTC unless it says); now if not given.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run the night: problems grouped, attributed and clustered, rules drafted, tested and filed.

    A night that was cut short is resumed. Exit code 1 if a stage failed, 5 if another works on the project.
    """
    moment = parse_as_of(as_of) if as_of else None
    with opened() as errata:
        reports, troubles = _one(errata, project, moment) if project else _each(errata, moment)
    nights = [night_document(report) for report in reports]
    errors = [{"project": name, "error": {"code": e.code, "message": str(e)}} for name, e in troubles]
    show(
        as_json,
        nights[0] if project else {"nights": nights + errors},
        lambda console: _print(console, reports),
    )
    if troubles:
        raise typer.Exit(EXIT_CODES[troubles[0][1].code])
    if any(report.status == "failed" for report in reports):
        raise typer.Exit(FAILED)


def _one(errata: Errata, project: str, as_of: datetime | None) -> tuple[list[NightReport], list[Trouble]]:
    return [_watched(errata, project, as_of)], []


def _each(errata: Errata, as_of: datetime | None) -> tuple[list[NightReport], list[Trouble]]:
    """The nights of all projects: trouble in one does not keep the others from theirs."""
    reports: list[NightReport] = []
    troubles: list[Trouble] = []
    for name in _all(errata):
        try:
            reports.append(_watched(errata, name, as_of))
        except (ConflictError, NotFoundError, BadInputError) as error:
            say(f"errata: {error}")
            troubles.append((name, error))
    return reports, troubles


def _all(errata: Errata) -> list[str]:
    names = [project.project_id for project in errata.projects()]
    if not names:
        raise NotFoundError("no project yet: `errata ingest FILE --project P` makes one")
    return names


def _watched(errata: Errata, project: str, as_of: datetime | None) -> NightReport:
    errata.require_project(project)
    with NightBars(project) as bars:
        return run_night(errata, project, as_of, bars)


def parse_as_of(text: str) -> datetime:
    """A moment in UTC; a date alone is its last second. BadInputError for anything else."""
    try:
        if len(text) == len("2026-01-31"):
            return datetime.combine(date.fromisoformat(text), time(23, 59, 59), UTC)
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise BadInputError(
            f"--as-of {text!r} is no date: write 2026-01-31 or 2026-01-31T02:00:00+00:00"
        ) from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def night_document(report: NightReport) -> dict[str, object]:
    """The report as JSON, a stage without the fields of its record that say nothing here."""
    fields = report.model_dump(mode="json")
    stages = [
        {
            "stage": stage.stage,
            "status": stage.status,
            "counts": stage.counts,
            "skipped": list(stage.skipped),
            **({"error": stage.error} if stage.error else {}),
        }
        for stage in report.stages
    ]
    return {**fields, "stages": stages}


def _print(console: Console, reports: list[NightReport]) -> None:
    for report in reports:
        console.print()
        known = report.attributed
        resumed = " (resumed)" if report.resumed else ""
        console.print(
            f"[bold]{report.project}[/] as of {report.as_of:%Y-%m-%d %H:%M} UTC{resumed}: {report.status}"
        )
        console.print(
            f"{count(sum(known.values()), 'problem')} in all: {known['matched']:,} matched, "
            f"{known['abstained']:,} for a person to decide, {known['unmatched']:,} of no known cause"
        )
        console.print(f"{count(report.drafted, 'rule')} drafted tonight")
        if report.drafted:
            console.print(
                f"→ errata strategies list --project {report.project} --state in_review", style="dim"
            )
