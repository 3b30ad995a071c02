"""Step dependency graphs in DOT: nodes become planned steps and results, edges what depends on what, either way drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from errata_client.run import Run
from ingest.adapters.port import NotAnalysed
from knowledge.errors import BadInputError
from tests.ingest.making import read, written, written_lines

GRAPH = r"""// the desk's plan
digraph plan {
  goal="Return On Rivers"; allowed_tools="look_up, give_back"; max_replans=1;
  node [shape=box];
  find [tool="look_up", args="{\"title\": \"On Rivers\"}", status=done, output="{\"book_id\": \"B-1\"}"];
  subgraph cluster_desk {
    give [tool=give_back status=failed error="book is not lent" args="{\"book_id\": \"${find.book_id}\"}"];
  }
  find -> give -> "告诉 读者";
  "告诉 读者" [tool=mail, status=planned, label="tell\nthe reader"];
  give:s -> {x; y};
}
"""


def read_text(tmp_path: Path, text: str) -> tuple[list[Run], list[NotAnalysed]]:
    path = tmp_path / "plan.dot"
    path.write_text(text)
    return read(path)


def dependencies(run: Run) -> dict[str, tuple[str, ...]]:
    return {step.step_id: step.depends_on for step in run.plans[0].steps}


def test_a_graph_is_a_plan_with_the_results_that_its_nodes_hold(tmp_path: Path) -> None:
    (run,), left_out = read_text(tmp_path, GRAPH)
    assert not left_out
    (plan,) = run.plans
    assert run.user_intent == "Return On Rivers"
    assert (plan.allowed_tools, plan.max_replans) == (("look_up", "give_back"), 1)
    assert dependencies(run) == {
        "find": (),
        "give": ("find",),
        "告诉 读者": ("give",),
        "x": ("give",),
        "y": ("give",),
    }
    assert plan.steps[2].purpose == "tell\nthe reader"
    assert [(step.step_id, step.error is not None) for step in run.steps] == [("find", False), ("give", True)]
    assert run.steps[1].tool_call is not None
    assert (run.steps[1].tool_call.tool, run.steps[1].tool_call.arguments) == (
        "give_back",
        {"book_id": "B-1"},
    )


@pytest.mark.parametrize(
    "graph",
    [
        'digraph { a [tool=x status=done]; b [tool=y status=failed error=no]; b -> a [label="depends on"]; }',
        'digraph { a [tool=x status=done]; b [tool=y status=failed error=no]; b -> a [label="依赖"]; }',
        'digraph { edges="depends on"; a [tool=x status=done]; b [tool=y status=failed error=no]; b -> a; }',
        'digraph { a [tool=x status=done]; b [tool=y status=failed error=no args="${a.id}"]; b -> a; }',
        "digraph { a [tool=x status=failed error=no]; b [tool=y status=planned]; b -> a; }",
        "digraph { a [tool=x status=done]; b [tool=y status=failed error=no]; a -> b; }",
        'digraph { a [tool=x status=done]; b [tool=y status=failed error=no]; a -> b [label="then"]; }',
        "graph { a [tool=x status=done]; b [tool=y status=failed error=no]; a -- b; }",
        "strict digraph G { a [tool=x status=done]; b [tool=y status=failed error=no]; a -> b; a -> b }",
    ],
)
def test_what_a_graph_says_decides_which_way_its_edges_point(tmp_path: Path, graph: str) -> None:
    (run,), _ = read_text(tmp_path, graph)
    assert dependencies(run) == {"a": (), "b": ("a",)}


def test_a_cycle_is_kept(tmp_path: Path) -> None:
    (run,), _ = read_text(
        tmp_path, "digraph { a [tool=x status=done]; b [tool=y status=done]; a -> b; b -> a; c -> c }"
    )
    assert dependencies(run) == {"a": ("b",), "b": ("a",), "c": ("c",)}
    assert [step.step_id for step in run.steps] == ["a", "b"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("order=2", "order=1"),
        ('started_at="2026-02-01T10:00:02Z"', 'started_at="2026-02-01T10:00:01Z"'),
        ("order=10", "order=9"),
    ],
)
def test_nodes_that_say_when_they_ran_are_in_that_order(tmp_path: Path, first: str, second: str) -> None:
    (run,), _ = read_text(
        tmp_path, f"digraph {{ a [tool=x status=done {first}]; b [tool=y status=done {second}]; }}"
    )
    assert [step.step_id for step in run.steps] == ["b", "a"]


def test_without_times_a_step_comes_behind_what_it_depends_on(tmp_path: Path) -> None:
    (run,), _ = read_text(tmp_path, "digraph { b [tool=y status=done]; a [tool=x status=done]; a -> b; }")
    assert [step.step_id for step in run.steps] == ["a", "b"]


def test_a_file_may_hold_several_graphs(tmp_path: Path) -> None:
    runs, _ = read_text(tmp_path, GRAPH + "\ndigraph two { a [tool=x status=done]; }\n")
    assert [len(run.steps) for run in runs] == [2, 1]


def test_a_record_may_hold_a_graph_and_the_results_beside_it(tmp_path: Path) -> None:
    record = {
        "run_id": "r-1",
        "dot": "```dot\ndigraph { a [tool=x]; b [tool=y]; a -> b }\n```",
        "results": [{"step_id": "a", "status": "ok", "output": 1}, {"step_id": "b", "error": "no"}],
    }
    (run,), left_out = read(written_lines(tmp_path / "runs.jsonl", [record]))
    assert not left_out
    assert (run.run_id, dependencies(run)) == ("r-1", {"a": (), "b": ("a",)})
    assert [(step.tool_call.tool, step.error is not None) for step in run.steps if step.tool_call] == [
        ("x", False),
        ("y", True),
    ]


def test_beside_a_contract_a_graph_says_what_depends_on_what(tmp_path: Path) -> None:
    contract = {"goal": "g", "steps": [{"id": "a", "tool": "x"}, {"id": "b", "tool": "y"}]}
    record = {
        "contract": contract,
        "dot": "digraph { a -> b }",
        "step_results": [{"step_id": "a", "status": "ok"}],
    }
    (run,), _ = read(written(tmp_path / "run.json", [record]))
    assert (run.user_intent, dependencies(run)) == ("g", {"a": (), "b": ("a",)})


def test_graphs_that_follow_each_other_in_a_record_are_plans_made_anew(tmp_path: Path) -> None:
    graphs = ["digraph { a [tool=x status=failed error=no] }", "digraph { b [tool=y status=done] }"]
    (run,), _ = read(written(tmp_path / "run.json", [{"dot": graphs}]))
    assert [(plan.at, plan.steps[0].step_id) for plan in run.plans] == [(0, "a"), (1, "b")]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("digraph { a [tool=x status=done]; a -> ", "not DOT: line 1"),
        ("digraph { a [tool=x]" + "{" * 60 + "}" * 60 + "}", "nested deeper than 50"),
        ("digraph { a [tool=x]; " + "b -> c; " * 30_000 + "}", "may have 128 KiB"),
    ],
)
def test_a_graph_that_cannot_be_read_says_why(tmp_path: Path, text: str, told: str) -> None:
    runs, left_out = read_text(tmp_path, text)
    assert not runs
    assert told in left_out[0].reason


@pytest.mark.parametrize(
    "text", ["graph paper {lined}\n", "digraph g { a -> b; b -> c }\n", "A digraph is a graph.\n"]
)
def test_a_graph_without_work_in_it_is_no_plan(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInputError, match="not JSON"):
        read_text(tmp_path, text)


def test_a_record_with_a_broken_graph_is_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    records: list[Any] = [{"dot": "digraph { a -> "}, {"dot": "digraph { a [tool=x status=done] }"}]
    runs, left_out = read(written_lines(tmp_path / "runs.jsonl", records))
    assert len(runs) == 1
    assert [item.position for item in left_out] == ["line 1"]
