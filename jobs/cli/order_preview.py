"""What a work order would take, laid out for a person."""

from __future__ import annotations

from rich.console import Console

from attribution.order_preview import OrderPreview, preview_order
from jobs.cli.output import count
from jobs.cli.session import Session
from jobs.cli.tables import print_table
from knowledge.causes import WorkOrder

SHOWN = 20
_WORDS = {"takes": "takes", "takes_from": "takes from", "puts_in_doubt": "in doubt"}


def previewed(session: Session, order: WorkOrder) -> OrderPreview:
    """What approving the order would do now."""
    errata = session.errata
    return preview_order(
        session.shift(), errata.encoders_of(session.project), errata.parameters_of(session.project), order
    )


def print_preview(console: Console, found: OrderPreview) -> None:
    """First what it would take from others, then from the rest."""
    console.print(
        f"Of {count(found.asked, 'problem')} of the last 90 days behind its gates it would take "
        f"{found.own} of its own {found.of}, {found.count('takes')} more that have no cause, and "
        f"{found.count('takes_from')} from other causes; {found.count('puts_in_doubt')} would be in doubt."
    )
    for cause, taken in found.from_causes.items():
        console.print(f"{cause} would lose {count(taken, 'problem')}", style="red", markup=False)
    rows = [
        (_WORDS[one.effect], one.was, one.fingerprint[:10], one.cases, one.tool, one.error_pattern[:160])
        for one in sorted(found.changes, key=lambda one: one.was is None)[:SHOWN]
    ]
    if rows:
        print_table(console, ("would", "was", "problem", "#cases", "tool", "~error"), rows)
    if len(found.changes) > SHOWN:
        console.print(f"… and {len(found.changes) - SHOWN} more; --json shows them all", style="dim")
