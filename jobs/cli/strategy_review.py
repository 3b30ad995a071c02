"""`errata strategies approve|reject|…`: what an engineer does with a strategy, each with a reason."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Annotated

import typer

from jobs.cli.rule_edit import edited
from jobs.cli.session import ActorOption, JsonOption, ProjectOption, ReasonOption, actor_name, in_project
from jobs.cli.strategies import IdArgument, app, find_strategy, show_stored
from knowledge.errors import BadInputError
from knowledge.store import Stored
from knowledge.strategies import Strategy
from strategies import review

__all__ = ["app"]

VersionOption = Annotated[
    str | None,
    typer.Option("--version", help="Refuse if it is no longer this version, as `show --json` gave it."),
]


@app.command("approve")
def approve(
    strategy_id: IdArgument,
    reason: ReasonOption,
    shadow: Annotated[bool, typer.Option("--shadow", help="Only watch what it would do, at first.")] = False,
    share: Annotated[
        float, typer.Option("--share", help="The share of runs that get it at first: 0.1 is one in ten.")
    ] = 1.0,
    supersedes: Annotated[
        str | None,
        typer.Option("--supersedes", metavar="ID", help="The live strategy that retires in its favour."),
    ] = None,
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
        known = find_strategy(session, strategy_id).item.strategy_id
        changed = review.approve(
            session.shift(),
            known,
            actor_name(actor),
            session.masked(reason),
            version=version,
            shadow=shadow,
            acknowledge=acknowledge or (),
            share=share,
            supersedes=find_strategy(session, supersedes).item.strategy_id if supersedes else None,
        )
        show_stored(changed, as_json=as_json, brief=True)


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
    _decided(review.reject, strategy_id, reason, project, actor, version, as_json=as_json)


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
    _decided(review.activate, strategy_id, reason, project, actor, version, as_json=as_json)


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
    _decided(review.retire, strategy_id, reason, project, actor, version, as_json=as_json)


@app.command("rollback")
def rollback(
    strategy_id: IdArgument,
    reason: ReasonOption,
    project: ProjectOption = None,
    actor: ActorOption = None,
    version: VersionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Roll a live strategy back: its rule leaves the bundle, and the idea is not drafted again."""
    _decided(review.rollback, strategy_id, reason, project, actor, version, as_json=as_json)


@app.command("extend")
def extend(
    strategy_id: IdArgument,
    reason: ReasonOption,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="DATE", help="The last day, as 2027-03-31; else 90 days on."),
    ] = None,
    project: ProjectOption = None,
    actor: ActorOption = None,
    version: VersionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let a live strategy go on beyond its valid_until."""
    _decided(
        partial(review.extend, until=_day(until)),
        strategy_id,
        reason,
        project,
        actor,
        version,
        as_json=as_json,
    )


@app.command("share")
def share(
    strategy_id: IdArgument,
    share: Annotated[
        float, typer.Argument(help="The share of runs, above 0 and at most 1.", metavar="SHARE")
    ],
    reason: ReasonOption,
    project: ProjectOption = None,
    actor: ActorOption = None,
    version: VersionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give a live strategy to this share of runs: from a canary to all of them."""
    _decided(
        partial(review.give_share, share=share), strategy_id, reason, project, actor, version, as_json=as_json
    )


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
        found = find_strategy(session, strategy_id)
        wanted = edited(found.item.rule, rule, changes or [])
        known = found.item.strategy_id
        seen = version or found.version
        changed = review.edit(
            session.shift(), known, wanted, actor_name(actor), session.masked(reason), version=seen
        )
        show_stored(changed, as_json=as_json, brief=True)


def _decided(
    decide: Callable[..., Stored[Strategy]],
    strategy_id: str,
    reason: str,
    project: str | None,
    actor: str | None,
    version: str | None,
    *,
    as_json: bool,
) -> None:
    """Take one of the steps of `strategies.review`, and print what the strategy is then."""
    with in_project(project) as session:
        known = find_strategy(session, strategy_id).item.strategy_id
        who, why = actor_name(actor), session.masked(reason)
        changed = decide(session.shift(), known, actor=who, reason=why, version=version)
        show_stored(changed, as_json=as_json, brief=True)


def _day(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError as error:
        raise BadInputError(f"--until {text!r}: write a day as 2027-03-31") from error
