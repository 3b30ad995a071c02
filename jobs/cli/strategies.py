"""`errata strategies`: the rules in review and in force, with their evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from errata_client.regression import SUFFIX
from jobs.cli.effect_view import print_effect
from jobs.cli.lookup import find_one
from jobs.cli.output import plain, show
from jobs.cli.session import (
    JsonOption,
    ProjectOption,
    Session,
    in_project,
)
from jobs.cli.strategy_view import print_exported, print_list, print_one
from jobs.files import made_folder, write_whole
from knowledge.errors import BadInputError, NotFoundError
from knowledge.kinds import STRATEGIES
from knowledge.store import Query, Stored
from knowledge.strategies import State, Strategy
from strategies.life import LIVE
from strategies.measuring import newest_effect
from strategies.neighbours import conflicts_ahead
from strategies.regression_tests import regression_tests

app = typer.Typer(help="The strategies: rules with their evidence and their life.", no_args_is_help=True)

IdArgument = Annotated[str, typer.Argument(help="Its id, such as ST-0007.", metavar="ID")]


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
        stored = find_strategy(session, strategy_id)
        ahead = conflicts_ahead(session.shift(), stored.item)
        show(
            as_json,
            {**_shown(stored), "conflicts": [plain(one) for one in ahead]},
            lambda console: print_one(console, stored.item, ahead),
        )


@app.command("effect")
def effect(strategy_id: IdArgument, project: ProjectOption = None, as_json: JsonOption = False) -> None:
    """Show what a live strategy did: runs with its rule against runs without, as the last night measured it."""
    with in_project(project) as session:
        known = find_strategy(session, strategy_id).item.strategy_id
        found = newest_effect(session.shift(), known)
    if found is None:
        raise NotFoundError(f"{known} was not measured yet: a night measures each rule that agents have")
    show(as_json, plain(found), lambda console: print_effect(console, found))


@app.command("export-tests")
def export_tests(
    strategy_ids: Annotated[
        list[str] | None, typer.Argument(help="Their ids; all that are live if none is given.", metavar="ID…")
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The folder they are written to.", metavar="FOLDER")
    ] = Path("regressions"),
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the remedies that were accepted as regression tests, one file each; pytest runs them with errata-client."""
    with in_project(project) as session:
        tests = [
            regression_tests(session.shift(), strategy) for strategy in _accepted(session, strategy_ids or [])
        ]
    made_folder(out)
    files = {one.strategy_id: out / f"{one.strategy_id}{SUFFIX}" for one in tests}
    for one in tests:
        write_whole(files[one.strategy_id], one.model_dump_json(indent=2) + "\n")
    told = [
        {"id": one.strategy_id, "file": str(files[one.strategy_id]), "cases": len(one.cases)} for one in tests
    ]
    show(as_json, told, lambda console: print_exported(console, told))


def _accepted(session: Session, ids: list[str]) -> list[Strategy]:
    if ids:
        return [find_strategy(session, one).item for one in ids]
    query = Query(where={"state": LIVE})
    found = session.errata.store.collection(session.project, STRATEGIES).scan(query)
    return [stored.item for stored in found]


def find_strategy(session: Session, strategy_id: str) -> Stored[Strategy]:
    """The strategy whose id this is, or begins so."""
    return find_one(session, STRATEGIES, strategy_id, "strategy", "errata strategies list")


def _states(names: list[str]) -> tuple[str, ...]:
    known = get_args(State)
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise BadInputError(f"unknown state {', '.join(unknown)}: choose from {', '.join(known)}")
    return tuple(names)


def show_stored(stored: Stored[Strategy], *, as_json: bool, brief: bool = False) -> None:
    """Print it; `brief` after a change."""
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
