"""LangSmith's runs, whole and in halves, in every container: one failure for each call that failed, and no other."""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from errata_client.run import Run
from ingest.adapters.langsmith import LangSmith
from ingest.adapters.records import open_source
from ingest.detectors.max_steps import DETECTOR as MAX_STEPS
from tests.ingest.making import found, read, written, written_lines
from tests.ingest.tracing import TRACE, a_desk, asks, generation, lc, ls_run, raised, run_id

OTHER = "01990000-0000-7000-8000-000000009001"


def the_run(tmp_path: Path, records: Any) -> Run:
    (run,), left_out = read(written(tmp_path / "runs.json", records), "langsmith")
    assert not left_out
    return run


def called(run: Run) -> list[tuple[str, dict[str, Any], str | None]]:
    """Of each call its tool, its arguments and its error."""
    return [
        (step.tool_call.tool, step.tool_call.arguments, step.error.message if step.error else None)
        for step in run.steps
        if step.tool_call
    ]


DESK = [("find", {"title": "Emma"}, None), ("lend", {"book_id": "B-77"}, "ValueError: book is lent")]


def test_a_graph_is_read_with_all_that_it_says_of_itself(tmp_path: Path) -> None:
    run = the_run(tmp_path, a_desk())
    assert called(run) == DESK
    first, second, last = run.steps
    assert (first.user_input, first.step_id, first.observation) == (
        "Lend me Emma.",
        "tools",
        '{"book_id": "B-77"}',
    )
    assert second.error is not None
    assert (second.thought, second.observation, second.error.type) == (
        "Found it.",
        "Error: lent",
        "ValueError",
    )
    assert (second.input_tokens, second.output_tokens) == (21, 4)
    assert (last.raw_output, last.step_id, last.tool_call) == ("It is lent.", "agent", None)
    assert (run.run_id, run.agent.name, run.agent.version) == (TRACE, "desk", "7")
    assert (run.model_version, run.conversation_id, run.max_steps) == ("some-model", "thread-1", 12)
    assert (run.user_intent, run.prompt) == ("Lend me Emma.", "You are the desk of a library.")
    assert [tool.name for tool in run.tools] == ["find", "lend"]
    assert run.outcome.status == "unknown"
    assert run.started_at is not None
    assert run.started_at.isoformat() == "2026-03-01T10:00:01+00:00"


def halves(runs: list[Any]) -> tuple[list[Any], list[Any]]:
    """Create and update halves, as the SDK posts and patches them."""
    late = ("end_time", "outputs", "error")
    post = [
        {**{key: value for key, value in run.items() if key not in late}, "outputs": None} for run in runs
    ]
    patch = [
        {"id": run["id"], "trace_id": run["trace_id"], "dotted_order": run["dotted_order"], "inputs": {}}
        | {key: run[key] for key in late}
        for run in runs
    ]
    return post, patch


def containers() -> dict[str, Any]:
    runs = a_desk()
    post, patch = halves(runs)
    shuffled = random.Random(5).sample(runs, len(runs))
    as_text = [
        {**run, **{key: json.dumps(run[key]) for key in ("inputs", "outputs", "extra")}} for run in runs
    ]
    tree = {**runs[0], "child_runs": [{k: v for k, v in run.items() if k != "trace_id"} for run in runs[1:]]}
    paths = [{k: v for k, v in run.items() if k not in {"trace_id", "parent_run_id"}} for run in runs]
    for run in paths[1:]:
        run["dotted_order"] = f"{paths[0]['dotted_order'].rpartition('Z')[0]}Z{TRACE}.{run['dotted_order']}"
    paths[0]["dotted_order"] = paths[0]["dotted_order"].rpartition("Z")[0] + f"Z{TRACE}"
    return {
        "array": runs,
        "any order": shuffled,
        "runs": {"runs": runs, "cursors": {"next": None}},
        "data": {"data": runs},
        "batch": {"post": post, "patch": patch},
        "update before create": [*patch, *post],
        "one tree": tree,
        "list of trees": [tree],
        "bulk export": as_text,
        "only dotted_order": paths,
        "sorted keys": json.loads(json.dumps(runs, sort_keys=True)),
    }


