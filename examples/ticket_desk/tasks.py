"""What people ask the desk for: the tasks of a week, each with the person who asks."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from examples.ticket_desk.people import COMPLAINTS, PRODUCTS, QUESTIONS
from examples.ticket_desk.world import Customer, Order, Ticket, World

Wish = Literal["order_status", "refund", "move_visit", "how_to", "new_ticket", "ticket_status"]
RUNS_A_WEEK = 300
SHARES: dict[Wish, int] = {
    "order_status": 14,
    "refund": 30,
    "move_visit": 18,
    "how_to": 18,
    "new_ticket": 24,
    "ticket_status": 10,
}


@dataclass(frozen=True)
class Person:
    """Who asks. `opening` is the first thing they say; `answers` what they know when they are asked for it."""

    customer: Customer
    opening: str
    answers: dict[str, str] = field(default_factory=dict)

    def answer(self, wanted: str) -> str:
        """What they say when they are asked for `wanted`."""
        unknown = "这个我不清楚。" if self.customer.language == "zh" else "I could not say."
        return self.answers.get(wanted, unknown)


@dataclass(frozen=True)
class Task:
    """One wish of one person. `details` are the words and ids that stand in the opening."""

    task_id: str
    wish: Wish
    person: Person
    at: datetime
    details: dict[str, str]

    @property
    def zh(self) -> bool:
        """Whether the person speaks Chinese."""
        return self.person.customer.language == "zh"


def tasks_of_week(
    world: World, seed: int, week: int, monday: datetime, count: int = RUNS_A_WEEK
) -> list[Task]:
    """`count` tasks in the order in which they come, spread over the week; the same for the same seed."""
    dice = random.Random(f"week {seed} {week}")
    wishes = dice.choices(list(SHARES), weights=list(SHARES.values()), k=count)
    between = timedelta(days=7) / max(count, 1)
    return [
        _task(f"week{week}-{number:03d}", wish, world, monday + number * between, dice)
        for number, wish in enumerate(wishes)
    ]


def _task(task_id: str, wish: Wish, world: World, at: datetime, dice: random.Random) -> Task:
    ticket = dice.choice(list(world.tickets.values()))
    asked = _Asked(world.customers[ticket.customer_id], world.orders[ticket.order_id], ticket, dice)
    details, english, chinese, answers = _WISHES[wish](asked)
    opening = chinese if asked.customer.language == "zh" else english
    return Task(task_id, wish, Person(asked.customer, opening, answers), at, details)


@dataclass(frozen=True)
class _Asked:
    """Who asks, about what."""

    customer: Customer
    order: Order
    ticket: Ticket
    dice: random.Random


_Words = tuple[dict[str, str], str, str, dict[str, str]]
"""Details, the opening in English and in Chinese, and what the person answers when asked."""


def _order_status(asked: _Asked) -> _Words:
    order_id = asked.order.order_id
    answers = {"order_id": order_id}
    return (
        {"order_id": order_id},
        f"Hello, where is my order {order_id}? I bought a {asked.order.product}.",
        f"你好，我的订单{order_id}到哪里了？我买的是{asked.order.product}。",
        answers,
    )


def _refund(asked: _Asked) -> _Words:
    order_id = asked.order.order_id
    return (
        {"order_id": order_id},
        f"Please give me my money back for order {order_id}, the {asked.order.product} is not what I wanted.",
        f"请把订单{order_id}的钱退给我，这台{asked.order.product}不是我要的。",
        {"order_id": order_id},
    )


def _move_visit(asked: _Asked) -> _Words:
    ticket_id = asked.ticket.ticket_id
    day = (asked.ticket.visit_on + timedelta(days=asked.dice.randint(1, 9))).isoformat()
    return (
        {"ticket_id": ticket_id, "date": day},
        f"I am away on that day. Can the visit of ticket {ticket_id} be on {day} instead?",
        f"那天我不在家。工单{ticket_id}的上门能改到{day}吗？",
        {"ticket_id": ticket_id, "date": day},
    )


def _how_to(asked: _Asked) -> _Words:
    question, product = asked.dice.choice(QUESTIONS), asked.dice.choice(PRODUCTS)
    zh = asked.customer.language == "zh"
    query = f"{product[1]}如何{question[1]}" if zh else f"{question[0]} {product[0]}"
    return (
        {"query": query},
        f"How do I {question[0]}? It is a {product[0]}.",
        f"请问{product[1]}如何{question[1]}？",
        {"query": query},
    )


def _new_ticket(asked: _Asked) -> _Words:
    """Half of the people give their customer number at once; the others are asked for it, or for their e-mail."""
    customer, complaint = asked.customer, asked.dice.choice(COMPLAINTS)
    gives_number = asked.dice.random() < 0.6
    zh = customer.language == "zh"
    summary = f"{asked.order.product}{complaint[1]}" if zh else f"{asked.order.product} {complaint[0]}"
    details = {"summary": summary, "priority": asked.dice.choice(("low", "normal", "high"))}
    if gives_number:
        details["customer_id"] = customer.customer_id
    number = customer.customer_id if gives_number else ""
    english = f" My customer number is {number}." if number else ""
    chinese = f"我的客户号是{number}。" if number else ""
    return (
        details,
        f"My {asked.order.product} {complaint[0]}, please send somebody.{english}",
        f"我的{asked.order.product}{complaint[1]}，请派人来看一下。{chinese}",
        {"contact": customer.email, "customer_id": customer.customer_id},
    )


def _ticket_status(asked: _Asked) -> _Words:
    ticket_id = asked.ticket.ticket_id
    return (
        {"ticket_id": ticket_id},
        f"Is there any news about ticket {ticket_id}?",
        f"工单{ticket_id}有进展吗？",
        {"ticket_id": ticket_id},
    )


_WISHES: dict[Wish, Callable[[_Asked], _Words]] = {
    "order_status": _order_status,
    "refund": _refund,
    "move_visit": _move_visit,
    "how_to": _how_to,
    "new_ticket": _new_ticket,
    "ticket_status": _ticket_status,
}
