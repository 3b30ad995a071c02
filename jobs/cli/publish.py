"""`errata publish`: the targets that drafts go to, and what became of it."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from jobs.cli.output import plain, show
from jobs.cli.session import JsonOption, ProjectOption, Session, in_project
from jobs.cli.tables import print_table
from knowledge.deliveries import Delivery
from knowledge.errors import BadInputError
from knowledge.kinds import DELIVERIES
from knowledge.store import Query
from strategies.publish.port import Publisher, PublishError
from strategies.publish.stages import announce, settle

app = typer.Typer(help="Drafts to Slack, GitLab or a folder, and decisions back.", no_args_is_help=True)
HOW = "set ERRATA_SLACK_WEBHOOK, ERRATA_GITLAB_TOKEN or ERRATA_PUBLISH_FOLDER (docs/publishing.md)"


@app.command("test")
def try_targets(
    target: Annotated[
        str | None, typer.Argument(help="slack, gitlab or folder; all that are set up if not given.")
    ] = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Try each target: a test message to Slack, a look at GitLab's project, a file in the folder. Exit code 1 if any fails."""
    with in_project(project) as session:
        told = [_tried(publisher) for publisher in _publishers(session, target)]
    show(as_json, told, lambda console: _print_tried(console, told))
    if any(one["error"] for one in told):
        raise typer.Exit(1)


@app.command("list")
def list_deliveries(project: ProjectOption = None, as_json: JsonOption = False) -> None:
    """List what was sent where, the newest first, with the errors of what failed."""
    with in_project(project) as session:
        query = Query(sort="at", descending=True)
        found = session.errata.store.collection(session.project, DELIVERIES).scan(query)
        items = [stored.item for stored in found]
    show(as_json, [plain(item) for item in items], lambda console: _print_list(console, items))


@app.command("sync")
def sync(project: ProjectOption = None, as_json: JsonOption = False) -> None:
    """Do what people decided at the targets, then send what waits; what the night and the service do by themselves."""
    with in_project(project) as session:
        publishers = _publishers(session, None)
        settled = settle(session.shift(), publishers)
        announced = announce(session.shift(), publishers, session.errata.settings.public_url)
    told = {**settled.counts, **announced.counts, "skipped": [*settled.skipped, *announced.skipped]}
    show(as_json, told, lambda console: _print_synced(console, told))


def _publishers(session: Session, target: str | None) -> list[Publisher]:
    publishers = session.errata.publishers
    if not publishers:
        raise BadInputError(f"no target is set up: {HOW}")
    chosen = [publisher for publisher in publishers if target in {None, publisher.name}]
    if not chosen:
        names = ", ".join(publisher.name for publisher in publishers)
        raise BadInputError(f"no target {target!r} is set up, only {names}: {HOW}")
    return chosen


def _tried(publisher: Publisher) -> dict[str, str | None]:
    try:
        sent = publisher.test()
    except PublishError as error:
        return {"target": publisher.name, "error": str(error), "reference": None}
    return {"target": publisher.name, "error": None, "reference": sent.reference}


def _print_tried(console: Console, told: list[dict[str, str | None]]) -> None:
    rows = [(one["target"], one["error"] or f"works {one['reference'] or ''}".strip()) for one in told]
    print_table(console, ("target", "~"), rows)


def _print_list(console: Console, items: list[Delivery]) -> None:
    if not items:
        console.print("Nothing was sent anywhere yet.")
        return
    rows = [
        (
            item.at,
            item.target,
            item.state,
            ", ".join(sorted(item.strategies)),
            item.attempts,
            item.error or item.url,
        )
        for item in items
    ]
    print_table(
        console, ("when (UTC)", "target", "state", "~strategies", "#tries", "~error or address"), rows
    )


def _print_synced(console: Console, told: dict[str, object]) -> None:
    counts = ", ".join(f"{value} {name}" for name, value in told.items() if isinstance(value, int))
    console.print(counts)
    skipped = told["skipped"]
    assert isinstance(skipped, list)
    for one in skipped:
        console.print(f"{one.get('target')} {one.get('strategy', '')}: {one.get('reason')}", markup=False)
