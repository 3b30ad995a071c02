from __future__ import annotations

import pytest

from errata_client.model import JsonValue
from errata_client.run import Agent, Outcome, Run, Step
from ingest.analysis import analyse
from ingest.repair import find_repair
from ingest.run_records import shape_of
from ingest.step_context import context_text, tool_kind
from tests.ingest.making import NOW, a_run, failing, step


def a_failed_loan(**fields: object) -> Run:
    return a_run(
        step(0, "find_book", {"title": "Emma"}, user_input="I want Emma.", observation='{"id": "B-1001"}'),
        failing(1, "lend", "Error: book 'B-1001' is lent", {"book_id": "B-1001", "days": 30}),
        step(2, "lend", {"book_id": "B-1001", "days": 7}),
        **fields,
    )


def test_a_case_says_what_failed_where_and_what_the_client_knew() -> None:
    run = a_failed_loan(task_id="7", agent=Agent(name="desk", kind="react"), model_version="m-1")
    (case,) = analyse(run, "library", NOW).cases
    assert (case.run_id, case.task_id, case.occurred_at) == ("run-1", "7", NOW)
    assert (case.error_code, case.error_kind) == ("tool.error", "unknown")
    assert (case.error_message, case.error_pattern) == (
        "Error: book 'B-1001' is lent",
        "Error: book <quoted> is lent",
    )
    assert (case.trigger_step.index, case.trigger_step.step_id, case.trigger_step.tool) == (1, "lend", "lend")
    assert (case.step_context.tools_before, case.step_context.position) == (("find_book",), 0.5)
    assert (case.agent.name, case.model_version, case.requestor) == ("desk", "m-1", "agent")
    assert case.view is not None
    assert (case.view.phase, case.view.user_input) == ("before", "I want Emma.")
    assert case.view.provenance["/book_id"] == "tool"
    assert case.repair is not None
    assert (case.repair.index, case.repair.changed) == (2, {"/days": (30, 7)})


def test_a_case_has_the_same_id_however_often_and_another_one_in_another_project() -> None:
    run = a_failed_loan()
    (one,), (again,) = analyse(run, "library", NOW).cases, analyse(run, "library", NOW).cases
    (elsewhere,) = analyse(run, "archive", NOW).cases
    assert one == again
    assert one.case_id != elsewhere.case_id
    assert one.fingerprint != elsewhere.fingerprint


def test_cases_of_one_tool_and_message_share_a_fingerprint_whatever_their_ids() -> None:
    def fingerprint(tool: str, book: str, **fields: object) -> str:
        run = a_run(failing(0, tool, f"Error: book {book} is lent", {"x": 1}, **fields))
        return analyse(run, "library", NOW).cases[0].fingerprint

    assert fingerprint("lend", "B-1001") == fingerprint("lend", "B-2002")
    assert fingerprint("lend", "B-1001") != fingerprint("renew", "B-1001")
    assert fingerprint("lend", "B-1001") != fingerprint("lend", "B-1001", step_id="second_try")


def test_the_intent_is_the_first_words_without_thinking_and_bounded() -> None:
    run = a_failed_loan(user_intent="<think>hm</think> Lend me Emma. " + "please " * 500)
    (case,) = analyse(run, "library", NOW).cases
    assert case.user_intent.startswith("Lend me Emma.")
    assert len(case.user_intent) == 1_000


def test_a_run_record_has_the_agents_calls_with_shapes_and_digests_but_no_values() -> None:
    run = a_failed_loan(outcome=Outcome(status="success", reward=1.0))
    record = analyse(run, "library", NOW).record
    assert [(call.tool, call.ok, call.error_kind) for call in record.calls] == [
        ("find_book", True, None),
        ("lend", False, "unknown"),
        ("lend", True, None),
    ]
    assert record.calls[1].shapes == {"/book_id": "A-9", "/days": "number"}
    assert record.calls[1].digests["/book_id"] == record.calls[2].digests["/book_id"]
    assert record.calls[1].digests["/days"] != record.calls[2].digests["/days"]
    assert "B-1001" not in record.model_dump_json()
    assert (record.cases, record.outcome.status) == (1, "success")


def test_only_successful_paired_and_readable_calls_of_the_agent_are_references() -> None:
    run = a_run(
        step(0, "lend", {"book_id": "B-1"}),
        failing(1, "lend", "Error: no"),
        step(2, "check", requestor="user"),
        step(3, "lend", answered=False),
        step(4, "lend", paired=False),
        step(5, "lend", observation=""),
        outcome=Outcome(status="failure"),
    )
    references = analyse(run, "library", NOW).references
    assert [reference.arguments for reference in references] == [{"book_id": "B-1"}, {}]
    assert [reference.result_excerpt for reference in references] == ["ok", ""]
    assert {reference.succeeded_run for reference in references} == {False}
    assert len({reference.rank for reference in references}) == 2


def test_calls_of_the_persons_side_are_cases_of_that_side() -> None:
    (case,) = analyse(
        a_run(failing(0, "check_card", "Error: expired", requestor="user")), "library", NOW
    ).cases
    assert case.requestor == "user"
    assert case.trigger_step.step_id == "check_card"


@pytest.mark.parametrize(
    ("later", "repaired_at"),
    [
        (step(1, "lend", {"a": 1}), 1),
        (step(1, "renew", {"a": 1}), None),
        (failing(1, "lend", "Error: no", {"a": 1}), None),
        (step(1, "lend", {"a": 1}, requestor="user"), None),
        (step(1, "lend", {"a": 1}, answered=False), None),
    ],
)
def test_a_repair_is_a_later_success_of_the_same_tool_by_the_same_side(
    later: Step, repaired_at: int | None
) -> None:
    repair = find_repair(failing(0, "lend", "Error: no", {"a": 0}), [later])
    assert (repair.index if repair else None) == repaired_at


def test_a_repair_tells_what_was_changed_added_and_removed() -> None:
    broken: dict[str, JsonValue] = {"id": 1, "flag": True, "items": ["a", "b"], "old": None}
    working: dict[str, JsonValue] = {"id": "1", "flag": 1, "items": ["a", "c"], "new": "x"}
    repair = find_repair(failing(0, "lend", "no", broken), [step(1, "lend", working)])
    assert repair is not None
    assert repair.changed == {
        "/id": (1, "1"),
        "/flag": (True, 1),
        "/items/1": ("b", "c"),
        "/old": (None, None),
        "/new": (None, "x"),
    }
    assert (repair.added, repair.removed) == (("/new",), ("/old",))


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("#W2378156", "#A9"),
        ("mia_li_3668", "a_a_9"),
        ("订单12", "字9"),
        ("a b", "a a"),
        (3, "number"),
        (True, "boolean"),
        (None, "null"),
    ],
)
def test_a_shape_keeps_the_kinds_of_characters(value: JsonValue, shape: str) -> None:
    assert shape_of(value) == shape


@pytest.mark.parametrize(
    ("tool", "kind"),
    [("get_order", "read"), ("bookFlight", "write"), ("modify_order", "change"), ("cancelOrder", "remove"), ("think", "think"), ("查询订单", "read"), ("取消订单", "remove"), ("frobnicate", "other")],
)  # fmt: skip
def test_the_name_of_a_tool_tells_what_it_does(tool: str, kind: str) -> None:
    assert tool_kind(tool) == kind


def test_the_context_in_words_says_what_stood_around_the_step() -> None:
    (case,) = analyse(a_failed_loan(), "library", NOW).cases
    assert (
        context_text(case)
        == "other step: lend; after find book; midway in the run; answer: Error: book <quoted> is lent"
    )
