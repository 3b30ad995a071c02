"""What counts as a failure in a trace, and what does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errata_client.run import Run, StepError
from ingest.adapters.otlp.assembly import runs_of
from ingest.adapters.otlp.json_wire import spans_in
from ingest.adapters.otlp.span import Span
from ingest.adapters.otlp.traces import trace_of
from ingest.masking import Masker
from ingest.service import ingest_file
from knowledge.store import Store
from tests.ingest.making import KEY, a_shift
from tests.ingest.spans import LENT, TRACE, agent, event, exception, request, span, tool

Json = Any
BOOM = exception("library.LoanError", "book B-1001 is lent")


def run_of(*spans: Json) -> Run:
    found = [one for one in spans_in(request(*spans)) if isinstance(one, Span)]
    (run,) = (item for item in runs_of(trace_of(TRACE, found)) if isinstance(item, Run))
    return run


def errors(run: Run) -> list[StepError | None]:
    return [step.error for step in run.steps if step.tool_call]


def failed(message: str = "") -> Json:
    return {"code": 2, "message": message}


def test_a_child_in_error_under_a_parent_that_says_ok_is_a_failure() -> None:
    run = run_of(
        agent(status={"code": 1}), tool(2, status=failed("LoanError: book B-1001 is lent"), events=[BOOM])
    )
    (error,) = errors(run)
    assert error is not None
    assert (error.message, error.type) == ("LoanError: book B-1001 is lent", "library.LoanError")
    assert run.outcome.status == "unknown"


def test_one_exception_at_three_levels_is_one_failure(tmp_path: Path, store: Store) -> None:
    told = {"status": failed("book B-1001 is lent"), "events": [BOOM]}
    spans = [
        agent(**told),
        span(2, "plan", {"openinference.span.kind": "CHAIN"}, 1, **told),
        tool(3, parent=2, **told),
    ]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(request(*spans)))
    report = ingest_file(path, "auto", a_shift(store), Masker(KEY))
    assert report.by_error_code == {"tool.error": 1}


def test_a_call_that_failed_by_a_call_inside_it_is_no_second_failure_and_no_success() -> None:
    told = {"status": failed(), "events": [BOOM]}
    asks = span(2, "ask_finder", {"gen_ai.tool.name": "ask_finder"}, 1, **told)
    run = run_of(agent(), asks, agent(3, name="finder", parent=2), tool(4, parent=3, **told))
    by_tool = {step.tool_call.tool: step for step in run.steps if step.tool_call}
    assert by_tool["lend"].error is not None
    assert by_tool["ask_finder"].error is None
    assert not by_tool["ask_finder"].answered


def test_a_call_that_two_instrumentations_saw_is_one() -> None:
    inner = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "lend", "gen_ai.tool.call.result": LENT}
    outer = tool(2, status=failed(), events=[BOOM])
    run = run_of(agent(), outer, span(3, "tools/call lend", inner, 2, status=failed(), events=[BOOM]))
    (step,) = run.steps
    assert step.observation == LENT
    assert step.error is not None


@pytest.mark.parametrize(
    "kind",
    [
        "KeyboardInterrupt",
        "asyncio.exceptions.CancelledError",
        "java.util.concurrent.CancellationException",
        "GraphInterrupt",
    ],
)
def test_a_user_s_interrupt_is_no_failure_and_no_success(kind: str) -> None:
    told = {"status": failed(f"{kind}: "), "events": [exception(kind, "")]}
    run = run_of(agent(**told), tool(2, **told))
    (step,) = run.steps
    assert step.error is None
    assert not step.answered
    assert run.outcome.status == "aborted"


def test_a_cancelled_call_does_not_abort_a_run_that_went_on() -> None:
    told = {"status": failed(), "events": [exception("CancelledError", "")]}
    run = run_of(agent(), tool(2, **told), tool(3, "lent", call="c2"))
    assert [step.answered for step in run.steps] == [False, True]
    assert run.outcome.status == "unknown"


@pytest.mark.parametrize(
    ("result", "is_error"),
    [
        (LENT, True),
        ('{"error": "book is lent"}', True),
        ('{"status": "error", "message": "book is lent"}', True),
        ("查询失败，图书不存在", True),
        ("No error was found in your record.", False),
        ("Lent: 'The Comedy of Errors'", False),
        ('{"title": "Error handling", "status": "lent"}', False),
        ('{"errors": 0, "lent": true}', False),
        ("", False),
    ],
)
def test_the_result_decides_where_the_status_says_ok(result: str, is_error: bool) -> None:
    run = run_of(agent(), tool(2, result, status={"code": 1}))
    (error,) = errors(run)
    assert (error is not None) is is_error


def test_a_status_of_error_decides_whatever_the_result_says() -> None:
    (error,) = errors(run_of(agent(), tool(2, "half of it", status=failed("disk full"))))
    assert error is not None
    assert error.message == "disk full"


def test_a_bare_status_of_error_takes_its_words_from_the_result() -> None:
    (error,) = errors(run_of(agent(), tool(2, LENT, status=failed())))
    assert error is not None
    assert error.message == LENT


def test_a_flag_beside_the_result_calls_it_an_error() -> None:
    one = tool(2, "the book is out")
    one["attributes"].append({"key": "gen_ai.tool.status", "value": {"stringValue": "error"}})
    (error,) = errors(run_of(agent(), one))
    assert error is not None
    assert error.message == "the book is out"


def test_without_a_result_the_error_of_a_request_inside_the_call_is_its_own() -> None:
    inner = span(3, "POST /loans", {"http.response.status_code": 409}, 2, status=failed("409 Conflict"))
    (error,) = errors(run_of(agent(), tool(2), inner))
    assert error is not None
    assert (error.message, error.status) == ("409 Conflict", 409)


def test_with_a_result_a_request_that_failed_inside_the_call_was_made_good() -> None:
    inner = span(3, "POST /loans", {}, 2, status=failed("503"))
    assert errors(run_of(agent(), tool(2, "lent", status={"code": 1}), inner)) == [None]


def test_an_exception_that_was_caught_inside_a_call_that_is_fine_is_none() -> None:
    assert errors(run_of(agent(), tool(2, "lent", events=[BOOM]))) == [None]


def test_error_type_and_message_make_up_for_a_missing_exception() -> None:
    values = {"gen_ai.tool.name": "lend", "error.type": "TimeoutError", "error.message": "after 30 s"}
    (error,) = errors(run_of(agent(), span(2, "lend", values, 1, status=failed())))
    assert error is not None
    assert (error.type, error.message) == ("TimeoutError", "TimeoutError")


def test_a_call_whose_span_did_not_end_is_neither_a_failure_nor_a_success() -> None:
    run = run_of(agent(), tool(2, endTimeUnixNano="0"))
    assert [(step.error, step.answered) for step in run.steps] == [(None, False)]


def test_evaluations_beside_a_call_are_no_calls() -> None:
    judged = span(3, "faithfulness", {"openinference.span.kind": "EVALUATOR"}, 1, status=failed("no"))
    run = run_of(agent(), tool(2, "lent"), judged, span(4, "log", {}, 1, events=[event("note", {"a": 1})]))
    assert [step.tool_call.tool for step in run.steps if step.tool_call] == ["lend"]
