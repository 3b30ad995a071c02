"""`errata projects`: the borders of everything."""

from __future__ import annotations

from typing import Annotated

import typer

from jobs.cli.output import show
from jobs.cli.session import JsonOption, opened
from jobs.cli.tables import print_table

app = typer.Typer(help="The projects: each keeps its own cases, causes and rules.", no_args_is_help=True)


@app.command("list")
def list_projects(as_json: JsonOption = False) -> None:
    """List the projects."""
    with opened() as errata:
        projects = errata.projects()
    rows = [(item.project_id, item.created_at, f"{item.holdout:.0%}") for item in projects]
    show(as_json, projects, lambda console: print_table(console, ("project", "created", "#holdout"), rows))


@app.command("create")
def create_project(
    project: Annotated[str, typer.Argument(help="1 to 64 of a-z, 0-9, _ and -.", metavar="PROJECT")],
    as_json: JsonOption = False,
) -> None:
    """Make a project; one that exists stays as it is."""
    with opened() as errata:
        made = errata.ensure_project(project)
    show(as_json, made, lambda console: console.print(f"Project {made.project_id} is there."))
