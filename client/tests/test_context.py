"""The run context and its call views."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from errata_client.context import LATEST_CALLS, RunContext
from errata_client.view import CallView


def done(context: RunContext, tool: str, arguments: dict[str, object], observation: str = "ok") -> CallView:
    return context.finish(context.start(context.view(tool, arguments)), observation)


def test_a_view_names_the_step_or_else_the_tool() -> None:
    context = RunContext("r1")
    assert context.view("get_order", {}).step_id == "get_order"
    assert context.view("get_order", {}, step_id="fetch").step_id == "fetch"


def test_a_view_is_the_model_that_it_would_be_if_it_were_checked() -> None:
    context = RunContext("r1", prompt="W0000001")
    context.hear("order #W1234567")
    done(context, "get_order", {"order_id": "#W1234567"}, '{"order_id":"#W1234567","status":"pending"}')
    view = context.view("cancel_order", {"order_id": "#W1234567"}, thought="t", raw_output="r")
    assert CallView.model_validate_json(view.model_dump_json()) == view
    assert (view.user_input, view.thought, view.raw_output) == ("order #W1234567", "t", "r")


def test_the_agents_own_words_give_nothing() -> None:
    context = RunContext("r1")
    view = context.view("get_order", {"order_id": "W1234567"}, thought="W1234567", raw_output="W1234567")
    context.fail(context.start(view), "order W1234567 not found")
    assert context.view("get_order", {"order_id": "W1234567"}).provenance == {"/order_id": "nowhere"}


def test_a_value_is_pending_only_while_a_call_is_out() -> None:
    context = RunContext("r1")
    handle = context.start(context.view("find_user", {}))
    assert context.view("get_order", {"id": "W1234567"}).provenance == {"/id": "pending"}
    context.finish(handle, '{"orders":["#W1234567"]}')
    assert context.view("get_order", {"id": "W1234567", "x": "W7"}).provenance == {
        "/id": "tool",
        "/x": "nowhere",
    }


def test_equal_calls_are_counted_from_the_moment_they_go_out() -> None:
    context = RunContext("r1")
    for _ in range(2):
        context.start(context.view("get_order", {"a": 1, "b": 2}))
    assert context.view("get_order", {"b": 2, "a": 1}).repeats == 2
    assert context.view("get_order", {"b": 2, "a": "1"}).repeats == 0
    assert context.view("get_user", {"b": 2, "a": 1}).repeats == 0


def test_earlier_calls_carry_their_outcome() -> None:
    context = RunContext("r1")
    done(context, "find_user", {})
    after = context.fail(context.start(context.view("get_order", {})), "boom")
    assert (after.phase, after.error, after.observation) == ("after", "boom", None)
    calls = context.view("x", {}).calls_before
    assert [(call.tool, call.ok, call.error) for call in calls] == [
        ("find_user", True, None),
        ("get_order", False, "boom"),
    ]


def test_the_first_success_of_a_tool_is_kept_however_long_the_run() -> None:
    context = RunContext("r1")
    context.fail(context.start(context.view("never_worked", {})), "boom")
    done(context, "find_user", {})
    for _ in range(500):
        done(context, "think", {})
    calls = context.view("x", {}).calls_before
    assert {call.tool for call in calls} == {"find_user", "think"}
    assert calls[0].tool == "find_user"
    assert len(calls) == LATEST_CALLS + 2


def test_the_latest_result_is_kept_from_its_start() -> None:
    context = RunContext("r1")
    done(context, "find_user", {}, "x" * 10_000)
    context.fail(context.start(context.view("find_user", {})), "boom")
    assert context.view("x", {}).last_observation == "x" * 4_000


def test_a_call_comes_back_once() -> None:
    context = RunContext("r1")
    handle = context.start(context.view("find_user", {}))
    context.finish(handle, "ok")
    with pytest.raises(KeyError, match="is not out"):
        context.fail(handle, "boom")


def test_what_the_surroundings_gave_counts_as_returned() -> None:
    context = RunContext("r1")
    context.learn("page about W1234567")
    assert context.view("x", {"id": "W1234567"}).provenance == {"/id": "tool"}


def test_threads_may_share_a_context() -> None:
    context = RunContext("r1")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: done(context, "t", {"n": number % 4}, f'{{"n":{number}}}'), range(200)))
    assert sum(context.view("t", {"n": number}).repeats for number in range(4)) == 200
    assert context.view("t", {"n": "new"}).provenance == {"/n": "nowhere"}


def test_the_error_of_the_latest_time_that_a_call_was_made_is_known_when_it_comes_again() -> None:
    context = RunContext("r1")

    def made(error: str | None) -> str | None:
        view = context.view("get_order", {"order_id": "#W1"})
        handle = context.start(view)
        context.finish(handle, "{}") if error is None else context.fail(handle, error)
        return context.view("get_order", {"order_id": "#W1"}).repeated_error

    assert context.view("get_order", {"order_id": "#W1"}).repeated_error is None
    assert made("not found") == "not found"
    assert made("503") == "503"
    assert made(None) is None
    assert context.view("get_order", {"order_id": "#W2"}).repeated_error is None


@pytest.mark.parametrize(
    ("between", "known"), [("think", True), ("find_user", True), ("查询物流", True), ("verify_user", False)]
)
def test_a_call_that_failed_may_work_once_something_was_changed(between: str, known: bool) -> None:
    context = RunContext("r1")
    context.fail(context.start(context.view("close", {"id": "A1"})), "not verified")
    context.finish(context.start(context.view(between, {})), "{}")

    assert (context.view("close", {"id": "A1"}).repeated_error is not None) is known
