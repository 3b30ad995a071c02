"""A step whose plan no longer holds is stopped; one that went well all the same speaks against it."""

from __future__ import annotations

from collections.abc import Iterator

from errata_client.rule import FactIs, NotCalled, Replan
from errata_client.run import Run
from knowledge.store import Store
from knowledge.strategies import Strategy
from tests.strategies.shop import failed, night, number, run, worked

PREMISE = "order.status == pending"


def shipped(
    count: int = 12, *, status: str = "pending", spoils: bool = False, first: int = 0
) -> Iterator[Run]:
    """Runs whose plan takes for granted that the order is pending, which `status` says."""
    for index in range(first, first + count):
        order = {"order_id": f"#W{number(index)}"}
        looked = worked("get_order", order, {**order, "status": status})
        changed = worked("change_address", order)._replace(premise=PREMISE, spoils=spoils)
        yield run(f"{status}-{index}", f"send {order['order_id']} elsewhere", looked, changed)


def replanned(found: list[Strategy]) -> list[Strategy]:
    return [one for one in found if one.synthesiser == "replan"]


def test_a_step_whose_premise_an_earlier_result_denied_asks_for_a_new_plan(store: Store) -> None:
    days = [*shipped(), *shipped(5, status="delivered", spoils=True, first=50)]
    (drafted,) = replanned(night(store, days))

    (condition,) = drafted.rule.trigger.conditions
    assert isinstance(condition, FactIs)
    assert (condition.path, condition.negate) == ("/status", True)
    assert isinstance(drafted.rule.action, Replan)
    assert (drafted.evidence.right, drafted.evidence.wrong, drafted.evidence.harmed) == (5, 0, 0)


def test_a_denied_premise_does_no_harm_where_the_call_and_its_run_went_well(store: Store) -> None:
    days = [
        *shipped(),
        *shipped(5, status="delivered", spoils=True, first=50),
        *shipped(1, status="delivered", first=90),
    ]
    assert replanned(night(store, days)) == []


def test_a_call_that_fails_for_the_same_fact_is_stopped_once(store: Store) -> None:
    def refused() -> Iterator[Run]:
        for index in range(50, 56):
            order = {"order_id": f"#W{number(index)}"}
            looked = worked("get_order", order, {**order, "status": "delivered"})
            wrong = failed("change_address", order, "Error: delivered order cannot be changed")
            yield run(f"refused-{index}", "send it elsewhere", looked, wrong._replace(premise=PREMISE))

    (drafted,) = [
        one for one in night(store, [*shipped(), *refused()]) if one.rule.scope.tool == "change_address"
    ]
    assert drafted.rule.action.kind in {"block", "replan"}


def test_a_step_that_needs_what_had_failed_asks_for_a_new_plan(store: Store) -> None:
    def paid(index: int, *, quoted: bool) -> Run:
        order = {"order_id": f"#W{number(index)}"}
        quote = (
            worked("quote", order) if quoted else failed("quote", order, f"Error: no tariff {number(index)}")
        )
        pay = worked("pay", order)._replace(premise="the price is known", needs=("quote",), spoils=not quoted)
        return run(
            f"pay-{index}", f"pay {order['order_id']}", quote._replace(premise="it can be priced"), pay
        )

    days = [
        *(paid(index, quoted=True) for index in range(12)),
        *(paid(50 + at, quoted=False) for at in range(5)),
    ]
    (drafted,) = replanned(night(store, days))

    assert drafted.rule.scope.tool == "pay"
    assert drafted.rule.trigger.conditions == (NotCalled(tool="quote"),)
    assert (drafted.evidence.right, drafted.evidence.harmed) == (5, 0)
