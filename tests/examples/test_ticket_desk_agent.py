"""The ticket desk's agent: the same for the same seed, and wrong in every way that it is meant to be."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from errata_client.decision import Decision
from errata_client.run import Run
from errata_client.view import CallView
from examples.ticket_desk.agent import DeskAgent
from examples.ticket_desk.line import NoRules
from examples.ticket_desk.mistakes import MISTAKES, Mistake, Mistakes
from examples.ticket_desk.tally import ended_well, mistakes_of
from examples.ticket_desk.tasks import Task, tasks_of_week
from examples.ticket_desk.world import World, make_world

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
FLAWLESS = Mistakes(7, {})


def week(seed: int = 7, count: int = 300) -> tuple[World, list[Task]]:
    world = make_world(seed, MONDAY.date())
    return world, tasks_of_week(world, seed, 1, MONDAY, count)


def runs(mistakes: Mistakes, seed: int = 7, count: int = 300) -> list[Run]:
    world, tasks = week(seed, count)
    agent = DeskAgent(world, mistakes)
    return [agent.work(task, task.task_id) for task in tasks]


def test_a_week_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    assert runs(Mistakes(7)) == runs(Mistakes(7))
    assert runs(Mistakes(7)) != runs(Mistakes(8))


def test_every_mistake_is_made_in_a_week() -> None:
    found = mistakes_of(runs(Mistakes(7)))
    assert set(found) == set(MISTAKES), "and no other error is in it"
    assert min(found.values()) >= 5


def test_an_agent_without_mistakes_gives_everybody_what_they_wish() -> None:
    flawless = runs(FLAWLESS)
    assert not mistakes_of(flawless)
    assert ended_well(flawless) == len(flawless)


def test_every_scope_has_thirty_successful_calls_for_a_rule_to_be_held_against() -> None:
    wrong = {"look_up_order", "pay_back", "check_ticket", "move_visit", "find_article", "open_ticket"}
    calls = [step for run in runs(Mistakes(7)) for step in run.steps if step.tool_call and not step.error]
    for step_id in wrong:
        assert sum(step.step_id == step_id for step in calls) >= 30, step_id


def test_a_run_of_one_task_does_not_change_the_world_of_the_next() -> None:
    world, tasks = week()
    agent = DeskAgent(world, FLAWLESS)
    first = [agent.work(task, task.task_id) for task in tasks]
    assert first == [agent.work(task, task.task_id) for task in tasks]
    assert not world.refunds
    assert not world.visits


def test_chinese_and_english_people_ask() -> None:
    _, tasks = week()
    assert 30 <= sum(task.zh for task in tasks) <= 150


class Stubborn(NoRules):
    """Blocks every call of one tool while it sends a certain value."""

    def __init__(self, tool: str, text: str) -> None:
        self._tool, self._text = tool, text

    def decide(self, view: CallView) -> Decision:
        if view.phase == "before" and view.tool == self._tool and self._text in str(view.arguments):
            return Decision(outcome="block", arguments=view.arguments, text="Ask the person for it.")
        return Decision.passing(view.arguments)


def test_a_blocked_agent_asks_the_person_and_uses_the_answer() -> None:
    world, tasks = week()
    task = next(task for task in tasks if task.wish == "move_visit")
    always = Mistakes(7, {"slashes in date": 1.0})
    run = DeskAgent(world, always, Stubborn("reschedule_visit", "/")).work(task, "r")
    assert run.outcome.status == "success"
    assert not mistakes_of([run])
    assert any(step.user_input == task.details["date"] for step in run.steps)


class Rewriting(NoRules):
    """Puts the order's id right."""

    def decide(self, view: CallView) -> Decision:
        order_id = str(view.arguments.get("order_id", ""))
        if view.phase == "before" and order_id.isdigit():
            return Decision(outcome="rewrite", arguments={**view.arguments, "order_id": f"ORD-{order_id}"})
        return Decision.passing(view.arguments)


def test_a_rewritten_call_goes_out_and_is_recorded_as_rewritten() -> None:
    world, tasks = week()
    bare = Mistakes(7, {"bare order id": 1.0})
    task = next(
        task
        for task in tasks
        if task.wish == "order_status" and bare.variant("bare order id", task.task_id, 2) == 0
    )
    run = DeskAgent(world, bare, Rewriting()).work(task, "r")
    assert not mistakes_of([run])
    called = run.steps[0].tool_call
    assert called is not None
    assert called.arguments == {"order_id": task.details["order_id"]}


class Patient(NoRules):
    """Has every call that failed for being busy made again."""

    def decide(self, view: CallView) -> Decision:
        if view.phase == "after" and (view.error or "").startswith("503"):
            return Decision(outcome="retry", arguments=view.arguments, attempts=2)
        return Decision.passing(view.arguments)


def test_a_retry_is_done() -> None:
    world, tasks = week()
    busy = Mistakes(7, {"busy search": 1.0})
    task = next(task for task in tasks if task.wish == "how_to")
    run = DeskAgent(world, busy, Patient()).work(task, "r")
    assert run.outcome.status == "success"
    assert run.steps[0].error is not None


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_made_only_where_the_dice_say_so(mistake: Mistake) -> None:
    alone = Mistakes(7, {mistake: 1.0})
    assert set(mistakes_of(runs(alone))) == {mistake}


def test_the_dice_do_not_depend_on_what_the_rules_did() -> None:
    world, tasks = week(count=40)
    plain = DeskAgent(world, Mistakes(7))
    helped = replace(plain, rules=Rewriting())
    openings = [
        (plain.work(t, "a").steps[0].raw_output, helped.work(t, "a").steps[0].raw_output) for t in tasks
    ]
    assert all(without == with_rules for without, with_rules in openings)
