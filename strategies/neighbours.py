"""The live rules of a strategy's scope, and how it gets on with them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from errata_client.view import CallView
from knowledge.kinds import CASES, STRATEGIES
from knowledge.stage import Shift
from knowledge.store import Query
from knowledge.strategies import Strategy
from strategies import life
from strategies.conflicts import Conflict, Placed, conflicts
from strategies.material import view_after, view_before
from strategies.sight import seen

MAX_VIEWS = 40


def conflicts_of(shift: Shift, strategy: Strategy, without: Collection[str | None] = ()) -> list[Conflict]:
    """How the strategy would conflict with the rules that are live now, but for those of the ids `without`."""
    scope = strategy.rule.scope
    query = Query(
        where={"state": life.LIVE, "rule.scope.tool": scope.tool, "rule.scope.step_id": scope.step_id}
    )
    live = [stored.item for stored in shift.store.collection(shift.project, STRATEGIES).scan(query)]
    left_out = {strategy.strategy_id, *without}
    others = [item for item in live if item.strategy_id not in left_out]
    return conflicts(_placed(shift, strategy), [_placed(shift, item) for item in others]) if others else []


def conflicts_ahead(shift: Shift, strategy: Strategy) -> list[Conflict]:
    """The same for what waits to go live, or to change calls; nothing for what is live or done with."""
    return conflicts_of(shift, strategy) if strategy.state in {"in_review", "shadow"} else []


def conflicts_among(shift: Shift, drafts: Sequence[Strategy]) -> dict[str, tuple[Conflict, ...]]:
    """By draft, how it would conflict with live rules, and with the drafts before it, were they approved first; only those
    of which there is something to tell."""
    found = {}
    for place, draft in enumerate(drafts):
        earlier = [item for item in drafts[:place] if item.rule.scope == draft.rule.scope]
        waiting = (
            conflicts(_placed(shift, draft), [_placed(shift, item) for item in earlier]) if earlier else []
        )
        found[draft.strategy_id] = (*conflicts_of(shift, draft), *waiting)
    return {strategy_id: told for strategy_id, told in found.items() if told}


def _placed(shift: Shift, strategy: Strategy) -> Placed:
    """The rule with the views of cases that it was made from; of its other rows only the arguments are known."""
    rule, evidence = strategy.rule, strategy.evidence
    cases = shift.store.collection(shift.project, CASES).get_many(evidence.cases[:MAX_VIEWS])
    view_of = view_before if rule.trigger.phase == "before" else view_after
    views = [view_of(case) for case in seen(shift, [stored.item for stored in cases.values()])]
    rows = [
        CallView(
            run_id=row.run_id,
            step_id=rule.scope.step_id,
            tool=rule.scope.tool,
            phase=rule.trigger.phase,
            arguments=row.before,
            error=row.error if rule.trigger.phase == "after" else None,
            has_context=False,
        )
        for row in evidence.rows
    ]
    return Placed(rule, (*(view for view in views if view is not None), *rows))
