"""`errata causes merge|split`: root causes made one, and made two."""

from __future__ import annotations

from typing import Annotated

import typer

from attribution.reshaping import merge_causes, split_cause
from jobs.cli.cause_check import app
from jobs.cli.causes import print_cause
from jobs.cli.lookup import find_one
from jobs.cli.output import plain, show
from jobs.cli.session import ActorOption, JsonOption, ProjectOption, ReasonOption, actor_name, in_project
from knowledge.kinds import PROBLEMS

__all__ = ["app"]

CauseArgument = Annotated[str, typer.Argument(help="Its id, such as RC-042.", metavar="CAUSE")]


@app.command("merge")
def merge(
    cause_id: CauseArgument,
    into: Annotated[str, typer.Option("--into", help="The cause that takes over.", metavar="CAUSE")],
    reason: ReasonOption,
    project: ProjectOption = None,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give a cause's exemplars and confirmed problems to another; it is kept for the record, switched off."""
    with in_project(project) as session:
        took = merge_causes(session.shift(), cause_id, into, actor_name(actor), session.masked(reason))
    show(as_json, plain(took), lambda console: print_cause(console, took))


@app.command("split")
def split(
    cause_id: CauseArgument,
    problems: Annotated[
        list[str], typer.Option("--problem", help="A problem that the new cause is for; may be given again.")
    ],
    name: Annotated[str, typer.Option("--name", help="The name of the new cause.")],
    reason: ReasonOption,
    project: ProjectOption = None,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a new cause of some problems of a cause; they are its own from then on."""
    with in_project(project) as session:
        known = [
            find_one(session, PROBLEMS, one, "problem", "errata problems list").item.fingerprint
            for one in problems
        ]
        made = split_cause(session.shift(), cause_id, known, name, actor_name(actor), session.masked(reason))
    show(as_json, plain(made), lambda console: print_cause(console, made))