@pytest.mark.parametrize("name", containers())
def test_every_container_holds_the_same_run(tmp_path: Path, name: str) -> None:
    expected = the_run(tmp_path, a_desk())
    found, left_out = read(written(tmp_path / "file.json", containers()[name]))
    assert not left_out
    assert [called(run) for run in found] == [DESK]
    assert found[0].run_id == expected.run_id
    assert [step.observation for step in found[0].steps] == [step.observation for step in expected.steps]


@pytest.mark.parametrize("name", containers())
def test_lines_hold_the_same_run_too(tmp_path: Path, name: str) -> None:
    held = containers()[name]
    found, left_out = read(written_lines(tmp_path / "file.jsonl", held if isinstance(held, list) else [held]))
    assert not left_out
    assert [called(run) for run in found] == [DESK]


def test_traces_may_be_mixed(tmp_path: Path) -> None:
    mixed = [run for pair in zip(a_desk(), a_desk(OTHER), strict=True) for run in pair]
    runs, left_out = read(written_lines(tmp_path / "runs.jsonl", mixed))
    assert not left_out
    assert [(run.run_id, called(run)) for run in runs] == [(TRACE, DESK), (OTHER, DESK)]


def test_a_trace_without_its_root_is_read(tmp_path: Path) -> None:
    run = the_run(tmp_path, a_desk()[1:])
    assert called(run) == DESK
    assert run.run_id == TRACE


def test_one_exception_at_three_levels_is_one_failure_at_the_call(tmp_path: Path) -> None:
    runs = [
        ls_run(1, "chain", "desk", error=raised("KeyError", "B-77", 3)),
        ls_run(2, "chain", "tools", error=raised("KeyError", "B-77", 2)),
        ls_run(3, "tool", "lend", 2, inputs={"book_id": "B-77"}, error=raised("KeyError", "B-77", 1)),
    ]
    run = the_run(tmp_path, runs)
    assert called(run) == [("lend", {"book_id": "B-77"}, "KeyError: 'B-77'")]
    assert len(run.steps) == 1
    assert (run.outcome.status, run.outcome.reason) == ("failure", "KeyError: 'B-77'")


def test_an_agent_that_is_a_tool_passes_the_exception_of_its_own_call_on(tmp_path: Path) -> None:
    inner = asks("c2", "lend", {"book_id": "B-77"})
    runs = [
        ls_run(1, "chain", "desk"),
        ls_run(2, "tool", "ask_lender", inputs={"task": "lend B-77"}, error=raised("KeyError", "B-77", 2)),
        ls_run(
            3,
            "llm",
            "ChatModel",
            2,
            inputs={"messages": [[lc("HumanMessage", content="lend B-77")]]},
            outputs=generation(inner),
        ),
        ls_run(4, "tool", "lend", 2, inputs={"book_id": "B-77"}, error=raised("KeyError", "B-77")),
    ]
    run = the_run(tmp_path, runs)
    assert called(run) == [
        ("ask_lender", {"task": "lend B-77"}, None),
        ("lend", {"book_id": "B-77"}, "KeyError: 'B-77'"),
    ]
    assert [step.answered for step in run.steps] == [False, True]
    assert not any(step.user_input for step in run.steps)


def test_a_tool_within_a_tool_is_how_it_works_and_no_call(tmp_path: Path) -> None:
    runs = [
        ls_run(1, "chain", "desk"),
        ls_run(2, "tool", "find", inputs={"title": "Emma"}, outputs={"output": "B-77"}),
        ls_run(3, "retriever", "shelves", 2, inputs={"query": "Emma"}, outputs={"documents": []}),
    ]
    assert called(the_run(tmp_path, runs)) == [("find", {"title": "Emma"}, None)]


