"""Guarding plain functions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from client.tests.making import TODAY, a_rule
from errata_client.context import RunContext
from errata_client.current import current_run, running
from errata_client.decision import Decision
from errata_client.decorator import CallBlocked, guarded
from errata_client.engine import Engine
from errata_client.rule import Rule
from errata_client.view import CallView

RETRY = {"kind": "retry", "attempts": 2, "delay_ms": 100}
BLOCK = {"kind": "block", "text": "ask first"}


class Deciding:
    """A client with rules and without a service; keeps the views that it was asked about."""

    def __init__(self, *rules: Rule, today: date = TODAY) -> None:
        self.engine, self.today = Engine(rules), today
        self.views: list[CallView] = []

    def decide(self, view: CallView) -> Decision:
        self.views.append(view)
        return self.engine.decide(view, self.today)


def guard(client: Deciding, **options: Any) -> Callable[[Any], Any]:
    return guarded(client, step_id="fetch", **options)


def given_back(client: Deciding, **options: Any) -> Callable[..., Any]:
    """A guarded get_order that gives back what it was called with."""

    @guard(client, **options)
    def get_order(order_id: str, *rest: Any, limit: int = 3, **more: Any) -> tuple[Any, ...]:
        return (order_id, *rest, limit, more)

    return get_order


def test_rewritten_arguments_are_passed_however_they_were_given() -> None:
    get_order = given_back(Deciding(a_rule()))
    assert get_order("2378156") == ("#W2378156", 3, {})
    assert get_order(order_id="2378156", limit=4, x=1) == ("#W2378156", 4, {"x": 1})
    assert get_order("2378156", 8, 9) == ("#W2378156", 8, 9, 3, {})


def test_what_no_rule_changed_is_the_very_object_that_was_given() -> None:
    thing = object()
    assert given_back(Deciding(a_rule()))("2378156", x=thing)[-1]["x"] is thing


def test_the_decorated_function_keeps_its_name_and_its_own_errors() -> None:
    get_order = given_back(Deciding())
    assert get_order.__name__ == "get_order"
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        get_order()
    with pytest.raises(TypeError, match="multiple values"):
        get_order("1", order_id="2")


def test_a_wrong_name_is_mended_before_the_function_sees_it() -> None:
    rename = {"kind": "rename", "field": "args.orderid", "to": "args.order_id"}
    rule = a_rule(action=rename, field="args.orderid", pattern=".")

    @guard(Deciding(rule))
    def get_order(order_id: str) -> str:
        return order_id

    assert get_order(orderid="W1") == "W1"


def test_methods_and_positional_only_parameters_are_called_as_they_want_to_be() -> None:
    client = Deciding(a_rule())

    class Desk:
        @guard(client)
        def get_order(self, order_id: str, /, limit: int = 1) -> tuple[Desk, str, int]:
            return self, order_id, limit

    desk = Desk()
    assert desk.get_order("2378156", 5) == (desk, "#W2378156", 5)
    assert client.views[0].arguments == {"order_id": "2378156", "limit": 5}


@pytest.mark.parametrize("kind", ["block", "confirm", "require_call"])
def test_a_stopped_call_is_not_made_and_says_why(kind: str) -> None:
    called = []
    extra = {"tool": "find_user"} if kind == "require_call" else {}
    client = Deciding(a_rule(action={"kind": kind, "text": "ask first", **extra}))

    @guard(client, context=lambda: RunContext("r"))
    def get_order(order_id: str) -> None:
        called.append(order_id)

    with pytest.raises(CallBlocked, match="ask first") as stopped:
        get_order("2378156")
    assert called == []
    assert (stopped.value.text, stopped.value.decision.outcome) == ("ask first", kind)


def test_a_stopped_call_counts_as_never_made() -> None:
    context = RunContext("r")
    get_order = given_back(Deciding(a_rule(action=BLOCK)), context=lambda: context)
    with pytest.raises(CallBlocked):
        get_order("2378156")
    view = context.view("get_order", {"order_id": "2378156"})
    assert (view.repeats, view.calls_before) == (0, ())


def test_what_is_said_once_stops_one_call_of_a_tool_in_a_run() -> None:
    get_order = given_back(Deciding(a_rule(action=BLOCK, conditions=[{"kind": "unstopped"}])))
    for run_id in ("r1", "r2"):
        with running(RunContext(run_id)):
            with pytest.raises(CallBlocked):
                get_order("2378156")
            assert get_order("2378156") == ("2378156", 3, {})


@pytest.mark.parametrize("yes", [True, False])
def test_a_person_may_confirm_a_call(yes: bool) -> None:
    asked: list[str] = []

    def confirm(text: str, decision: Decision) -> bool:
        asked.append(text)
        return yes

    rules = [a_rule("ST-1", {"kind": "confirm", "text": "sure?"}), a_rule("ST-2")]
    get_order = given_back(Deciding(*rules), on_confirm=confirm)
    if yes:
        assert get_order("2378156")[0] == "#W2378156"
    else:
        with pytest.raises(CallBlocked):
            get_order("2378156")
    assert asked == ["sure?"]


def test_hints_go_to_the_callback_before_the_call_and_after_it() -> None:
    hints: list[str] = []
    before = a_rule("ST-1", {"kind": "hint", "text": "before"})
    after = a_rule("ST-2", {"kind": "hint", "text": "after"}, field="observation", pattern="found")

    @guard(Deciding(before, after), on_hint=lambda text, _: hints.append(text))
    def get_order(order_id: str) -> str:
        hints.append("called")
        return "found"

    assert get_order("2378156") == "found"
    assert hints == ["before", "called", "after"]


def failing(times: int, error: Exception | str) -> tuple[list[str], Callable[[str], str]]:
    """A function that fails `times` times, by raising or by an error text, and then works."""
    called: list[str] = []

    def get_order(order_id: str) -> str:
        called.append(order_id)
        if len(called) > times:
            return "ok"
        if isinstance(error, str):
            return error
        raise error

    return called, get_order


@pytest.mark.parametrize("error", [OSError("503 busy"), "Error: 503 busy"])
def test_a_failed_call_is_made_again_as_often_as_the_rule_says_with_doubling_pauses(
    error: Exception | str,
) -> None:
    rule = a_rule(action=RETRY, field="error", pattern="503")
    pauses: list[float] = []
    called, function = failing(2, error)
    assert guard(Deciding(rule), sleep=pauses.append)(function)("1") == "ok"
    assert (len(called), pauses) == (3, [0.1, 0.2])


@pytest.mark.parametrize("error", [OSError("503 busy"), "Error: 503 busy"])
def test_after_the_last_attempt_the_failure_is_the_functions_own(error: Exception | str) -> None:
    rule = a_rule(action=RETRY, field="error", pattern="503")
    pauses: list[float] = []
    called, function = failing(9, error)
    guarded_function = guard(Deciding(rule), sleep=pauses.append)(function)
    if isinstance(error, str):
        assert guarded_function("1") == error
    else:
        with pytest.raises(OSError, match="503 busy"):
            guarded_function("1")
    assert (len(called), pauses) == (3, [0.1, 0.2])


def test_another_error_is_not_retried() -> None:
    rule = a_rule(action=RETRY, field="error", pattern="503")
    called, function = failing(1, OSError("404"))
    with pytest.raises(OSError, match="404"):
        guard(Deciding(rule), sleep=lambda _: None)(function)("1")
    assert called == ["1"]


def test_a_cancelled_call_is_neither_retried_nor_left_pending() -> None:
    context = RunContext("r")
    rule = a_rule(action=RETRY, field="error", pattern=".*")

    @guard(Deciding(rule), context=lambda: context)
    async def get_order(order_id: str) -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(get_order("1"))
    view = context.view("next", {"id": "W1234567"})
    assert view.provenance == {"/id": "nowhere"}
    assert [call.ok for call in view.calls_before] == [False]


def test_a_replan_after_the_call_stops_the_agent_with_the_error_as_its_cause() -> None:
    rule = a_rule(action={"kind": "replan", "text": "plan anew"}, field="error", pattern="gone")
    _, function = failing(1, OSError("gone"))
    with pytest.raises(CallBlocked, match="plan anew") as stopped:
        guard(Deciding(rule))(function)("1")
    assert isinstance(stopped.value.__context__, OSError)


def test_async_functions_are_guarded_alike() -> None:
    pauses: list[float] = []
    rules = [a_rule("ST-1"), a_rule("ST-2", RETRY, field="error", pattern="503")]
    called: list[str] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    @guard(Deciding(*rules), sleep_async=pause)
    async def get_order(order_id: str) -> str:
        called.append(order_id)
        if len(called) == 1:
            raise OSError("503")
        return "ok"

    assert asyncio.run(get_order("2378156")) == "ok"
    assert (called, pauses) == (["#W2378156", "#W2378156"], [0.1])


def test_calls_are_entered_in_the_context_as_they_were_made() -> None:
    context = RunContext("r")
    context.hear("order 2378156")
    client = Deciding(a_rule())
    get_order = given_back(client, context=lambda: context)
    get_order("2378156")
    get_order("#W2378156")
    assert client.views[0].provenance == {"/order_id": "person"}
    assert [view.phase for view in client.views] == ["before", "after"] * 2
    assert client.views[1].observation == '["#W2378156",3,{}]'
    assert client.views[2].repeats == 1
    assert [call.tool for call in client.views[2].calls_before] == ["get_order"]


def test_the_run_is_found_by_itself_inside_running() -> None:
    client = Deciding()
    get_order = given_back(client)
    with running(RunContext("inside")) as context:
        assert current_run() is context
        get_order("1")
    get_order("1")
    assert (client.views[0].run_id, client.views[0].has_context) == ("inside", True)
    assert client.views[2].has_context is False
    assert client.views[2].run_id not in {"", "inside"}
    assert current_run() is None


def test_the_tool_is_named_after_the_function_and_the_step_after_the_tool() -> None:
    client = Deciding()

    def look_up() -> None:
        return None

    guarded(client)(look_up)()
    guarded(client, tool="t", step_id="s")(look_up)()
    assert [(view.step_id, view.tool) for view in client.views[::2]] == [("look_up", "look_up"), ("s", "t")]


@pytest.mark.parametrize(
    "result", ["Error: x", "  error 5", "错误:没有订单", {"error": "x"}, {"error": {"code": 1}}]
)
def test_results_that_look_like_errors_are_failures(result: object) -> None:
    context = RunContext("r")
    guarded(Deciding(), context=lambda: context)(lambda: result)()
    assert [call.ok for call in context.view("x", {}).calls_before] == [False]


@pytest.mark.parametrize(
    "result", ["Errors were made", "no error: fine", {"error": None}, {"errors": 1}, None, 5]
)
def test_other_results_are_successes(result: object) -> None:
    context = RunContext("r")
    guarded(Deciding(), context=lambda: context)(lambda: result)()
    assert [call.ok for call in context.view("x", {}).calls_before] == [True]


def test_a_call_is_made_again_once_with_what_its_error_told() -> None:
    derived = {
        "kind": "derive",
        "field": "args.amount",
        "source": "error",
        "pattern": r"costs (\d+)",
        "template": "{1}",
        "arithmetic": True,
    }
    paid: list[int] = []

    @guard(Deciding(a_rule(action=derived, field="error", pattern="costs")), tool="get_order")
    def pay(amount: int) -> str:
        paid.append(amount)
        if amount != 75:
            raise ValueError(f"it costs {75 if amount < 60 else 80}")
        return "paid"

    assert pay(amount=50) == "paid"
    with pytest.raises(ValueError, match="costs 80"):
        pay(amount=70)
    assert paid == [50, 75, 70, 80]
