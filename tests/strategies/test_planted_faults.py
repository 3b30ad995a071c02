"""Faults that were planted among runs that work: each is found, its rule repairs it, and no success is touched."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from errata_client.decision import Decision
from errata_client.engine import Engine
from errata_client.model import JsonValue
from errata_client.run import Run
from errata_client.view import CallView, Fact
from knowledge.store import Store
from knowledge.strategies import Strategy
from tests.strategies.shop import (
    NOW,
    bare_orders,
    failed,
    fine_orders,
    night,
    number,
    run,
    worked,
)


def decided(strategies: list[Strategy], tool: str, arguments: dict[str, JsonValue], **more: Any) -> Decision:
    view = CallView(run_id="new", step_id=tool, tool=tool, arguments=arguments, **more)
    engine = Engine([strategy.rule for strategy in strategies], treat_shadow_as_active=True)
    return engine.decide(view, NOW.date())


def harmless(strategies: list[Strategy]) -> bool:
    return all(strategy.evidence.harmed == 0 for strategy in strategies)


@pytest.mark.parametrize("given", ["7654321", "W7654321"])
def test_an_order_number_without_its_prefix_is_written_in_full(store: Store, given: str) -> None:
    found = night(store, [*fine_orders(), *bare_orders(12)])

    assert {strategy.rule.action.kind for strategy in found} == {"rewrite"}
    assert decided(found, "get_order", {"order_id": given}).arguments == {"order_id": "#W7654321"}
    assert decided(found, "get_order", {"order_id": "#W7654321"}).outcome == "pass"
    assert harmless(found)


def test_a_date_with_slashes_is_written_with_dashes(store: Store) -> None:
    days = [f"2026-{1 + index % 12:02}-{3 + index * 5 % 25:02}" for index in range(48)]
    fine = [
        run(f"f{i}", f"on {day}", worked("book", {"day": day, "place": f"P{i}"}))
        for i, day in enumerate(days)
    ]
    bad = [
        run(
            f"b{i}",
            f"on {day}",
            failed("book", {"day": day.replace("-", "/"), "place": f"Q{i}"}, "Error: invalid date"),
            worked("book", {"day": day, "place": f"Q{i}"}),
        )
        for i, day in enumerate(days[:6])
    ]

    found = night(store, [*fine, *bad])

    made = decided(found, "book", {"day": "2027/11/30", "place": "X"}).arguments
    assert made == {"day": "2027-11-30", "place": "X"}
    assert harmless(found)


def test_zeros_that_were_lost_are_filled_up(store: Store) -> None:
    fine = [
        run(f"f{i}", f"I am 00{number(i)[:5]}", worked("get_member", {"member": f"00{number(i)[:5]}"}))
        for i in range(40)
    ]
    bad = [
        run(
            f"b{i}",
            f"I am 00{number(i + 90)[:5]}",
            failed("get_member", {"member": number(i + 90)[:5]}, "Error: member not found"),
            worked("get_member", {"member": f"00{number(i + 90)[:5]}"}),
        )
        for i in range(6)
    ]

    found = night(store, [*fine, *bad])

    assert decided(found, "get_member", {"member": "54321"}).arguments == {"member": "0054321"}
    assert harmless(found)


def test_a_word_of_a_closed_list_is_spelt_as_the_tool_wants_it(store: Store) -> None:
    cabins = ["basic_economy", "economy", "business"]
    fine = [
        run(f"f{i}", "book", worked("set_cabin", {"cabin": cabins[i % 3], "seat": f"S{i}"}))
        for i in range(45)
    ]
    bad = [
        run(
            f"b{i}",
            "book",
            failed("set_cabin", {"cabin": "Basic Economy", "seat": f"T{i}"}, "Error: unknown cabin"),
            worked("set_cabin", {"cabin": "basic_economy", "seat": f"T{i}"}),
        )
        for i in range(5)
    ]

    found = night(store, [*fine, *bad])

    made = decided(found, "set_cabin", {"cabin": "Basic economy", "seat": "U1"}).arguments
    assert made == {"cabin": "basic_economy", "seat": "U1"}


def unavailable(count: int, again: bool) -> Iterator[Run]:
    for index in range(count):
        order = f"#W{number(index)}"
        calls = [failed("get_order", {"order_id": order}, "Error: 503 Service Unavailable")]
        last = worked("get_order", {"order_id": order}, {"id": order})
        yield run(f"down-{index}", f"where is {order}?", *calls, *([last] if again else calls))


def test_a_tool_that_was_down_is_asked_again(store: Store) -> None:
    found = night(store, [*fine_orders(), *unavailable(6, again=True)])

    down = decided(
        found, "get_order", {"order_id": "#W1"}, phase="after", error="Error: 503 Service Unavailable"
    )
    other = decided(found, "get_order", {"order_id": "#W1"}, phase="after", error="Error: order not found")
    assert (down.outcome, other.outcome) == ("retry", "pass")


def test_a_retry_that_never_helped_is_not_drafted(store: Store) -> None:
    assert night(store, [*fine_orders(), *unavailable(8, again=False)]) == []


def guessed(count: int, customers: int) -> Iterator[Run]:
    for index in range(count):
        guess = f"user_{number(index)}"
        task = run(
            f"guess-{index}",
            "where is my parcel?",
            failed("get_user", {"user_id": guess}, "Error: user not found"),
        )
        yield task.model_copy(update={"task_id": f"customer-{index % customers}"})


def known_users(count: int = 40) -> Iterator[Run]:
    for index in range(count):
        user = f"user_{number(index + 700)}"
        yield run(f"known-{index}", f"I am {user}", worked("get_user", {"user_id": user}, {"user_id": user}))


def test_a_value_that_nobody_gave_is_asked_for(store: Store) -> None:
    found = night(store, [*known_users(), *guessed(6, customers=6)])

    unseen = decided(found, "get_user", {"user_id": "user_1"}, provenance={"/user_id": "nowhere"})
    pending = decided(found, "get_user", {"user_id": "user_1"}, provenance={"/user_id": "pending"})
    given = decided(found, "get_user", {"user_id": "user_1"}, provenance={"/user_id": "person"})
    assert (unseen.outcome, pending.outcome, given.outcome) == ("block", "pass", "pass")
    assert "user_id" in (unseen.text or "")


def test_what_one_customer_did_is_no_pattern(store: Store) -> None:
    assert night(store, [*known_users(), *guessed(6, customers=1)]) == []


def test_a_value_that_worked_though_nobody_gave_it_is_never_asked_for(store: Store) -> None:
    lucky = [run("lucky", "hello", worked("get_user", {"user_id": "user_777"}, {"user_id": "user_777"}))]

    assert night(store, [*known_users(), *guessed(6, customers=6), *lucky]) == []


def returns(count: int, status: str) -> Iterator[Run]:
    for index in range(count):
        order = f"#W{number(index + len(status) * 1000)}"
        looked = worked("get_order", {"order_id": order}, {"id": order, "status": status})
        last = (
            worked("return_order", {"order_id": order})
            if status == "delivered"
            else failed("return_order", {"order_id": order}, "Error: order cannot be returned")
        )
        yield run(f"{status}-{index}", f"return {order}", looked, last)


def test_what_an_earlier_result_foretold_is_stopped_with_the_reason(store: Store) -> None:
    found = night(store, [*returns(40, "delivered"), *returns(4, "pending"), *returns(4, "cancelled")])

    def asked(status: str) -> Decision:
        fact = Fact(tool="get_order", path="/status", value=status, about="#W1")
        return decided(found, "return_order", {"order_id": "#W1"}, facts=(fact,))

    assert [asked(status).outcome for status in ("pending", "shipped", "delivered")] == [
        "block",
        "block",
        "pass",
    ]
    assert "delivered" in (asked("pending").text or "")
    assert decided(found, "return_order", {"order_id": "#W1"}).outcome == "pass"


def test_a_status_that_worked_now_and_then_is_not_stopped(store: Store) -> None:
    lucky = [
        run(
            f"lucky-{status}",
            "return #W5555555",
            worked("get_order", {"order_id": "#W5555555"}, {"id": "#W5555555", "status": status}),
            worked("return_order", {"order_id": "#W5555555"}),
        )
        for status in ("pending", "cancelled")
    ]
    days = [*returns(40, "delivered"), *returns(4, "pending"), *returns(4, "cancelled")]

    assert night(store, [*days, *lucky]) == []


def exchanges(count: int, missing: int) -> Iterator[Run]:
    for index in range(count):
        old = [number(index), number(index + 1), number(index + 2)]
        new = [number(index + 5000), number(index + 5001), number(index + 5002)][: 3 - missing]
        arguments = {"old": old, "new": new}
        last = (
            failed("exchange", arguments, "Error: the lists differ")
            if missing
            else worked("exchange", arguments)
        )
        yield run(f"x{missing}-{index}", f"{' '.join(old)} for {' '.join(new)}", last)


def test_lists_of_different_length_are_stopped_before_the_call(store: Store) -> None:
    found = night(store, [*exchanges(40, 0), *exchanges(6, 1)])

    assert decided(found, "exchange", {"old": ["1", "2"], "new": ["3"]}).outcome == "block"
    assert decided(found, "exchange", {"old": ["1", "2"], "new": ["3", "4"]}).outcome == "pass"


def test_chinese_runs_get_a_chinese_text(store: Store) -> None:
    fine = [
        run(f"f{i}", f"我是用户user_{number(i)}", worked("get_user", {"user_id": f"user_{number(i)}"}))
        for i in range(40)
    ]
    bad = [
        run(
            f"b{i}",
            "我的包裹在哪里？请帮我查询一下物流信息",
            failed("get_user", {"user_id": f"user_{number(i + 99)}"}, "错误：用户不存在"),
        )
        for i in range(5)
    ]

    (strategy,) = night(store, [*fine, *bad])

    assert strategy.rule.action.kind == "block"
    assert "请先查询" in strategy.rule.action.text


@pytest.mark.parametrize("seed", range(3))
def test_with_the_working_values_shuffled_nothing_is_rewritten(store: Store, seed: int) -> None:
    pairs = [(number(index), f"#W{number(index)}") for index in range(12)]
    whole = [right for _, right in pairs]
    random.Random(seed).shuffle(whole)
    shuffled = [
        run(
            f"s{index}",
            f"where is {bare}?",
            failed("get_order", {"order_id": bare}, "Error: order not found"),
            worked("get_order", {"order_id": other}, {"id": other}),
        )
        for index, ((bare, _), other) in enumerate(zip(pairs, whole, strict=True))
        if not other.endswith(bare)
    ]

    found = night(store, [*fine_orders(), *shuffled])

    assert {strategy.synthesiser for strategy in found} <= {"argument_form"}


def test_a_repair_to_one_customers_value_is_not_memorised(store: Store) -> None:
    same = [
        run(
            f"m{index}",
            "the usual order",
            failed("get_order", {"order_id": f"order {index}"}, "Error: order not found"),
            worked("get_order", {"order_id": "#W5550001"}, {"id": "#W5550001"}),
        )
        for index in range(6)
    ]

    assert [
        found for found in night(store, [*fine_orders(), *same]) if found.rule.action.kind == "rewrite"
    ] == []


def test_what_another_tool_did_to_the_order_meanwhile_is_known_too(store: Store) -> None:
    def returned(count: int) -> Iterator[Run]:
        for index in range(count):
            order = f"#W{number(index + 30_000)}"
            looked = worked("get_order", {"order_id": order}, {"id": order, "status": "delivered"})
            exchanged = worked(
                "exchange_order", {"order_id": order}, {"id": order, "status": "exchange requested"}
            )
            last = failed(
                "return_order", {"order_id": order}, "Error: non-delivered order cannot be returned"
            )
            yield run(f"twice-{index}", f"return {order}", looked, exchanged, last)

    found = night(store, [*returns(40, "delivered"), *returned(5)])

    def asked(*told: tuple[str, str]) -> str:
        facts = tuple(Fact(tool=tool, path="/status", value=status, about="#W1") for tool, status in told)
        return decided(found, "return_order", {"order_id": "#W1"}, facts=facts).outcome

    assert asked(("exchange_order", "exchange requested"), ("get_order", "delivered")) == "block"
    assert asked(("get_order", "delivered")) == "pass"
    assert harmless(found)


def test_what_merely_fitted_by_chance_is_not_drafted(store: Store) -> None:
    """Few customers, many calls: the town of the customers whose calls failed is no reason."""

    def booked(town: str, tasks: int, calls: int, *, fails: bool) -> Iterator[Run]:
        for index in range(tasks * calls):
            user = f"user_{number(index % tasks + len(town) * 1000)}"
            looked = worked("get_user", {"user_id": user}, {"user_id": user, "town": town})
            arguments = {"user_id": user, "seat": f"S{number(index)}"}
            last = failed("book", arguments, "Error: seat is taken") if fails else worked("book", arguments)
            made = run(f"{town}-{index}", f"{user} wants S{number(index)}", looked, last)
            yield made.model_copy(update={"task_id": f"{town}-{index % tasks}"})

    days = [*booked("Lyon", 3, 4, fails=True), *booked("Oslo", 4, 10, fails=False)]

    assert [found for found in night(store, days) if found.synthesiser == "precondition"] == []
