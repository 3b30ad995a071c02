"""`errata problems confirm|reject|…`: what an engineer says of a problem, each for good and with a reason."""

from __future__ import annotations

from typing import Annotated

import typer

from attribution.corrections import Answer, record_label
from ingest.problem_states import change_status
from jobs.cli.lookup import find_one
from jobs.cli.output import plain, show
from jobs.cli.problems import app
from jobs.cli.session import ActorOption, JsonOption, ProjectOption, ReasonOption, actor_name, in_project
from knowledge.cases import ProblemStatus
from knowledge.kinds import PROBLEMS

__all__ = ["app"]

ProblemArgument = Annotated[
    str, typer.Argument(help="Its fingerprint, or the start of it.", metavar="PROBLEM")
]


@app.command("confirm")
def confirm(
    problem: ProblemArgument,
    reason: ReasonOption,
    cause: Annotated[
        str | None, typer.Option("--cause", help="The root cause; the one it is attributed to if not given.")
    ] = None,
    project: ProjectOption = None,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Confirm a problem's root cause: it stays so, and the cause learns from its wording."""
    _answered("confirm", problem, cause, reason, project, actor, as_json=as_json)


@app.command("reject")
def reject(
    problem: ProblemArgument,
    reason: ReasonOption,
    cause: Annotated[
        str | None, typer.Option("--cause", help="The wrong one; the one it is attributed to if not given.")
    ] = None,
    project: ProjectOption = None,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that a root cause is wrong for a problem: the pair never matches again, nor does a nearly equal text."""
    _answered("reject", problem, cause, reason, project, actor, as_json=as_json)


@app.command("reassign")
def reassign(
    problem: ProblemArgument,
    reason: ReasonOption,
    cause: Annotated[
        str | None, typer.Option("--cause", help="The right root cause; left out: no template fits.")
    ] = None,
    project: ProjectOption = None,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give a problem its right root cause, or none; the one it had is rejected."""
    _answered("reassign", problem, cause, reason, project, actor, as_json=as_json)


@app.command("resolve")
def resolve(
    problem: ProblemArgument,
    reason: ReasonOption,
    version: Annotated[
        str | None,
        typer.Option(
            "--in-version", help="The agent version with the remedy: cases of older ones do not reopen it."
        ),
    ] = None,
    project: ProjectOption = None,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that a problem is solved; a later case makes it a regression."""
    _changed("resolved", problem, reason, project, actor, version, as_json=as_json)


@app.command("archive")
def archive(
    problem: ProblemArgument,
    reason: ReasonOption,
    project: ProjectOption = None,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put a problem away: it stays so whatever comes."""
    _changed("archived", problem, reason, project, actor, None, as_json=as_json)


@app.command("reopen")
def reopen(
    problem: ProblemArgument,
    reason: ReasonOption,
    project: ProjectOption = None,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a resolved or archived problem unresolved again."""
    _changed("unresolved", problem, reason, project, actor, None, as_json=as_json)


def _answered(
    answer: Answer,
    problem: str,
    cause: str | None,
    reason: str,
    project: str | None,
    actor: str | None,
    *,
    as_json: bool,
) -> None:
    with in_project(project) as session:
        known = find_one(session, PROBLEMS, problem, "problem", "errata problems list").item.fingerprint
        label = record_label(session.shift(), known, answer, cause, actor_name(actor), session.masked(reason))
    told = f"{known[:10]}: {answer} {label.root_cause or 'no template fits'}; the next night decides by it"
    show(as_json, plain(label), lambda console: console.print(told, markup=False))


def _changed(
    status: ProblemStatus,
    problem: str,
    reason: str,
    project: str | None,
    actor: str | None,
    version: str | None,
    *,
    as_json: bool,
) -> None:
    with in_project(project) as session:
        known = find_one(session, PROBLEMS, problem, "problem", "errata problems list").item.fingerprint
        stored = change_status(
            session.shift(), known, status, actor_name(actor), session.masked(reason), version
        )
    told = f"{known[:10]} is {status}"
    show(as_json, plain(stored.item), lambda console: console.print(told, markup=False))
