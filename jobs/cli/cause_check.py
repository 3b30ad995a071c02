"""`errata causes check`: what would be decided, of an error text, a case, a problem, or by the causes of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from attribution.causes import check_text, preview
from attribution.stages import attributor_of
from jobs.cli.attribution_view import explained
from jobs.cli.causes import app
from jobs.cli.output import count, plain, show
from jobs.cli.session import JsonOption, ProjectOption, Session, in_project
from jobs.cli.tables import facts, print_table
from jobs.files import read_text
from knowledge.cases import ERROR_CODES, Problem
from knowledge.causes import Attribution, RootCause
from knowledge.errors import BadInputError
from knowledge.kinds import CASES, PROBLEMS
from wiring.labelled import problem_of

__all__ = ["app"]

TAKEN_SHOWN = 20


@app.command("check")
def check(
    what: Annotated[
        str,
        typer.Argument(
            help="An error text; a case or a problem, by its id; a YAML file of causes (- reads it from stdin).",
            metavar="WHAT",
        ),
    ],
    code: Annotated[
        str, typer.Option("--code", help="The error code of a text that is tried.", metavar="CODE")
    ] = "tool.error",
    kind: Annotated[
        str | None,
        typer.Option("--kind", help="Its error kind; found in its words if not given.", metavar="KIND"),
    ] = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Try causes by hand; nothing is changed. Of a text, a case or a problem: its root cause, with what explains it. Of a file
    of causes: which problems of the project they would take."""
    if what == "-" or _is_file(what):
        _check_file(Path(what), project, as_json=as_json)
        return
    with in_project(project) as session:
        found = _decided(session, _asked(session, what, code, kind))
    show(as_json, plain(found), lambda console: console.print(facts(explained(found))))


def _is_file(what: str) -> bool:
    """Whether there is a file of that name; an error's text may be too long to be one."""
    try:
        return Path(what).is_file()
    except OSError:
        return False


def _asked(session: Session, what: str, code: str, kind: str | None) -> Problem:
    """The problem or the case's problem of that id; else a problem that says `what`."""
    store, project = session.errata.store, session.project
    case = store.collection(project, CASES).get(what)
    stored = store.collection(project, PROBLEMS).get(case.item.fingerprint if case else what)
    if stored is not None:
        return stored.item
    if Path(what).suffix in {".yaml", ".yml"}:
        raise BadInputError(f"{what}: no such file")
    if code not in ERROR_CODES:
        raise BadInputError(f"no error code is called {code!r}: see docs/error-codes.md")
    case_given = {"error_message": session.masked(what), "error_code": code, "error_kind": kind}
    return problem_of(case_given, "asked", "asked")


def _decided(session: Session, problem: Problem) -> Attribution:
    errata = session.errata
    attributor = attributor_of(
        session.shift(), errata.encoders_of(session.project), errata.parameters_of(session.project)
    )
    return next(iter(attributor.attribute([problem])))


def _check_file(path: Path, project: str | None, *, as_json: bool) -> None:
    causes = check_text(read_text(path), str(path))
    with in_project(project) as session:
        taken = [(cause, _taken(session, cause)) for cause in causes]
    document = [
        {"cause_id": cause.cause_id, "would_take": [plain(one) for one in found]} for cause, found in taken
    ]

    def human(console: Console) -> None:
        for cause, found in taken:
            console.print(
                f"[bold]{cause.cause_id}[/] can be kept; it would take {count(len(found), 'problem')}"
            )
            rows = [
                (one.fingerprint[:10], one.verdict, one.root_cause, _score(one), one.reason) for one in found
            ]
            if rows:
                print_table(console, ("problem", "verdict", "cause", "#score", "~why"), rows[:TAKEN_SHOWN])

    show(as_json, document, human)


def _taken(session: Session, cause: RootCause) -> list[Attribution]:
    errata = session.errata
    return preview(
        session.shift(), errata.encoders_of(session.project), errata.parameters_of(session.project), cause
    )


def _score(one: Attribution) -> str | None:
    return None if one.score is None else f"{one.score:.3f}"
