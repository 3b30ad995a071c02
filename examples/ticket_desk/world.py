"""What the desk works on: invented customers, their orders and tickets, and a few articles."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Literal

from examples.ticket_desk.people import CHINESE_NAMES, ENGLISH_NAMES, PRODUCTS, QUESTIONS

Language = Literal["en", "zh"]
OrderStatus = Literal["delivered", "shipped", "processing"]
KINDS: tuple[OrderStatus, ...] = ("delivered", "delivered", "shipped", "processing")
ORDERS_EACH = len(KINDS)


@dataclass(frozen=True)
class Customer:
    """Somebody who bought something. `customer_id` is like C-4127."""

    customer_id: str
    name: str
    email: str
    phone: str
    language: Language


@dataclass(frozen=True)
class Order:
    """One product that was bought. `order_id` is like ORD-48213, `paid` what it cost; only delivered ones are refunded."""

    order_id: str
    customer_id: str
    product: str
    status: OrderStatus
    paid: float


@dataclass(frozen=True)
class Ticket:
    """A repair with a visit. `ticket_id` is like T-7301."""

    ticket_id: str
    customer_id: str
    order_id: str
    status: Literal["planned", "waiting for parts"]
    visit_on: date


@dataclass(frozen=True)
class Article:
    """A page that tells how to do something oneself."""

    article_id: str
    title: str


@dataclass
class World:
    """The data of one morning. Every run works on a copy, so that no run's task depends on another run."""

    customers: dict[str, Customer]
    orders: dict[str, Order]
    tickets: dict[str, Ticket]
    articles: tuple[Article, ...]
    refunds: dict[str, float] = field(default_factory=dict)
    visits: dict[str, str] = field(default_factory=dict)
    opened: list[dict[str, str]] = field(default_factory=list)

    def morning(self) -> World:
        """The same data, with nothing done yet."""
        return World(self.customers, self.orders, self.tickets, self.articles)

    def orders_of(self, customer_id: str) -> list[Order]:
        """The customer's orders, in the order of their ids."""
        return [order for order in self.orders.values() if order.customer_id == customer_id]


def make_world(seed: int, today: date) -> World:
    """The same world for the same seed; visits are planned in the four weeks after `today`."""
    dice = random.Random(f"world {seed}")
    customers = [*_english(dice), *_chinese(dice)]
    numbers = iter(dice.sample(range(10_000, 100_000), ORDERS_EACH * len(customers)))
    orders = [order for customer in customers for order in _orders(customer, numbers, dice)]
    tickets = [_ticket(number, order, today, dice) for number, order in enumerate(orders)]
    return World(
        {customer.customer_id: customer for customer in customers},
        {order.order_id: order for order in orders},
        {ticket.ticket_id: ticket for ticket in tickets},
        tuple(_articles()),
    )


def _english(dice: random.Random) -> list[Customer]:
    numbers = dice.sample(range(4000, 4500), len(ENGLISH_NAMES))
    return [
        Customer(
            f"C-{number}",
            name,
            f"{name.lower().replace(' ', '.')}@post.example",
            f"555-01{position:02d}",
            "en",
        )
        for position, (number, name) in enumerate(zip(numbers, ENGLISH_NAMES, strict=True))
    ]


def _chinese(dice: random.Random) -> list[Customer]:
    numbers = dice.sample(range(4500, 4700), len(CHINESE_NAMES))
    return [
        Customer(f"C-{number}", name, f"{spelled}@post.example", f"555-01{position + 50:02d}", "zh")
        for position, (number, (name, spelled)) in enumerate(zip(numbers, CHINESE_NAMES, strict=True))
    ]


def _orders(customer: Customer, numbers: Iterator[int], dice: random.Random) -> list[Order]:
    found = []
    for status in KINDS:
        words = dice.choice(PRODUCTS)
        product = words[1] if customer.language == "zh" else words[0]
        order_id, paid = f"ORD-{next(numbers)}", dice.randrange(900, 9000, 5) / 10
        found.append(Order(order_id, customer.customer_id, product, status, paid))
    return found


def _ticket(number: int, order: Order, today: date, dice: random.Random) -> Ticket:
    visit = today + timedelta(days=dice.randint(8, 28))
    status: Literal["planned", "waiting for parts"] = "planned" if number % 3 else "waiting for parts"
    return Ticket(f"T-{7300 + number}", order.customer_id, order.order_id, status, visit)


def _articles() -> list[Article]:
    titles = [
        title
        for words in QUESTIONS
        for product in PRODUCTS
        for title in (f"How to {words[0]}: {product[0]}", f"{product[1]}如何{words[1]}")
    ]
    return [Article(f"KB-{100 + number}", title) for number, title in enumerate(titles)]
