"""The agent: takes a task, works on it, and hands in the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from errata_client.context import RunContext
from errata_client.run import Agent, Outcome, Run
from examples.ticket_desk.line import Line, NoRules, Rules
from examples.ticket_desk.mistakes import Mistakes
from examples.ticket_desk.prompt import PROMPT
from examples.ticket_desk.tasks import Task
from examples.ticket_desk.tools import Tools, declarations
from examples.ticket_desk.turn import Turn
from examples.ticket_desk.world import World

AGENT = Agent(name="ticket-desk", version="1.0", kind="react")


def no_revision() -> None:
    """The revision of an agent that pulls no rules."""


@dataclass(frozen=True)
class DeskAgent:
    """The same agent with rules and without: only `rules` differs. `revision` is that of the rules it has now."""

    world: World
    mistakes: Mistakes
    rules: Rules = field(default_factory=NoRules)
    revision: Callable[[], int | None] = no_revision
    arm: Literal["treated", "holdout"] | None = None

    def work(self, task: Task, run_id: str) -> Run:
        """Do the task on a fresh morning of the world, and record the run."""
        world = self.world.morning()
        busy = self.mistakes.makes("busy search", task.task_id)
        waits = 1 + self.mistakes.variant("busy search", task.task_id, 3) // 2
        context = RunContext(run_id, prompt=PROMPT)
        line = Line(context, Tools(world, waits if busy else 0), task.person, self.rules, task.at)
        ending = Turn(task, line, self.mistakes).work()
        good = _is_good(task, world, ending)
        return Run(
            run_id=run_id,
            agent=AGENT,
            model_version="scripted-1",
            task_id=task.task_id,
            user_intent=task.person.opening,
            prompt=PROMPT,
            tools=declarations(),
            steps=tuple(line.steps),
            outcome=Outcome(
                status="success" if good else "failure",
                reward=1.0 if good else 0.0,
                reason=f"the agent {ending}",
            ),
            started_at=task.at,
            ended_at=line.steps[-1].ended_at,
            active_revision=self.revision(),
            arm=self.arm,
        )


def _is_good(task: Task, world: World, ending: str) -> bool:
    """Whether the person got what they wished, by the state of the world and not by the agent's words alone."""
    details = task.details
    if task.wish == "refund":
        order = world.orders[details["order_id"]]
        paid_back = world.refunds.get(order.order_id)
        return paid_back == order.paid if order.status == "delivered" else ending == "declined"
    if task.wish == "move_visit":
        return world.visits.get(details["ticket_id"]) == details["date"]
    if task.wish == "new_ticket":
        expected = {"customer_id": task.person.customer.customer_id, "summary": details["summary"]}
        return world.opened == [expected]
    return ending == "told"