@pytest.mark.parametrize(
    ("error", "status", "failed"),
    [
        (
            "GraphInterrupt((Interrupt(value='sure?', id='1'),))Traceback (most recent call last):\n\n",
            "unknown",
            False,
        ),
        ("KeyboardInterrupt()", "aborted", False),
        (
            'CancelledError()\n\nTraceback (most recent call last):\n  File "a.py"\nasyncio.exceptions.CancelledError',
            "aborted",
            False,
        ),
        ("Cancelled", "aborted", False),
        ("ValueError('the order was cancelled by user')", "failure", True),
        ("OrderCancelledError('B-77')", "failure", True),
    ],
)
def test_an_interrupt_or_a_cancellation_is_no_failure(
    tmp_path: Path, error: str, status: str, failed: bool
) -> None:
    runs = [
        ls_run(1, "chain", "desk", error=error),
        ls_run(2, "tool", "lend", inputs={"book_id": "B-77"}, error=error),
    ]
    run = the_run(tmp_path, runs)
    assert run.outcome.status == status
    assert (run.steps[0].error is not None, run.steps[0].answered) == (failed, failed)


def test_a_call_typed_as_a_plain_chain_is_a_call(tmp_path: Path) -> None:
    runs = [
        ls_run(1, "chain", "desk"),
        ls_run(2, "llm", "ChatModel", outputs=generation(asks("c1", "lend", {"book_id": "B-77"}))),
        ls_run(3, "chain", "lend", inputs={"book_id": "B-77"}, error=raised("ValueError", "book is lent")),
        ls_run(4, "chain", "format_answer", inputs={"book_id": "B-77"}, outputs={"output": "Error: none"}),
    ]
    assert called(the_run(tmp_path, runs)) == [("lend", {"book_id": "B-77"}, "ValueError: book is lent")]


def test_a_call_without_a_tool_run_is_answered_by_the_message_in_a_later_prompt(tmp_path: Path) -> None:
    person, ask = lc("HumanMessage", content="Lend me B-77."), asks("c1", "lend", {"book_id": "B-77"})
    answer = lc("ToolMessage", content="book is lent", tool_call_id="c1", status="error")
    runs = [
        ls_run(1, "chain", "desk"),
        ls_run(2, "llm", "ChatModel", inputs={"messages": [[person]]}, outputs=generation(ask)),
        ls_run(
            3,
            "llm",
            "ChatModel",
            inputs={"messages": [[person, ask, answer]]},
            outputs=generation(lc("AIMessage", content="Sorry.")),
        ),
    ]
    assert called(the_run(tmp_path, runs)) == [("lend", {"book_id": "B-77"}, "book is lent")]


def test_a_root_alone_is_read_by_its_messages(tmp_path: Path) -> None:
    person, call = (
        {"type": "human", "content": "Lend me B-77."},
        {"name": "lend", "args": {"book_id": "B-77"}, "id": "c1"},
    )
    told = [
        person,
        {"type": "ai", "content": "", "tool_calls": [call]},
        {"type": "tool", "content": "Error: book is lent", "tool_call_id": "c1", "status": "success"},
        {"type": "ai", "content": "Sorry."},
    ]
    run = the_run(
        tmp_path, [ls_run(1, "chain", "desk", inputs={"messages": [person]}, outputs={"messages": told})]
    )
    assert called(run) == [("lend", {"book_id": "B-77"}, "Error: book is lent")]
    assert run.steps[-1].raw_output == "Sorry."


def test_calls_of_earlier_turns_are_history_whose_answers_are_known(tmp_path: Path) -> None:
    before = asks("c1", "find", {"title": "Emma"})
    told = lc("ToolMessage", content="Error: B-77 is lent", tool_call_id="c1", status="error")
    talk = [lc("HumanMessage", content="Find Emma."), before, told, lc("HumanMessage", content="Renew it.")]
    runs = [
        ls_run(1, "chain", "desk"),
        ls_run(
            2,
            "llm",
            "ChatModel",
            inputs={"messages": [talk]},
            outputs=generation(asks("c2", "renew", {"book_id": "B-77"})),
        ),
        ls_run(3, "tool", "renew", inputs={"book_id": "B-77"}, outputs={"output": "renewed"}),
    ]
    run = the_run(tmp_path, runs)
    assert called(run) == [("renew", {"book_id": "B-77"}, None)]
    assert run.steps[0].observation == "Error: B-77 is lent"
    assert run.user_intent == "Renew it."


