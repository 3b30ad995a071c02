"""Trees of thoughts: nodes with parents, nested children, the logs of the published code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from errata_client.run import Run
from knowledge.errors import BadInputError
from tests.ingest.making import read, written, written_lines


def one(tmp_path: Path, record: Any) -> Run:
    (run,), left_out = read(written(tmp_path / "run.json", [record]))
    assert not left_out
    return run


def shape(run: Run) -> list[tuple[str, str | None, str, float | None, str]]:
    return [(each.thought_id, each.parent, each.text, each.value, each.state) for each in run.thoughts]


def test_nodes_with_parents_are_thoughts_and_those_that_act_are_steps(tmp_path: Path) -> None:
    nodes = [
        {"id": 1, "parent": None, "thought": "lend it", "value": 0.9},
        {
            "id": 2,
            "parent": 1,
            "thought": "lend the first",
            "value": "likely",
            "state": "dead",
            "action": {"tool": "lend", "args": {"book_id": "B-1"}},
            "observation": "Error: lent",
        },
        {"id": 3, "parent": 1, "thought": "ask", "value": "impossible", "pruned": True},
        {"id": 4, "parent": 1, "thought": "say no", "value": 0.7, "selected": True},
        {"id": 5, "parent": 9, "thought": "lost", "value": 0.1},
    ]
    run = one(tmp_path, {"question": "Lend B-1?", "nodes": nodes, "answer": "No."})
    assert (run.agent.kind, run.user_intent) == ("tree_of_thoughts", "Lend B-1?")
    assert shape(run) == [
        ("1", None, "lend it", 0.9, "expanded"),
        ("2", "1", "lend the first", 0.5, "dead"),
        ("3", "1", "ask", 0.0, "pruned"),
        ("4", "1", "say no", 0.7, "chosen"),
        ("5", "9", "lost", 0.1, "open"),
    ]
    assert [each.step for each in run.thoughts] == [None, 0, None, 1, None]
    assert run.steps[0].tool_call is not None
    assert run.steps[0].tool_call.arguments == {"book_id": "B-1"}
    assert run.steps[0].error is not None
    assert (run.steps[0].thought, run.steps[1].raw_output) == ("lend the first", "No.")


@pytest.mark.parametrize(
    "record",
    [
        {"root": {"id": "a", "thought": "x", "children": [{"id": "b", "thought": "y", "value": 1}]}},
        {"tree": {"id": "a", "thought": "x", "children": [{"id": "b", "thought": "y", "score": 1}]}},
        {"id": "a", "thought": "x", "children": [{"id": "b", "text": "y", "value": 1}]},
        {"thoughts": {"a": {"thought": "x"}, "b": {"thought": "y", "parent_id": "a", "value": 1}}},
        {"nodes": [{"id": "a", "thought": "x"}, {"id": "b", "thought": "y", "v": 1}], "edges": [["a", "b"]]},
        {
            "nodes": [{"id": "a", "thought": "x"}, {"id": "b", "thought": "y", "value": 1}],
            "edges": [{"from": "a", "to": "b"}],
        },
        {"节点": [{"编号": "a", "思考": "x"}, {"编号": "b", "思考": "y", "父节点": "a", "评分": 1}]},
    ],
)
def test_a_tree_may_be_nested_listed_by_id_or_joined_by_edges(tmp_path: Path, record: Any) -> None:
    assert shape(one(tmp_path, record)) == [("a", None, "x", None, "expanded"), ("b", "a", "y", 1.0, "open")]


def test_children_without_ids_are_named_by_their_place(tmp_path: Path) -> None:
    root = {
        "thought": "r",
        "children": [{"thought": "a", "value": 1, "children": [{"thought": "c"}]}, {"thought": "b"}],
    }
    run = one(tmp_path, {"root": root})
    assert [(each.thought_id, each.parent) for each in run.thoughts] == [
        ("0", None),
        ("0.0", "0"),
        ("0.0.0", "0.0"),
        ("0.1", "0"),
    ]


def test_the_log_of_a_breadth_first_search_is_a_tree_with_its_answer_and_reward(tmp_path: Path) -> None:
    first = ["take 4 (left: 2)\n", "take 5 (left: 1)\n", "take 9 (left: 0)\n"]
    second = [first[0] + "take 2", first[1] + "take 1", first[1] + "take 3"]
    steps = [
        {
            "step": 0,
            "x": "4 5 9",
            "ys": [""],
            "new_ys": first,
            "values": [20, 1.0, 0.001],
            "select_new_ys": first[:2],
        },
        {
            "step": 1,
            "x": "4 5 9",
            "ys": first[:2],
            "new_ys": second,
            "values": [1, 3, 2],
            "select_new_ys": [second[1]],
        },
    ]
    run = one(
        tmp_path, {"steps": steps, "idx": 7, "ys": [second[1]], "infos": [{"r": 1}], "usage_so_far": {}}
    )
    assert run.user_intent == "4 5 9"
    assert shape(run) == [
        ("root", None, "4 5 9", None, "expanded"),
        ("0.0", "root", "take 4 (left: 2)", 20.0, "expanded"),
        ("0.1", "root", "take 5 (left: 1)", 1.0, "expanded"),
        ("0.2", "root", "take 9 (left: 0)", 0.001, "pruned"),
        ("1.0", "0.0", "take 2", 1.0, "pruned"),
        ("1.1", "0.1", "take 1", 3.0, "chosen"),
        ("1.2", "0.1", "take 3", 2.0, "pruned"),
    ]
    assert (run.steps[0].raw_output, run.outcome.status) == ("take 5 (left: 1)\ntake 1", "success")
    assert run.thoughts[5].step == 0


def test_equal_candidates_keep_their_own_children_by_their_place(tmp_path: Path) -> None:
    steps = [
        {
            "step": 0,
            "x": "q",
            "ys": [""],
            "new_ys": ["a", "a"],
            "values": [1, 1],
            "select_new_ys": ["a", "a"],
        },
        {
            "step": 1,
            "x": "q",
            "ys": ["a", "a"],
            "new_ys": ["ab", "ac"],
            "values": [1, 2],
            "select_new_ys": ["ac"],
        },
    ]
    run = one(tmp_path, {"steps": steps, "ys": ["ac"]})
    assert [(each.thought_id, each.parent) for each in run.thoughts[3:]] == [("1.0", "0.0"), ("1.1", "0.1")]


def test_the_log_of_a_depth_first_search_hangs_each_state_on_the_one_before(tmp_path: Path) -> None:
    def state(step: int, *actions: str, impossible: int = 0) -> Any:
        count = {"sure": 1, "maybe": 0, "impossible": impossible}
        info = {"r_letter": 0.5, "r_word": 0.25}
        return {
            "total_step": step,
            "env_step": len(actions),
            "actions": list(actions),
            "info": info,
            "count": count,
        }

    states = [
        state(0, "h1. a"),
        state(1, "h1. a", "h2. b", impossible=2),
        state(2, "h1. a", "h3. c"),
        state(3, "h4. d"),
    ]
    (run,), _ = read(written(tmp_path / "log.json", [states]))
    assert shape(run) == [
        ("root", None, "", None, "expanded"),
        ("s0", "root", "h1. a", 0.0, "expanded"),
        ("s1", "s0", "h2. b", -2.0, "dead"),
        ("s2", "s0", "h3. c", 0.0, "open"),
        ("s3", "root", "h4. d", 0.0, "open"),
    ]
    assert "0.25" not in run.model_dump_json()


def test_a_wrong_node_is_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    nodes = [{"id": 1, "thought": "a", "value": 1}, 7, {"id": 2, "thought": "b", "parent": 1}]
    (run,), left_out = read(written_lines(tmp_path / "runs.jsonl", [{"nodes": nodes}]))
    assert len(run.thoughts) == 2
    assert [item.position for item in left_out] == ["line 1, node 2"]


@pytest.mark.parametrize(
    "record",
    [
        {"nodes": [{"id": 1, "label": "a"}, {"id": 2, "label": "b"}], "edges": [[1, 2]]},
        {"root": "folder", "children": [{"name": "file"}]},
        {"name": "folder", "children": [{"name": "file"}]},
        {"idx": 900, "ys": ["a"], "infos": [{"r": 0}]},
    ],
)
def test_a_tree_without_thoughts_or_values_is_none_of_thoughts(tmp_path: Path, record: Any) -> None:
    with pytest.raises(BadInputError, match="no known kind of source"):
        read(written(tmp_path / "run.json", [record]))
