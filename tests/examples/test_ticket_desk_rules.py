"""The ticket desk's agent with rules: each kind of remedy takes its mistake away, and touches nothing else."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from errata_client.decision import Decision
from errata_client.engine import Engine
from errata_client.rule import Rule
from errata_client.run import Run
from errata_client.view import CallView
from examples.ticket_desk.agent import DeskAgent
from examples.ticket_desk.line import NoRules, Rules
from examples.ticket_desk.mistakes import MISTAKES, Mistake, Mistakes
from examples.ticket_desk.tally import ended_well, mistakes_of
from examples.ticket_desk.tasks import tasks_of_week
from examples.ticket_desk.world import make_world

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
LOOK_UP, PAY_BACK = ("look_up_order", "get_order"), ("pay_back", "refund_order")


class InProcess:
    """Rules without a service."""

    def __init__(self, *rules: Rule) -> None:
        self._engine = Engine(rules)

    def decide(self, view: CallView) -> Decision:
        return self._engine.decide(view, MONDAY.date())


def rule(number: int, scope: tuple[str, str], trigger: dict[str, Any], action: dict[str, Any]) -> Rule:
    return Rule.model_validate(
        {
            "id": f"ST-{number:04d}",
            "revision": 1,
            "root_cause": "RC-001",
            "scope": {"step_id": scope[0], "tool": scope[1]},
            "trigger": trigger,
            "action": action,
            "mode": "active",
            "valid_until": date(2026, 6, 1),
        }
    )


def rewrite(field: str, pattern: str, template: str, scope: tuple[str, str], number: int) -> Rule:
    return rule(
        number,
        scope,
        {"field": field, "pattern": pattern},
        {"kind": "rewrite", "field": field, "template": template},
    )


def block(condition: dict[str, Any], field: str, scope: tuple[str, str], number: int) -> Rule:
    return rule(
        number,
        scope,
        {"field": field, "pattern": ".", "conditions": [condition]},
        {"kind": "block", "text": "Do not: ask, or say no."},
    )


UNDELIVERED = {
    "kind": "fact",
    "tool": "get_order",
    "path": "/status",
    "pattern": "^delivered$",
    "negate": True,
}
PAID = {
    "kind": "derive",
    "field": "args.amount",
    "source": "last_error",
    "pattern": r"paid, which is (\d+\.\d+)",
}
REMEDIES: dict[Mistake, Rule] = {
    "bare order id": rewrite("args.order_id", r"(?i)^(?:ord-)?(\d{5})$", "ORD-{1}", LOOK_UP, 1),
    "invented customer": block(
        {"kind": "unseen", "field": "args.customer_id"},
        "args.customer_id",
        ("identify_customer", "get_customer"),
        2,
    ),
    "busy search": rule(
        3,
        ("find_article", "search_articles"),
        {"field": "error", "pattern": "^503"},
        {"kind": "retry", "attempts": 2, "delay_ms": 0},
    ),
    "refund too early": block(UNDELIVERED, "args.order_id", PAY_BACK, 4),
    "refund too high": rule(
        5,
        PAY_BACK,
        {
            "field": "args.amount",
            "pattern": ".",
            "conditions": [{"kind": "last_error", "pattern": "exceeds the amount paid"}],
        },
        {**PAID, "template": "{1}"},
    ),
    "cut-off JSON": rule(
        6,
        ("open_ticket", "create_ticket"),
        {"field": "raw_output", "pattern": "[^}]$"},
        {"kind": "extract_json"},
    ),
    "same call again": block(
        {"kind": "repeated", "times": 2}, "args.ticket_id", ("check_ticket", "get_ticket"), 7
    ),
    "slashes in date": rewrite(
        "args.date", r"^(\d{4})/(\d{2})/(\d{2})$", "{1}-{2}-{3}", ("move_visit", "reschedule_visit"), 8
    ),
}


def week(mistakes: Mistakes, rules: Rules) -> list[Run]:
    world = make_world(7, MONDAY.date())
    agent = DeskAgent(world, mistakes, rules)
    return [agent.work(task, task.task_id) for task in tasks_of_week(world, 7, 1, MONDAY)]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_its_remedy_makes_a_mistake_rarer_and_more_runs_end_well(mistake: Mistake) -> None:
    alone = Mistakes(7, {mistake: 1.0})
    before, after = week(alone, NoRules()), week(alone, InProcess(REMEDIES[mistake]))
    assert ended_well(after) > ended_well(before)
    assert mistakes_of(after)[mistake] < mistakes_of(before)[mistake]
    assert set(mistakes_of(after)) <= {mistake}


@pytest.mark.parametrize(
    "mistake", ["bare order id", "invented customer", "refund too early", "slashes in date"]
)
def test_what_is_seen_before_the_call_goes_out_never_fails(mistake: Mistake) -> None:
    assert not mistakes_of(week(Mistakes(7, {mistake: 1.0}), InProcess(REMEDIES[mistake])))


def test_the_remedies_leave_a_flawless_week_as_it_is() -> None:
    flawless = Mistakes(7, {})
    assert week(flawless, InProcess(*REMEDIES.values())) == week(flawless, NoRules())


def test_json_that_was_cut_in_the_middle_of_a_value_is_not_guessed() -> None:
    cut = week(Mistakes(7, {"cut-off JSON": 1.0}), InProcess(REMEDIES["cut-off JSON"]))
    assert mistakes_of(cut)["cut-off JSON"] > 0
    opened = [
        step.tool_call.arguments for run in cut for step in run.steps if step.tool_call and not step.error
    ]
    assert all(not str(call.get("priority", "high")).endswith(("lo", "hi", "norm")) for call in opened)