def test_a_call_that_several_traces_repeat_is_read_once(tmp_path: Path) -> None:
    person, ask = (
        {"role": "user", "content": "Lend me B-77."},
        {"id": "c1", "function": {"name": "lend", "arguments": '{"book_id": "B-77"}'}},
    )
    talk = [
        person,
        {"role": "assistant", "tool_calls": [ask]},
        {"role": "tool", "tool_call_id": "c1", "content": "Error: lent"},
    ]
    later = [*talk, {"role": "assistant", "content": "Lent."}]
    said = {"choices": [{"message": {"role": "assistant", "content": "Hm."}}]}
    runs = [
        ls_run(1, "llm", "ChatOpenAI", inputs={"messages": talk, "model": "some-model"}, outputs=said),
        ls_run(
            1,
            "llm",
            "ChatOpenAI",
            trace=OTHER,
            inputs={"messages": later, "model": "some-model"},
            outputs=said,
        ),
    ]
    found, _ = read(written(tmp_path / "runs.json", runs))
    assert [called(run) for run in found] == [[("lend", {"book_id": "B-77"}, "Error: lent")], []]
    assert found[0].model_version == "some-model"


@pytest.mark.parametrize(
    ("answer", "is_error"),
    [
        (
            {"output": {"type": "tool", "content": "Error: lent", "tool_call_id": "c", "status": "success"}},
            True,
        ),
        ({"output": {"type": "tool", "content": "lent", "tool_call_id": "c", "status": "error"}}, True),
        (
            {
                "output": {
                    "type": "tool",
                    "content": "no error was found",
                    "tool_call_id": "c",
                    "status": "success",
                }
            },
            False,
        ),
        ({"output": '{"errors": 0, "error": null}'}, False),
        ({"output": '{"error": "lent"}'}, True),
        ({"output": "The word error stands on page 7."}, False),
        ({"error": "lent"}, True),
        (None, False),
    ],
)
def test_answers_are_errors_only_if_flagged_or_begun_as_one(
    tmp_path: Path, answer: Any, is_error: bool
) -> None:
    run = the_run(tmp_path, [ls_run(1, "tool", "lend", inputs={"book_id": "B-77"}, outputs=answer)])
    assert (run.steps[0].error is not None) is is_error


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ({"input": "{'book_id': 'B-77', 'days': 3}"}, {"book_id": "B-77", "days": 3}),
        ({"input": '{"book_id": "B-77"}'}, {"book_id": "B-77"}),
        ({"input": "Emma"}, {"input": "Emma"}),
        ({"book_id": "B-77"}, {"book_id": "B-77"}),
        ({"name": "lend", "args": {"book_id": "B-77"}, "id": "c1", "type": "tool_call"}, {"book_id": "B-77"}),
        (
            {"tool_call": {"name": "lend", "args": {"book_id": "B-77"}, "id": "c1"}, "state": {}},
            {"book_id": "B-77"},
        ),
        ({"args": [], "kwargs": {"book_id": "B-77"}}, {"book_id": "B-77"}),
        (None, {}),
    ],
)
def test_arguments_are_read_however_a_tool_was_given_them(tmp_path: Path, given: Any, arguments: Any) -> None:
    run = the_run(tmp_path, [ls_run(1, "tool", "lend", inputs=given, outputs={"output": "lent"})])
    assert called(run) == [("lend", arguments, None)]
    assert run.steps[0].tool_call is not None
    assert run.steps[0].tool_call.raw_arguments is None


def test_arguments_that_are_no_json_stay_as_the_model_wrote_them(tmp_path: Path) -> None:
    broken = {
        "name": "lend",
        "args": '{"book_id": "B-77"',
        "id": "c1",
        "error": None,
        "type": "invalid_tool_call",
    }
    message = lc("AIMessage", content="", tool_calls=[], invalid_tool_calls=[broken])
    run = the_run(tmp_path, [ls_run(1, "llm", "ChatModel", outputs=generation(message))])
    assert run.steps[0].tool_call is not None
    assert run.steps[0].tool_call.raw_arguments == '{"book_id": "B-77"'


