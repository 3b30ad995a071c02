from __future__ import annotations

import json
from datetime import date
from typing import Any

import httpx
import pytest

from errata_client.model import JsonValue
from errata_client.rule import Block, Retry, Rewrite, Rule, Scope, Trigger
from errata_client.view import CallView
from strategies.held_out import HeldOutCall, HeldOutRun, Remedy, Siblings, Tally, Trial
from strategies.replay.function import FunctionReplayer
from strategies.replay.http_tool import HttpReplayer
from strategies.replay.port import Replayed, Replayer, ReplayError, ReplayRequest

TODAY = date(2026, 3, 2)
PREFIX = Rewrite(field="args.order_id", template="#W{1}")
STOP = Block(text="Look it up first.")


def remedy(action: Any, field: str = "args.order_id", pattern: str = r"^(\d{7})$") -> Remedy:
    rule = Rule(
        id="ST-0001",
        revision=1,
        root_cause="RC-1",
        scope=Scope(step_id="get_order", tool="get_order"),
        trigger=Trigger(field=field, pattern=pattern),
        action=action,
        mode="shadow",
        valid_until=TODAY,
    )
    return Remedy(rule, "argument_rewrite", frozenset({"Error: order not found"}))


def call(order: JsonValue, error: str | None = None, *, down: bool = False) -> HeldOutCall:
    view = CallView(run_id="r", step_id="get_order", tool="get_order", arguments={"order_id": order})
    after = view.model_copy(update={"phase": "after", "error": error, "observation": None if error else "{}"})
    return HeldOutCall(view, after, ok=error is None, error_pattern=error or "", down=down)


def worth(
    found: Remedy, *calls: HeldOutCall, replayer: Replayer | None = None, others: tuple[HeldOutRun, ...] = ()
) -> list[str]:
    siblings = Siblings()
    for other in others:
        siblings.add(other)
    trial = Trial([found], TODAY, siblings, replayer)
    return [firing.worth for firing in trial.firings(HeldOutRun("r", "t1", calls))]


NOT_FOUND = "Error: order not found"


def test_a_rewrite_repairs_where_it_is_the_call_that_then_worked() -> None:
    assert worth(remedy(PREFIX), call("1234567", NOT_FOUND), call("#W1234567")) == ["repaired"]


def test_a_rewrite_that_only_silences_is_not_repaired() -> None:
    assert worth(remedy(PREFIX), call("1234567", NOT_FOUND), call("#W7777777")) == ["unproven"]
    assert worth(remedy(PREFIX), call("1234567", NOT_FOUND), call("#W1234567", NOT_FOUND)) == ["wrong"]


def test_a_call_that_worked_in_another_run_of_the_task_counts_as_known_to_work() -> None:
    sibling = HeldOutRun("other", "t1", (call("#W1234567"),))
    stranger = HeldOutRun("other", "t2", (call("#W1234567"),))

    assert worth(remedy(PREFIX), call("1234567", NOT_FOUND), others=(sibling,)) == ["repaired"]
    assert worth(remedy(PREFIX), call("1234567", NOT_FOUND), others=(stranger,)) == ["unproven"]


def test_whatever_touches_a_call_that_worked_harms() -> None:
    assert worth(remedy(PREFIX), call("1234567")) == ["harmed"]
    assert worth(remedy(STOP), call("1234567")) == ["harmed"]


def test_a_stop_is_right_for_the_error_that_the_rule_speaks_of() -> None:
    assert worth(remedy(STOP), call("1234567", NOT_FOUND)) == ["stopped"]
    assert worth(remedy(STOP), call("1234567", "Error: no such street")) == ["unproven"]


def test_a_stop_is_wrong_where_the_call_itself_was_right() -> None:
    assert worth(remedy(STOP), call("1234567", NOT_FOUND), call("1234567")) == ["wrong", "harmed"]
    assert worth(remedy(STOP), call("1234567", "Error: 503", down=True)) == ["wrong"]


def test_a_retry_of_a_tool_that_was_down_is_no_repair_of_the_agents_errors() -> None:
    again = remedy(Retry(attempts=1, delay_ms=0), field="error", pattern="503")
    run = HeldOutRun("r", "t1", (call("1", "Error: 503", down=True), call("1")))
    tally = Tally()
    tally.take(run, Trial([again], TODAY, Siblings()).firings(run))

    assert (tally.errors, tally.down, tally.successes) == (0, 1, 1)
    assert dict(tally.worth) == {"retried": 1}


def test_a_replayer_decides_what_the_record_does_not_tell() -> None:
    seen: list[ReplayRequest] = []

    def tool(request: ReplayRequest) -> object:
        seen.append(request)
        return {"status": "delivered"}

    found = worth(
        remedy(PREFIX),
        call("x"),
        call("1234567", NOT_FOUND),
        replayer=FunctionReplayer(tool, lambda _: False),
    )

    assert found == ["repaired"]
    assert seen[0].arguments == {"order_id": "#W1234567"}
    assert [made.arguments for made in seen[0].earlier] == [{"order_id": "x"}]


def test_what_a_replayed_tool_raises_or_answers_as_an_error_is_a_failure() -> None:
    def raising(request: ReplayRequest) -> object:
        raise KeyError(request.tool)

    request = ReplayRequest("r", None, "get_order", {})
    assert FunctionReplayer(raising, lambda _: False).replay(request) == Replayed(
        False, "KeyError: 'get_order'"
    )
    assert (
        not FunctionReplayer(lambda _: "Error: no", lambda text: str(text).startswith("Error"))
        .replay(request)
        .ok
    )


def http(status: int, body: object) -> HttpReplayer:
    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/get_order"
        assert json.loads(request.content)["arguments"] == {"order_id": "#W1"}
        return httpx.Response(status, json=body)

    client = httpx.Client(transport=httpx.MockTransport(answer))
    return HttpReplayer(
        client, "https://tools.example.com/{tool}", lambda found: "error" in str(found), {"get_order"}
    )


def test_an_http_tool_is_asked_only_where_it_is_marked_safe() -> None:
    asked = ReplayRequest("r", None, "get_order", {"order_id": "#W1"})

    assert http(200, {"status": "delivered"}).replay(asked).ok
    assert not http(200, {"error": "not found"}).replay(asked).ok
    assert not http(404, {"detail": "not found"}).replay(asked).ok
    with pytest.raises(ReplayError):
        http(500, {}).replay(asked)
    with pytest.raises(ReplayError, match="safe"):
        http(200, {}).replay(ReplayRequest("r", None, "cancel_order", {}))
