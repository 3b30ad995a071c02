"""One task in the agent's hands: what it intends, step by step, and where it slips."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from errata_client.model import JsonValue
from examples.ticket_desk.line import Line, Reply, Wanted
from examples.ticket_desk.mistakes import (
    Mistake,
    Mistakes,
    bare_order_id,
    cut_off,
    invented_customer,
    slashed,
    too_much,
)
from examples.ticket_desk.prompt import EXAMPLE_CUSTOMER
from examples.ticket_desk.tasks import Task, Wish
from examples.ticket_desk.tools import Arguments

PATIENCE = 5
"""How often the agent makes the same call before it gives up."""


@dataclass(frozen=True)
class Step:
    """A step of the plan: its name, its tool and the thought that goes with it."""

    step_id: str
    tool: str
    thought: str


LOOK_UP = Step("look_up_order", "get_order", "I need the order.")
PAY_BACK = Step("pay_back", "refund_order", "The order may be paid back.")
CHECK = Step("check_ticket", "get_ticket", "I need the ticket.")
MOVE = Step("move_visit", "reschedule_visit", "The visit has to move.")
FIND = Step("find_article", "search_articles", "There may be an article on that.")
IDENTIFY = Step("identify_customer", "get_customer", "I need to know who this is.")
FIND_OUT = Step("identify_customer", "find_customer", "The contact will tell who this is.")
OPEN = Step("open_ticket", "create_ticket", "A repair has to be planned.")


class Turn:
    """The agent at work on one task. `work` answers whether it believes, and the person agrees, that it is done."""

    def __init__(self, task: Task, line: Line, mistakes: Mistakes) -> None:
        self._task = task
        self._line = line
        self._mistakes = mistakes

    def work(self) -> str:
        """Do what the person wishes; the words with which it ends: done, declined, told or gave up."""
        ending = _PLANS[self._task.wish](self)
        self._line.say(_CLOSING[ending][self._task.zh])
        return ending

    def order_status(self) -> str:
        """Look the order up and tell its status."""
        return "told" if self._order() is not None else "gave up"

    def refund(self) -> str:
        """Look the order up; pay it back if it was delivered, decline otherwise."""
        order = self._order()
        if order is None:
            return "gave up"
        paid = float(str(order["paid"]))
        if order["status"] != "delivered":
            return self._refund_early(paid) if self._makes("refund too early") else "declined"
        return self._refund(paid)

    def move_visit(self) -> str:
        """Look the ticket up and move its visit."""
        details = self._task.details
        if not self._call(CHECK, {"ticket_id": details["ticket_id"]}).ok:
            return "gave up"
        right: Arguments = {"ticket_id": details["ticket_id"], "date": details["date"]}
        wrong: Arguments = {**right, "date": slashed(details["date"])}
        reply = self._attempt(MOVE, right, "slashes in date", wrong, "date")
        return "done" if reply.ok else "gave up"

    def how_to(self) -> str:
        """Search the articles; once more, if the agent thinks of that."""
        reply = self._call(FIND, {"query": self._task.details["query"]})
        if not reply.ok and self._helped("busy search", reply):
            reply = self._call(FIND, {"query": self._task.details["query"]})
        return "told" if reply.ok else "gave up"

    def new_ticket(self) -> str:
        """Find out who this is and open a ticket."""
        customer_id = self._customer()
        if customer_id is None:
            return "gave up"
        details = self._task.details
        arguments: Arguments = {
            "customer_id": customer_id,
            "summary": details["summary"],
            "priority": details["priority"],
        }
        raw = _written(arguments)
        cut = self._makes("cut-off JSON")
        variant = self._mistakes.variant("cut-off JSON", self._task.task_id, 8)
        reply = self._send(OPEN, cut_off(raw, variant) if cut else raw)
        if not reply.ok and cut:
            reply = self._send(OPEN, raw if self._helped("cut-off JSON", reply) else cut_off(raw, variant))
        return "done" if reply.ok else "gave up"

    def ticket_status(self) -> str:
        """Tell the ticket's status; or wait for it to change by asking again and again."""
        arguments: Arguments = {"ticket_id": self._task.details["ticket_id"]}
        reply = self._call(CHECK, arguments)
        if not self._makes("same call again"):
            return "told" if reply.ok else "gave up"
        for _ in range(PATIENCE - 1):
            again = self._call(replace(CHECK, thought="Perhaps it has changed by now."), arguments)
            if again.stopped or again.advice:
                return "told"
        return "gave up"

    def _order(self) -> dict[str, JsonValue] | None:
        order_id = self._task.details["order_id"]
        variant = self._mistakes.variant("bare order id", self._task.task_id, 2)
        wrong: Arguments = {"order_id": bare_order_id(order_id, variant)}
        reply = self._attempt(LOOK_UP, {"order_id": order_id}, "bare order id", wrong, "order_id")
        return reply.answer if isinstance(reply.answer, dict) else None

    def _refund_early(self, paid: float) -> str:
        reply = self._call(PAY_BACK, self._payment(paid))
        return "declined" if self._helped("refund too early", reply) else "done"

    def _refund(self, paid: float) -> str:
        """One more try after a refusal; with the same amount, unless the agent was told or noticed better."""
        wrong = self._makes("refund too high")
        high = too_much(paid, self._mistakes.variant("refund too high", self._task.task_id, 3))
        reply = self._call(PAY_BACK, self._payment(high if wrong else paid))
        if not reply.ok and wrong:
            told = self._helped("refund too high", reply)
            reply = self._call(PAY_BACK, self._payment(paid if told else high))
        return "done" if reply.ok else "gave up"

    def _payment(self, amount: float) -> Arguments:
        return {"order_id": self._task.details["order_id"], "amount": amount}

    def _customer(self) -> str | None:
        given = self._task.details.get("customer_id")
        if given is None and self._makes("invented customer"):
            variant = self._mistakes.variant("invented customer", self._task.task_id, 2)
            guess = invented_customer(EXAMPLE_CUSTOMER, self._task.task_id, variant)
            reply = self._call(IDENTIFY, {"customer_id": guess})
            if not reply.ok and not self._helped("invented customer", reply):
                return None
            given = self._line.ask("What is your customer number?", "customer_id")
        if given is not None:
            return _customer_of(self._call(IDENTIFY, {"customer_id": given}))
        contact = self._line.ask("What is your e-mail address?", "contact")
        return _customer_of(self._call(FIND_OUT, {"contact": contact}))

    def _attempt(
        self, step: Step, right: Arguments, mistake: Mistake, wrong: Arguments, wanted: str
    ) -> Reply:
        """The call, with the mistake if the dice say so; after a stop the person is asked, then the call is right."""
        slips = self._makes(mistake)
        reply = self._call(step, wrong if slips else right)
        if reply.ok or not (slips or reply.stopped) or not self._helped(mistake, reply):
            return reply
        if reply.stopped:
            self._line.ask(f"Could you give me the {wanted.replace('_', ' ')} once more?", wanted)
        return self._call(step, right)

    def _helped(self, mistake: Mistake, reply: Reply) -> bool:
        """Whether the agent knows better now: a rule told it, or it noticed by itself."""
        told = reply.stopped or reply.advice is not None
        return told or self._mistakes.notices(mistake, self._task.task_id)

    def _makes(self, mistake: Mistake) -> bool:
        return self._mistakes.makes(mistake, self._task.task_id)

    def _call(self, step: Step, arguments: Arguments) -> Reply:
        return self._send(step, _written(arguments))

    def _send(self, step: Step, raw: str) -> Reply:
        return self._line.call(Wanted(step.step_id, step.tool, raw, step.thought))


def _written(arguments: Arguments) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def _customer_of(reply: Reply) -> str | None:
    return str(reply.answer["customer_id"]) if isinstance(reply.answer, dict) else None


_PLANS: dict[Wish, Callable[[Turn], str]] = {
    "order_status": Turn.order_status,
    "refund": Turn.refund,
    "move_visit": Turn.move_visit,
    "how_to": Turn.how_to,
    "new_ticket": Turn.new_ticket,
    "ticket_status": Turn.ticket_status,
}
_CLOSING = {
    "done": ("That is done.", "已经办好了。"),
    "declined": (
        "I cannot pay this back before it was delivered.",
        "送达之前不能退款。",
    ),
    "told": ("Here is what I found.", "这是查到的内容。"),
    "gave up": ("I am sorry, that did not work.", "抱歉，没有办成。"),
}