@pytest.mark.parametrize(
    ("feedback", "status", "reward"),
    [
        ({"correctness": {"n": 1, "avg": 0.0}}, "failure", 0.0),
        ({"user_score": {"n": 1, "avg": 1.0}}, "success", 1.0),
        ({"User Score": {"n": 2, "avg": 0.5}}, "unknown", 0.5),
        ({"hallucination": {"n": 1, "avg": 0.0}}, "unknown", None),
        ({"exact_match": 0}, "failure", 0.0),
    ],
)
def test_feedback_is_the_outcome_where_its_name_says_so(
    tmp_path: Path, feedback: Any, status: str, reward: Any
) -> None:
    run = the_run(tmp_path, [ls_run(1, "chain", "desk", inputs={"input": "Hello"}, feedback_stats=feedback)])
    assert (run.outcome.status, run.outcome.reward) == (status, reward)
    assert run.user_intent == "Hello"


def test_the_bound_of_a_graph_is_the_runs(tmp_path: Path) -> None:
    told = "GraphRecursionError('Recursion limit of 25 reached without hitting a stop condition.')"
    run = the_run(tmp_path, [ls_run(1, "chain", "desk", error=told)])
    assert (run.max_steps, run.outcome.status, run.steps) == (25, "failure", ())


def test_a_models_own_error_is_a_step_and_told(tmp_path: Path) -> None:
    runs = [
        ls_run(1, "chain", "desk", error="RateLimitError('429')"),
        ls_run(2, "llm", "ChatModel", error="RateLimitError('429')"),
    ]
    (run,), left_out = read(written(tmp_path / "runs.json", runs))
    assert [step.error.type for step in run.steps if step.error] == ["RateLimitError"]
    assert [(item.position, item.reason) for item in left_out] == [
        (f"trace {TRACE}, ChatModel", "an error without a tool call: no detector reads those")
    ]


def test_what_is_no_run_is_told_at_its_place_and_the_rest_goes_on(tmp_path: Path) -> None:
    records = [*a_desk()[:3], 42, {"no": "run"}, *a_desk()[3:]]
    (run,), left_out = read(written(tmp_path / "runs.json", records))
    assert called(run) == DESK
    assert [item.position for item in left_out] == ["record 4", "record 5"]


def test_a_bound_on_what_is_held_takes_traces_as_whole_and_tells_what_came_too_late(tmp_path: Path) -> None:
    traces = [TRACE[:-4] + f"{number}001" for number in range(1, 9)]
    early = [run for trace in traces for run in a_desk(trace)[:5]]
    late = [run for trace in traces for run in a_desk(trace)[5:]]
    opening = open_source(written_lines(tmp_path / "runs.jsonl", [*early, *late]))
    items = list(LangSmith(held=20_000).read(opening))
    runs = [item for item in items if isinstance(item, Run)]
    assert sorted(run.run_id for run in runs) == traces
    assert all(called(run) == DESK for run in runs)
    told = [item for item in items if not isinstance(item, Run)]
    assert 0 < len(told) < len(traces)
    assert all("came after" in item.reason for item in told)


def test_parents_in_a_circle_do_no_harm(tmp_path: Path) -> None:
    runs = [
        ls_run(2, "chain", "one", 3),
        ls_run(3, "chain", "two", 2),
        ls_run(4, "tool", "lend", 3, inputs={"book_id": "B-77"}, error="KeyError: 'B-77'"),
    ]
    assert runs[0]["parent_run_id"] == run_id(3)
    assert called(the_run(tmp_path, runs)) == [("lend", {"book_id": "B-77"}, "KeyError: 'B-77'")]


@pytest.mark.parametrize("key", ["runs", "data"])
def test_an_object_longer_than_a_record_may_be_is_taken_apart(tmp_path: Path, key: str) -> None:
    held = {"meta": {"page": 1}, key: [*a_desk(), *a_desk(OTHER)]}
    path = written(tmp_path / "file.json", held)
    limit = path.stat().st_size // 3
    runs, left_out = read(path, limit=limit)
    assert not left_out
    assert [called(run) for run in runs] == [DESK, DESK]


