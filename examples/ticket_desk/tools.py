"""The desk's tools: what they are told to take, what they answer, and how they refuse."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from errata_client.model import JsonValue
from errata_client.run import ToolDeclaration
from examples.ticket_desk.world import Customer, Order, World

Arguments = dict[str, JsonValue]
PRIORITIES = ("low", "normal", "high")


class ToolError(Exception):
    """A tool refused. `status` is an HTTP-like code, `kind` the name of the error."""

    def __init__(self, message: str, status: int, kind: str) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


not_found = partial(ToolError, status=404, kind="NotFound")
bad_request = partial(ToolError, status=400, kind="BadRequest")
wrong_state = partial(ToolError, status=409, kind="FailedPrecondition")


@dataclass
class Tools:
    """The tools over one world. The first `busy` searches are answered with 503, as a busy service does."""

    world: World
    busy: int = 0
    searches: int = field(default=0, init=False)

    def call(self, tool: str, arguments: Arguments) -> JsonValue:
        """What the tool answers; ToolError where it refuses, for an unknown tool too."""
        if tool not in _TOOLS:
            raise ToolError(f"there is no tool {tool}", 404, "UnknownTool")
        declaration, function = _TOOLS[tool]
        _check(declaration, arguments)
        return function(self, arguments)


def declarations() -> tuple[ToolDeclaration, ...]:
    """Every tool, as the agent is told of it."""
    return tuple(declaration for declaration, _ in _TOOLS.values())


def _check(declaration: ToolDeclaration, arguments: Arguments) -> None:
    schema = declaration.parameters or {}
    required = schema.get("required")
    for name in required if isinstance(required, list) else []:
        if not isinstance(arguments.get(str(name)), str | int | float):
            raise bad_request(f"{declaration.name} needs the argument {name}")


def _order(world: World, arguments: Arguments) -> Order:
    order_id = arguments["order_id"]
    if order_id not in world.orders:
        raise not_found(f"order '{order_id}' not found")
    return world.orders[str(order_id)]


def _customer_answer(customer: Customer) -> JsonValue:
    return {"customer_id": customer.customer_id, "name": customer.name, "language": customer.language}


def _find_customer(tools: Tools, arguments: Arguments) -> JsonValue:
    contact = str(arguments["contact"]).strip().lower()
    for customer in tools.world.customers.values():
        if contact in {customer.email, customer.phone}:
            return _customer_answer(customer)
    raise not_found(f"nobody is known under '{contact}'")


def _get_customer(tools: Tools, arguments: Arguments) -> JsonValue:
    customer_id = arguments["customer_id"]
    if customer_id not in tools.world.customers:
        raise not_found(f"customer '{customer_id}' not found")
    return _customer_answer(tools.world.customers[str(customer_id)])


def _get_order(tools: Tools, arguments: Arguments) -> JsonValue:
    order = _order(tools.world, arguments)
    return {
        "order_id": order.order_id,
        "customer_id": order.customer_id,
        "product": order.product,
        "status": order.status,
        "paid": order.paid,
    }


def _refund_order(tools: Tools, arguments: Arguments) -> JsonValue:
    order = _order(tools.world, arguments)
    amount = float(str(arguments["amount"]))
    if order.status != "delivered":
        raise wrong_state(
            f"order '{order.order_id}' cannot be refunded: it is {order.status}, not delivered yet"
        )
    if amount > order.paid:
        raise bad_request(f"refund amount {amount:.2f} exceeds the amount paid, which is {order.paid:.2f}")
    tools.world.refunds[order.order_id] = amount
    return {"order_id": order.order_id, "refunded": amount}


def _get_ticket(tools: Tools, arguments: Arguments) -> JsonValue:
    ticket_id = arguments["ticket_id"]
    if ticket_id not in tools.world.tickets:
        raise not_found(f"ticket '{ticket_id}' not found")
    ticket = tools.world.tickets[str(ticket_id)]
    return {
        "ticket_id": ticket.ticket_id,
        "status": ticket.status,
        "visit_on": ticket.visit_on.isoformat(),
    }


def _reschedule_visit(tools: Tools, arguments: Arguments) -> JsonValue:
    ticket_id, day = str(arguments["ticket_id"]), str(arguments["date"])
    if ticket_id not in tools.world.tickets:
        raise not_found(f"ticket '{ticket_id}' not found")
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", day):
        raise bad_request(f"invalid date '{day}': expected the format YYYY-MM-DD")
    tools.world.visits[ticket_id] = day
    return {"ticket_id": ticket_id, "visit_on": day}


def _search_articles(tools: Tools, arguments: Arguments) -> JsonValue:
    tools.searches += 1
    if tools.searches <= tools.busy:
        raise ToolError("503 Service Unavailable: the article search is overloaded", 503, "Unavailable")
    words = str(arguments["query"]).lower().split()
    hits = [a for a in tools.world.articles if all(word in a.title.lower() for word in words)]
    return [{"article_id": article.article_id, "title": article.title} for article in hits[:3]]


def _create_ticket(tools: Tools, arguments: Arguments) -> JsonValue:
    customer_id, priority = str(arguments["customer_id"]), str(arguments["priority"])
    if customer_id not in tools.world.customers:
        raise not_found(f"customer '{customer_id}' not found")
    if priority not in PRIORITIES:
        raise bad_request(f"unknown priority '{priority}': expected one of {', '.join(PRIORITIES)}")
    tools.world.opened.append({"customer_id": customer_id, "summary": str(arguments["summary"])})
    return {"ticket_id": f"T-{9000 + len(tools.world.opened)}", "customer_id": customer_id}


def _declared(name: str, description: str, **arguments: str) -> ToolDeclaration:
    """`arguments` maps each name to its JSON type; all of them are required."""
    properties: JsonValue = {argument: {"type": kind} for argument, kind in arguments.items()}
    parameters: dict[str, JsonValue] = {
        "type": "object",
        "properties": properties,
        "required": list(arguments),
    }
    return ToolDeclaration(name=name, description=description, parameters=parameters)


_Function = Callable[[Tools, Arguments], JsonValue]
_TOOLS: dict[str, tuple[ToolDeclaration, _Function]] = {
    declaration.name: (declaration, function)
    for declaration, function in (
        (
            _declared("find_customer", "Find a customer by e-mail or phone.", contact="string"),
            _find_customer,
        ),
        (
            _declared("get_customer", "A customer, by customer number.", customer_id="string"),
            _get_customer,
        ),
        (_declared("get_order", "An order, by its id.", order_id="string"), _get_order),
        (
            _declared(
                "refund_order",
                "Pay an order back, all or in part.",
                order_id="string",
                amount="number",
            ),
            _refund_order,
        ),
        (_declared("get_ticket", "A repair ticket and its visit.", ticket_id="string"), _get_ticket),
        (
            _declared("reschedule_visit", "Move a visit to another day.", ticket_id="string", date="string"),
            _reschedule_visit,
        ),
        (_declared("search_articles", "Search the help articles.", query="string"), _search_articles),
        (
            _declared(
                "create_ticket",
                "Open a repair ticket.",
                customer_id="string",
                summary="string",
                priority="string",
            ),
            _create_ticket,
        ),
    )
}
