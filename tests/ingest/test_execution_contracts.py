"""Plan-and-execute: contracts with step results, LangGraph's states and updates, ReWOO; plans, replans and references."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from errata_client.run import Run
from ingest.adapters.port import NotAnalysed
from knowledge.errors import BadInputError
from tests.ingest.making import read, written, written_lines

Json = Any

FIND = {"id": "find", "tool": "look_up", "args": {"title": "On Rivers"}}
GIVE = {
    "id": "give",
    "tool": "give_back",
    "args": {"book_id": "${find.book_id}", "note": "copy {{steps.find.output.copies.0}} of $1"},
    "depends_on": ["find"],
    "expects": {"type": "object"},
    "premises": ["the book is lent"],
}
FOUND = {"step_id": "find", "status": "ok", "output": {"book_id": "B-1", "copies": [2]}}
FAILED = {"step_id": "give", "status": "failed", "error": "book is not lent"}


def contract(steps: list[Json], results: Json, **more: Json) -> Json:
    return {
        "contract": {
            "goal": "Return On Rivers.",
            "steps": steps,
            "allowed_tools": ["look_up", "give_back"],
            "max_replans": 1,
        },
        "step_results": results,
        **more,
    }


def one(tmp_path: Path, record: Json) -> Run:
    (run,), left_out = read(written(tmp_path / "run.json", [record]))
    assert not left_out
    return run


def read_text(tmp_path: Path, text: str) -> tuple[list[Run], list[NotAnalysed]]:
    path = tmp_path / "plan.txt"
    path.write_text(text)
    return read(path)


def test_a_contract_gives_its_plan_and_a_step_for_each_result(tmp_path: Path) -> None:
    run = one(
        tmp_path,
        contract([FIND, GIVE, {"id": "tell", "tool": "mail"}], [FOUND, FAILED], final_answer="Sorry."),
    )
    (plan,) = run.plans
    assert (run.agent.kind, run.user_intent) == ("plan_execute", "Return On Rivers.")
    assert (plan.at, plan.allowed_tools, plan.max_replans) == (0, ("look_up", "give_back"), 1)
    assert [(step.step_id, step.tool, step.status) for step in plan.steps] == [
        ("find", "look_up", "done"),
        ("give", "give_back", "failed"),
        ("tell", "mail", "planned"),
    ]
    assert (plan.steps[1].depends_on, plan.steps[1].premises) == (("find",), ("the book is lent",))
    assert plan.steps[1].expects == {"type": "object"}
    assert plan.steps[1].arguments["book_id"] == "${find.book_id}"
    assert [step.step_id for step in run.steps] == ["find", "give", None]
    assert run.steps[1].error is not None
    assert run.steps[1].error.message == "book is not lent"
    assert run.steps[2].raw_output == "Sorry."


def test_references_to_earlier_outputs_are_what_the_call_was_made_with(tmp_path: Path) -> None:
    call = one(tmp_path, contract([FIND, GIVE], [FOUND, FAILED])).steps[1].tool_call
    assert call is not None
    assert call.arguments == {"book_id": "B-1", "note": "copy 2 of $1"}


def test_an_output_that_is_json_text_is_looked_into(tmp_path: Path) -> None:
    found = {**FOUND, "output": '{"book_id": "B-7"}'}
    call = one(tmp_path, contract([FIND, GIVE], [found, FAILED])).steps[1].tool_call
    assert call is not None
    assert call.arguments["book_id"] == "B-7"


def test_a_reference_that_leads_nowhere_stays_as_it_was_written(tmp_path: Path) -> None:
    call = one(tmp_path, contract([GIVE], [FAILED])).steps[0].tool_call
    assert call is not None
    assert call.arguments["book_id"] == "${find.book_id}"


def test_arguments_that_a_result_gives_are_those_of_the_call(tmp_path: Path) -> None:
    call = one(tmp_path, contract([FIND], [{**FOUND, "args": {"title": "Rivers"}}])).steps[0].tool_call
    assert call is not None
    assert call.arguments == {"title": "Rivers"}


def test_what_arguments_refer_to_is_depended_on_where_nothing_else_is_said(tmp_path: Path) -> None:
    step = {**GIVE}
    del step["depends_on"]
    assert one(tmp_path, contract([FIND, step], [FOUND])).plans[0].steps[1].depends_on == ("find", "1")


@pytest.mark.parametrize(
    ("result", "wrong"),
    [
        ({"status": "ok", "output": "Error: is the name of the book"}, False),
        ({"status": "failed", "output": "no such book"}, True),
        ({"status": "done", "error": None, "output": "x"}, False),
        ({"success": False, "output": "no such book"}, True),
        ({"output": "Error: no such book"}, True),
        ({"output": "an error of 3 %"}, False),
        ({"error": {"message": "no such book", "code": 404}}, True),
        ({"状态": "失败", "输出": "没有这本书"}, True),
        ({"status": "完成", "output": "好"}, False),
    ],
)
def test_a_status_decides_over_the_words_of_an_output(tmp_path: Path, result: Json, wrong: bool) -> None:
    run = one(tmp_path, contract([FIND], [{"step_id": "find", **result}]))
    assert (run.steps[0].error is not None) is wrong
    assert run.plans[0].steps[0].status == ("failed" if wrong else "done")


def test_a_skipped_step_is_no_step_of_the_run(tmp_path: Path) -> None:
    run = one(
        tmp_path,
        contract([FIND, GIVE], [{**FAILED, "step_id": "find"}, {"step_id": "give", "status": "skipped"}]),
    )
    assert [step.step_id for step in run.steps] == ["find"]
    assert [step.status for step in run.plans[0].steps] == ["failed", "skipped"]


def test_a_plan_made_anew_begins_where_its_first_step_was_done(tmp_path: Path) -> None:
    again = {"steps": [{"id": "ask", "tool": "mail"}], "reason": "it is not lent"}
    done = {"step_id": "ask", "status": "done", "output": "sent"}
    run = one(tmp_path, contract([FIND, GIVE], [FOUND, FAILED, done], replans=[again]))
    assert [plan.at for plan in run.plans] == [0, 2]
    assert [[step.status for step in plan.steps] for plan in run.plans] == [["done", "failed"], ["done"]]


def test_a_plan_that_was_never_begun_stands_at_the_end(tmp_path: Path) -> None:
    run = one(tmp_path, contract([FIND], [FOUND], replans=[{"steps": [{"id": "ask", "tool": "mail"}]}]))
    assert [plan.at for plan in run.plans] == [0, 1]


def test_results_may_say_which_plan_they_are_of(tmp_path: Path) -> None:
    results = [{**FAILED, "step_id": "find", "plan": 0}, {**FOUND, "plan": 1}]
    record = {"goal": "g", "plans": [{"steps": [FIND]}, {"steps": [FIND]}], "results": results}
    run = one(tmp_path, record)
    assert [(plan.at, plan.steps[0].status) for plan in run.plans] == [(0, "failed"), (1, "done")]


def test_results_may_be_kept_by_id_in_the_plan_or_out_of_order(tmp_path: Path) -> None:
    early = {**FOUND, "started_at": "2026-02-01T10:00:00Z"}
    late = {**FAILED, "started_at": "2026-02-01T10:00:05Z", "ended_at": "2026-02-01T10:00:06Z"}
    by_id = {
        "find": {"output": {"book_id": "B-1"}},
        "give": {"status": "failed", "error": "book is not lent"},
    }
    within = [
        {**FIND, "status": "done", "output": "x"},
        {**GIVE, "status": "failed", "error": "y"},
        {"id": "z", "tool": "t"},
    ]
    for record in (
        contract([FIND, GIVE], [late, early]),
        contract([FIND, GIVE], by_id),
        {"plan": {"steps": within}},
    ):
        run = one(tmp_path, record)
        assert [step.step_id for step in run.steps] == ["find", "give"]
        assert [step.error is not None for step in run.steps] == [False, True]


def test_a_wrong_result_is_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    (run,), left_out = read(written(tmp_path / "run.json", [contract([FIND, GIVE], [FOUND, 7, FAILED])]))
    assert len(run.steps) == 2
    assert [item.position for item in left_out] == ["record 1, result 2"]


def test_a_goal_is_a_planners_words_and_an_input_a_persons(tmp_path: Path) -> None:
    assert not one(tmp_path, contract([FIND], [FOUND])).complete
    assert one(tmp_path, contract([FIND], [FOUND], input="Return On Rivers.")).complete


def test_a_plan_with_a_cycle_is_kept_as_it_is(tmp_path: Path) -> None:
    steps = [{"id": "a", "tool": "x", "depends_on": ["b"]}, {"id": "b", "tool": "y", "depends_on": "a"}]
    plan = one(tmp_path, contract(steps, [{"step_id": "a", "status": "done"}])).plans[0]
    assert [step.depends_on for step in plan.steps] == [("b",), ("a",)]


UPDATES = [
    {"planner": {"plan": ["find the book", "give it back"]}},
    {"agent": {"past_steps": [["find the book", "B-1"]]}},
    {"replan": {"plan": ["give it back", "tell the reader"]}},
    {"agent": {"past_steps": [["give it back", "Error: book is not lent"]]}},
    {"replan": {"response": "It was not lent."}},
]


def test_the_updates_of_a_plan_and_execute_graph_are_one_run_in_lines_an_array_or_a_record(
    tmp_path: Path,
) -> None:
    paths = [
        written_lines(tmp_path / "a.jsonl", UPDATES),
        written(tmp_path / "b.json", UPDATES),
        written_lines(tmp_path / "c.jsonl", [UPDATES, UPDATES[:2]]),
    ]
    for path in paths:
        run = read(path)[0][0]
        assert [(step.step_id, step.tool_call.tool) for step in run.steps if step.tool_call] == [
            ("1", "agent"),
            ("2", "agent"),
        ]
        assert [[step.step_id for step in plan.steps] for plan in run.plans] == [["1", "2"], ["2", "3"]]
        assert [plan.at for plan in run.plans] == [0, 1]
        assert [step.status for step in run.plans[1].steps] == ["failed", "planned"]
        assert run.steps[-1].raw_output == "It was not lent."


def test_a_final_state_has_what_was_done_before_what_was_left_to_do(tmp_path: Path) -> None:
    state = {
        "input": "q",
        "plan": ["c"],
        "past_steps": [["a", "one"], ["b", "Error: two"]],
        "response": "no",
        "run_id": "r",
    }
    run = one(tmp_path, state)
    assert (run.run_id, run.user_intent) == ("r", "q")
    assert [(step.purpose, step.status) for step in run.plans[0].steps] == [
        ("a", "done"),
        ("b", "failed"),
        ("c", "planned"),
    ]
    assert [step.step_id for step in run.steps] == ["1", "2", None]


REWOO = """Task: Who has B-1001, and until when?
Plan: Find the book.
#E1 = look_up[B-1001]
Plan: Ask who has it. #E2 = reader[of #E1]
Plan: Sum up.
#E3 = LLM[Until when? Given #E1 and #E2]
#E1: due 3 May
as lent
#E2: Error: no such reader
Solution: Until 3 May.
"""


def test_a_rewoo_plan_is_read_with_its_evidence(tmp_path: Path) -> None:
    (run,), left_out = read_text(tmp_path, REWOO)
    assert not left_out
    assert run.user_intent == "Who has B-1001, and until when?"
    assert [(step.step_id, step.tool, step.depends_on, step.status) for step in run.plans[0].steps] == [
        ("#E1", "look_up", (), "done"),
        ("#E2", "reader", ("#E1",), "failed"),
        ("#E3", "LLM", ("#E1", "#E2"), "planned"),
    ]
    assert [step.purpose for step in run.plans[0].steps] == ["Find the book.", "Ask who has it.", "Sum up."]
    assert run.steps[0].observation == "due 3 May\nas lent"
    assert run.steps[1].tool_call is not None
    assert run.steps[1].tool_call.arguments == {"input": "of due 3 May\nas lent"}
    assert run.steps[-1].raw_output == "Until 3 May."


def test_several_rewoo_plans_in_chinese_too(tmp_path: Path) -> None:
    chinese = "任务：B-2 在吗？\n计划：查书\n#E1 = 查询[B-2]\n证据：没有\n答案：不在\n"
    runs, _ = read_text(tmp_path, REWOO + "\n" + chinese)
    assert [run.user_intent for run in runs] == ["Who has B-1001, and until when?", "B-2 在吗？"]
    assert (runs[1].steps[0].observation, runs[1].steps[1].raw_output) == ("没有", "不在")


def test_the_state_of_a_rewoo_graph_is_read(tmp_path: Path) -> None:
    state = {
        "task": "Who has B-1?",
        "plan_string": "Plan: Find it. #E1 = look_up[B-1]\nPlan: Ask. #E2 = reader[#E1]",
        "steps": [["Find it. ", "#E1", "look_up", "B-1"], ["Ask. ", "#E2", "reader", "#E1"]],
        "results": {"#E1": "on loan", "#E2": "Error: no such reader"},
        "result": "Nobody knows.",
    }
    run = one(tmp_path, state)
    assert [(step.step_id, step.error is not None) for step in run.steps] == [
        ("#E1", False),
        ("#E2", True),
        (None, False),
    ]
    assert run.steps[1].tool_call is not None
    assert run.steps[1].tool_call.arguments == {"input": "on loan"}


@pytest.mark.parametrize(
    "record",
    [
        {"plan": "basic", "results": [1, 2]},
        {"plan": ["a", "b"], "results": 3},
        {"plan": {"steps": []}},
        {"past_steps": []},
    ],
)
def test_a_record_that_only_has_the_words_is_no_contract(tmp_path: Path, record: Json) -> None:
    with pytest.raises(BadInputError, match="no known kind of source"):
        read(written(tmp_path / "run.json", [record]))


def test_prose_about_a_plan_is_none(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="not JSON"):
        read_text(tmp_path, "Plan: we meet at noon.\nResult: nobody came.\n")
