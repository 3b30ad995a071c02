"""`errata strategies`: the rules in review and in force, with their evidence."""

from __future__ import annotations

from typing import Annotated, get_args

import typer

from jobs.cli.lookup import find_one
from jobs.cli.output import plain, show
from jobs.cli.rule_edit import edited
from jobs.cli.session import (
    ActorOption,
    JsonOption,
    ProjectOption,
    ReasonOption,
    Session,
    actor_name,
    in_project,
)
from jobs.cli.strategy_view import print_list, print_one
from knowledge.errors import BadInputError
from knowledge.kinds import STRATEGIES
from knowledge.store import Query, Stored
from knowledge.strategies import State, Strategy
from strategies import review

app = typer.Typer(help="The strategies: rules with their evidence and their life.", no_args_is_help=True)

IdArgument = Annotated[str, typer.Argument(help="Its id, such as ST-0007.", metavar="ID")]
VersionOption = Annotated[
    str | None,
    typer.Option("--version", help="Refuse if it is no longer this version, as `show --json` gave it."),
]


@app.command("list")
def list_strategies(
    project: ProjectOption = None,
    state: Annotated[
        list[str] | None,
        typer.Option("--state", help="Only this state, such as in_review; may be given again."),
    ] = None,
    cause: Annotated[str | None, typer.Option("--cause", help="Only of this root cause.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the strategies, by id."""
    where: dict[str, tuple[str, ...]] = {}
    if state:
        where["state"] = _states(state)
    if cause:
        where["rule.root_cause"] = (cause,)
    with in_project(project) as session:
        found = list(session.errata.store.collection(session.project, STRATEGIES).scan(Query(where=where)))
    items = [stored.item for stored in found]
    show(as_json, [_listed(stored) for stored in found], lambda console: print_list(console, items))


@app.command("show")
def show_strategy(
    strategy_id: IdArgument, project: ProjectOption = None, as_json: JsonOption = False
) -> None:
    """Show a strategy: its rule in words, its evidence with before and after, its history."""
    with in_project(project) as session:
        _show(_find(session, strategy_id), as_json=as_json)


@app.command("approve")
def approve(
    strategy_id: IdArgument,
    reason: ReasonOption,
    shadow: Annotated[bool, typer.Option("--shadow", help="Only watch what it would do, at first.")] = False,
    acknowledge: Annotated[
        list[str] | None,
        typer.Option("--acknowledge", help="A flag of its evidence, such as tainted, that was looked into."),
    ] = None,
    project: ProjectOption = None,
    actor: ActorOption = None,
    version: VersionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Approve a strategy: agents apply its rule from the next revision of the bundle on."""
    with in_project(project) as session:
        known = _find(session, strategy_id).item.strategy_id
        changed = review.approve(
            session.shift(),
            known,
            actor_name(actor),
            reason,
            version=version,
            shadow=shadow,
            acknowledge=acknowledge or (),
        )
        _show(changed, as_json=as_json, brief=True)


@app.command("reject")
def reject(
    strategy_id: IdArgument,
    reason: ReasonOption,
    project: ProjectOption = None,
    actor: ActorOption = None,
    version: VersionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Reject a strategy: the idea is remembered and not proposed again."""
    with in_project(project) as session:
        known = _find(session, strategy_id).item.strategy_id
        changed = review.reject(session.shift(), known, actor_name(actor), reason, version=version)
        _show(changed, as_json=as_json, brief=True)


@app.command("activate")
def activate(
    strategy_id: IdArgument,
    reason: ReasonOption,
    project: ProjectOption = None,
    actor: ActorOption = None,
    version: VersionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Activate a strategy that was in shadow: from now on it changes calls."""
    with in_project(project) as session:
        known = _find(session, strategy_id).item.strategy_id
        changed = review.activate(session.shift(), known, actor_name(actor), reason, version=version)
        _show(changed, as_json=as_json, brief=True)


@app.command("retire")
def retire(
    strategy_id: IdArgument,
    reason: ReasonOption,
    project: ProjectOption = None,
    actor: ActorOption = None,
    version: VersionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Retire a strategy: its rule leaves the bundle."""
    with in_project(project) as session:
        known = _find(session, strategy_id).item.strategy_id
        changed = review.retire(session.shift(), known, actor_name(actor), reason, version=version)
        _show(changed, as_json=as_json, brief=True)


@app.command("edit")
def edit(
    strategy_id: IdArgument,
    reason: ReasonOption,
    rule: Annotated[
        str | None,
        typer.Option("--rule", metavar="FILE", help="The whole rule as JSON or YAML; - reads stdin."),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="One field, such as trigger.pattern='^a$'; may be given again.",
        ),
    ] = None,
    project: ProjectOption = None,
    actor: ActorOption = None,
    version: VersionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change a strategy's rule. Its evidence is of the old rule until the next night tests the new one."""
    with in_project(project) as session:
        found = _find(session, strategy_id)
        wanted = edited(found.item.rule, rule, changes or [])
        known = found.item.strategy_id
        seen = version or found.version
        changed = review.edit(session.shift(), known, wanted, actor_name(actor), reason, version=seen)
        _show(changed, as_json=as_json, brief=True)


def _find(session: Session, strategy_id: str) -> Stored[Strategy]:
    return find_one(session, STRATEGIES, strategy_id, "strategy", "errata strategies list")


def _states(names: list[str]) -> tuple[str, ...]:
    known = get_args(State)
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise BadInputError(f"unknown state {', '.join(unknown)}: choose from {', '.join(known)}")
    return tuple(names)


def _show(stored: Stored[Strategy], *, as_json: bool, brief: bool = False) -> None:
    show(as_json, _shown(stored), lambda console: print_one(console, stored.item, brief=brief))


def _listed(stored: Stored[Strategy]) -> dict[str, object]:
    """id, state, rule and evidence, without the evidence's rows; and what else there is."""
    fields = plain(stored.item)
    assert isinstance(fields, dict)
    evidence = {name: value for name, value in fields["evidence"].items() if name != "rows"}
    kept = {name: fields[name] for name in ("state", "rule")}
    return {
        "id": stored.item.strategy_id,
        **kept,
        "evidence": evidence,
        "synthesiser": stored.item.synthesiser,
        "draft_key": stored.item.draft_key,
    }


def _shown(stored: Stored[Strategy]) -> dict[str, object]:
    fields = plain(stored.item)
    assert isinstance(fields, dict)
    return {
        **_listed(stored),
        "rows": fields["evidence"]["rows"],
        "history": fields["history"],
        "version": stored.version,
    }
