"""`errata orders`: proposed root causes, drafted from problems that none explains."""

from __future__ import annotations

from typing import Annotated, Literal

import typer
from rich.console import Console

from attribution.order_preview import OrderPreview
from attribution.orders import approve_order, merge_order, reject_order
from jobs.cli.causes import print_cause
from jobs.cli.lookup import find_one
from jobs.cli.order_preview import previewed, print_preview
from jobs.cli.output import count, plain, show
from jobs.cli.session import (
    ActorOption,
    JsonOption,
    ProjectOption,
    ReasonOption,
    Session,
    actor_name,
    in_project,
)
from jobs.cli.tables import facts, print_table
from knowledge.causes import RootCause, WorkOrder
from knowledge.kinds import WORK_ORDERS
from knowledge.store import Query, Stored

app = typer.Typer(help="The work orders: root causes that are proposed.", no_args_is_help=True)

IdArgument = Annotated[str, typer.Argument(help="Its id, or the start of it.", metavar="ORDER")]
VersionOption = Annotated[
    str | None,
    typer.Option("--version", help="Refuse if it is no longer this version, as `show --json` gave it."),
]


@app.command("list")
def list_orders(
    state: Annotated[
        Literal["open", "approved", "merged", "rejected", "all"], typer.Option("--state", help="Which ones.")
    ] = "open",
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the work orders, those with the most cases first."""
    where = {} if state == "all" else {"state": state}
    with in_project(project) as session:
        query = Query(where=where, sort="cases", descending=True)
        orders = [s.item for s in session.errata.store.collection(session.project, WORK_ORDERS).scan(query)]
    rows = [
        (
            o.order_id,
            o.state,
            f"{o.cases:,}",
            f"{len(o.fingerprints):,}",
            o.last_seen,
            o.draft.name,
            ", ".join(o.key_terms),
        )
        for o in orders
    ]
    columns = ("order", "state", "#cases", "#problems", "last seen", "~proposed cause", "~key terms")
    show(
        as_json,
        orders,
        lambda console: print_table(console, columns, rows, "No work order like that."),
    )


@app.command("show")
def show_order(order_id: IdArgument, project: ProjectOption = None, as_json: JsonOption = False) -> None:
    """Show a work order: what it would take if it were approved, and the cause that it proposes."""
    with in_project(project) as session:
        found = _find(session, order_id)
        taken = previewed(session, found.item) if found.item.state == "open" else None
    fields = plain(found.item)
    assert isinstance(fields, dict)
    document = {**fields, "version": found.version, "preview": taken}
    show(as_json, document, lambda console: _print(console, found.item, taken))


@app.command("preview")
def preview(order_id: IdArgument, project: ProjectOption = None, as_json: JsonOption = False) -> None:
    """Say what the proposed cause would take from recent problems and from other causes; nothing is changed."""
    with in_project(project) as session:
        taken = previewed(session, _find(session, order_id).item)
    show(as_json, taken, lambda console: print_preview(console, taken))


@app.command("approve")
def approve(
    order_id: IdArgument,
    reason: ReasonOption,
    project: ProjectOption = None,
    actor: ActorOption = None,
    version: VersionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make the proposed cause a root cause, and confirm the order's problems for it. What it takes is told first."""
    with in_project(project) as session:
        found = _find(session, order_id).item
        taken = previewed(session, found) if found.state == "open" else None
        cause = approve_order(
            session.shift(), found.order_id, actor_name(actor), session.masked(reason), version=version
        )
    _decided(found.order_id, "approved", cause, taken, as_json=as_json)


@app.command("merge")
def merge(
    order_id: IdArgument,
    into: Annotated[str, typer.Option("--into", help="The root cause that it belongs to.", metavar="CAUSE")],
    reason: ReasonOption,
    project: ProjectOption = None,
    actor: ActorOption = None,
    version: VersionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give the order's exemplars and problems to a root cause that is there."""
    with in_project(project) as session:
        known = _find(session, order_id).item.order_id
        cause = merge_order(
            session.shift(), known, into, actor_name(actor), session.masked(reason), version=version
        )
    _decided(known, "merged", cause, as_json=as_json)


@app.command("reject")
def reject(
    order_id: IdArgument,
    reason: ReasonOption,
    project: ProjectOption = None,
    actor: ActorOption = None,
    version: VersionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that it is no root cause; nothing like it is proposed again."""
    with in_project(project) as session:
        known = _find(session, order_id).item.order_id
        reject_order(session.shift(), known, actor_name(actor), session.masked(reason), version=version)
    _decided(known, "rejected", None, as_json=as_json)


def _find(session: Session, order_id: str) -> Stored[WorkOrder]:
    return find_one(session, WORK_ORDERS, order_id, "work order", "errata orders list")


def _decided(
    order_id: str, state: str, cause: RootCause | None, taken: OrderPreview | None = None, *, as_json: bool
) -> None:
    document = {"order_id": order_id, "state": state, "root_cause": cause.cause_id if cause else None}
    told = f"Work order {order_id} is {state}" + (
        f": root cause {cause.cause_id}, {cause.name}" if cause else ""
    )

    def human(console: Console) -> None:
        if taken:
            print_preview(console, taken)
        console.print(told, markup=False)

    show(as_json, {**document, "preview": taken} if taken else document, human)


def _print(console: Console, order: WorkOrder, taken: OrderPreview | None) -> None:
    if taken:
        print_preview(console, taken)
        console.print()
    seen = f"{count(order.cases, 'case')} in {count(len(order.fingerprints), 'problem')}"
    console.print(
        facts(
            [
                ("order", f"{order.order_id}, {order.state}"),
                ("seen", f"{seen}, {order.first_seen:%Y-%m-%d} to {order.last_seen:%Y-%m-%d}"),
                ("key terms", ", ".join(order.key_terms)),
                ("nearest causes", ", ".join(order.nearest)),
                ("problems", ", ".join(fingerprint[:10] for fingerprint in order.fingerprints[:12])),
                ("decided by", f"{order.actor}: {order.reason}" if order.actor else None),
            ]
        )
    )
    rows = [
        (one.kind.replace("_", " "), one.value, f"{one.inside:.0%}", f"{one.outside:.0%}")
        for one in order.features
    ]
    if rows:
        console.print()
        print_table(console, ("what sets it apart", "~value", "#of it", "#of what is near"), rows)
    console.print()
    print_cause(console, order.draft)