def test_an_object_that_is_cut_off_gives_all_runs_before_the_cut(tmp_path: Path) -> None:
    text = json.dumps({"runs": a_desk()})
    path = tmp_path / "file.json"
    path.write_text(text[:-30])
    (run,), left_out = read(path)
    assert called(run) == DESK
    assert "ends in the middle" in left_out[0].reason


def test_a_trace_of_many_spans_is_read(tmp_path: Path) -> None:
    many = []
    for number in range(2, 3_000, 2):
        message = asks(f"c{number}", "lend", {"number": number})
        many.append({**ls_run(2, "llm", "ChatModel", outputs=generation(message)), "id": f"m{number}"})
        more = {
            "inputs": {"number": number},
            "extra": {"tool_call_id": f"c{number}"},
            "outputs": {"output": "ok"},
        }
        many.append({**ls_run(3, "tool", "lend", **more), "id": f"t{number}"})
    run = the_run(tmp_path, [ls_run(1, "chain", "desk"), *many])
    assert len(run.steps) == 1_499
    assert all(step.answered for step in run.steps)


@pytest.mark.parametrize(
    ("error", "message", "kind"),
    [
        ("ValueError('book is lent')", "ValueError: book is lent", "ValueError"),
        (
            'ToolException("it\'s lent")\n\nTraceback (most recent call last):\n',
            "ToolException: it's lent",
            "ToolException",
        ),
        ("KeyError('B-77')", "KeyError: 'B-77'", "KeyError"),
        ("HTTPError('no', 404)", "HTTPError('no', 404)", "HTTPError"),
        ("ValueError()", "ValueError()", "ValueError"),
        (
            "1 validation error for lend\nbook_id\n  Field required",
            "1 validation error for lend\nbook_id\n  Field required",
            None,
        ),
        (
            'Traceback (most recent call last):\n  File "a.py", line 1, in f\nshelf.NoShelf: shelf 7\n',
            "shelf.NoShelf: shelf 7",
            "NoShelf",
        ),
        ("Error: lent\n    at lend (desk.js:1:2)\n    at run (desk.js:9:1)", "Error: lent", None),
        ("图书已借出", "图书已借出", None),
    ],
)
def test_an_exception_is_told_in_its_words_without_its_traceback(
    tmp_path: Path, error: str, message: str, kind: str | None
) -> None:
    run = the_run(tmp_path, [ls_run(1, "tool", "lend", inputs={"book_id": "B-77"}, error=error)])
    assert run.steps[0].error is not None
    assert (run.steps[0].error.message, run.steps[0].error.type) == (message, kind)


def test_memory_does_not_grow_with_the_number_of_traces(tmp_path: Path) -> None:
    traces = (f"01990000-0000-7000-8000-{number:09d}001" for number in range(400))
    padded = [{**run, "serialized": {"text": "x" * 2_000}} for trace in traces for run in a_desk(trace)]
    opening = open_source(written_lines(tmp_path / "runs.jsonl", padded))
    tracemalloc.start()
    count = sum(isinstance(item, Run) for item in LangSmith(held=200_000).read(opening))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 400
    assert peak < 3_000_000 < opening.path.stat().st_size


@pytest.mark.parametrize(
    "told",
    [
        "Sorry, need more steps to process this request.",
        "Agent stopped due to iteration limit or time limit.",
    ],
)
def test_a_framework_that_gives_up_at_its_bound_is_a_failure(tmp_path: Path, told: str) -> None:
    answer = {"messages": [{"type": "human", "content": "Lend me B-77."}, {"type": "ai", "content": told}]}
    asked = {"messages": [{"type": "human", "content": "Lend me B-77."}]}
    run = the_run(tmp_path, [ls_run(1, "chain", "desk", inputs=asked, outputs=answer)])
    assert run.outcome.status == "failure"
    assert "step limit" in (run.outcome.reason or "")
    assert [finding.code for finding in found(MAX_STEPS, run)] == ["loop.max_steps"]
