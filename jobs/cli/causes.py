"""`errata causes`: the root causes, as people keep them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
import yaml
from rich.console import Console

from attribution.causes import add_cause, check_text, export_causes, import_causes
from jobs.cli.lookup import find_one
from jobs.cli.output import plain, say, show
from jobs.cli.session import (
    ActorOption,
    JsonOption,
    ProjectOption,
    ReasonOption,
    actor_name,
    in_project,
)
from jobs.cli.tables import cell, facts, print_table
from jobs.files import read_text, write_whole
from knowledge.causes import RootCause
from knowledge.errors import BadInputError
from knowledge.kinds import ATTRIBUTIONS, ROOT_CAUSES
from knowledge.store import Query, Tally

app = typer.Typer(help="The root causes: audited templates that explain problems.", no_args_is_help=True)

EXEMPLARS_SHOWN = 8
FileArgument = Annotated[Path, typer.Argument(help="YAML: a list of causes; - reads stdin.", metavar="FILE")]


@app.command("list")
def list_causes(project: ProjectOption = None, as_json: JsonOption = False) -> None:
    """List the root causes, with how many problems each explains."""
    with in_project(project) as session:
        store = session.errata.store
        causes = [stored.item for stored in store.collection(session.project, ROOT_CAUSES).scan(Query())]
        matched = Query(where={"verdict": "matched"})
        explained = _by_cause(store.collection(session.project, ATTRIBUTIONS).tally(matched, "root_cause"))
    rows = [
        (
            c.cause_id,
            f"{explained.get(c.cause_id, 0):,}",
            ", ".join(c.error_codes),
            "" if c.enabled else "off",
            c.name,
        )
        for c in causes
    ]
    documents = [{**_document(cause), "problems": explained.get(cause.cause_id, 0)} for cause in causes]
    columns = ("cause", "#problems", "covers", "state", "~name")
    show(as_json, documents, lambda console: print_table(console, columns, rows))


@app.command("show")
def show_cause(
    cause_id: Annotated[str, typer.Argument(help="Its id, such as RC-042.", metavar="ID")],
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a root cause: what it says, what it covers, and how it shows."""
    with in_project(project) as session:
        found = find_one(session, ROOT_CAUSES, cause_id, "root cause", "errata causes list")
    document = {**_document(found.item), "version": found.version}
    show(as_json, document, lambda console: print_cause(console, found.item))


@app.command("add")
def add(
    file: FileArgument,
    reason: ReasonOption,
    project: ProjectOption = None,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add the causes of a file; one whose id is taken is refused. They are asked from the next night on."""
    causes = check_text(read_text(file), str(file))
    with in_project(project) as session:
        added = [
            add_cause(session.shift(), cause, actor_name(actor), session.masked(reason)) for cause in causes
        ]
    told = ", ".join(cause.cause_id for cause in added)
    show(
        as_json, [_document(cause) for cause in added], lambda console: console.print(cell(f"Added: {told}"))
    )


@app.command("export")
def export(
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write to this file; stdout if not given.", metavar="FILE"),
    ] = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write all root causes as YAML that `errata causes import` reads back."""
    with in_project(project) as session:
        text = export_causes(session.shift())
    if out is not None:
        write_whole(out, text)
        say(f"Root causes written to {out}")
    if as_json:
        show(True, {"file": str(out)} if out else yaml.safe_load(text), lambda _: None)
    elif out is None:
        typer.echo(text, nl=False)


@app.command("import")
def import_(
    file: FileArgument,
    reason: ReasonOption,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace causes that are there already.")
    ] = False,
    project: ProjectOption = None,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import causes from YAML; those that are there already stay as they are, unless they are to be replaced."""
    text = read_text(file)
    with in_project(project) as session:
        who = actor_name(actor)
        report = import_causes(
            session.shift(), text, who, session.masked(reason), replace=replace, source=str(file)
        )
    if report.refused:
        raise BadInputError("; ".join(f"{one.key}: {one.reason}" for one in report.refused))
    became = {
        status: sum(one.status == status for one in report.results)
        for status in ("created", "replaced", "exists")
    }
    told = f"{became['created']} added, {became['replaced']} replaced, {became['exists']} were there already"
    show(as_json, became, lambda console: console.print(told))


def print_cause(console: Console, cause: RootCause) -> None:
    """The cause, in both languages where it has both."""
    console.print(
        facts(
            [
                ("cause", cause.cause_id if cause.enabled else f"{cause.cause_id}, switched off"),
                ("name", " / ".join(name for name in (cause.name, cause.name_zh) if name)),
                ("says", cause.statement),
                ("", cause.statement_zh),
                ("covers", ", ".join((*cause.error_codes, *cause.error_kinds))),
                ("only tools", ", ".join(cause.tools)),
                ("threshold", cause.threshold),
                ("playbook", cause.playbook),
                ("", cause.playbook_zh),
                ("made by", cause.created_by),
            ]
        )
    )
    rows = [
        (one.error_pattern, one.user_intent, one.step_context) for one in cause.exemplars[:EXEMPLARS_SHOWN]
    ]
    console.print()
    print_table(console, ("~shows as", "~intent", "~context"), rows)
    if len(cause.exemplars) > EXEMPLARS_SHOWN:
        console.print(
            f"… and {len(cause.exemplars) - EXEMPLARS_SHOWN} more; --json shows them all", style="dim"
        )


def _by_cause(tallies: Sequence[Tally]) -> dict[str, int]:
    return {tally.value: tally.count for tally in tallies if tally.value is not None}


def _document(cause: RootCause) -> dict[str, object]:
    fields = plain(cause)
    assert isinstance(fields, dict)
    return fields
