"""Trees of thoughts: nodes with parents, nested children, and the logs of the published tree-of-thoughts code.

Its logs come in two forms: of the breadth-first search, {steps: [{x, ys, new_ys, values, select_new_ys}], ys, infos}, and of the
depth-first one, lists of {env_step, actions, count}. Of `info` (how right a state is) nothing is read but the final reward.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Agent, Outcome, Run, Step
from ingest.adapters import search_log
from ingest.adapters.port import NotAnalysed, RecordError
from ingest.adapters.reading import read_records
from ingest.adapters.record_fields import about_run, text_at
from ingest.adapters.records import Opening
from ingest.adapters.thought_nodes import GrownTree, nested, nodes_listed, tree_of
from knowledge.ids import digest

LISTS = ("nodes", "thoughts", "tree", "thought_tree", "search_tree", "思维树", "节点")
ROOTS = ("tree", "root", "thought_tree", "search_tree", "root_node", "思维树")


class ThoughtTree:
    """The adapter. A node that has a tool is a step of the run; so is the answer."""

    name = "thought_tree"
    looks_for = "records {nodes: [{id, parent, thought, value}]}, {root: {thought, children}}, {steps: [{ys, values, select_new_ys}]}"

    def recognises(self, opening: Opening) -> str | None:
        """By nodes with parents and thoughts or values, by nested children, or by the logs' own keys."""
        for sample in opening.samples:
            if search_log.is_breadth_first(sample):
                return "its records have steps with ys, values and select_new_ys"
            if search_log.is_depth_first(sample):
                return "its records are lists of states with env_step and actions"
            if isinstance(sample, dict) and _tree_in(sample) is not None:
                return "its records have a tree of thoughts"
        return None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a record."""
        return read_records(opening, tree_run)


def tree_run(record: JsonValue, position: str) -> tuple[Run, list[NotAnalysed]]:
    """The run of one record. RecordError where it holds no tree."""
    if search_log.is_breadth_first(record) and isinstance(record, dict):
        tree, asked, answer, outcome = search_log.breadth_first(record)
        return _run(tree, record, asked, answer, outcome), []
    if search_log.is_depth_first(record) and isinstance(record, list):
        return _run(search_log.depth_first(record), {}, None, None, None), []
    found = _tree_in(record) if isinstance(record, dict) else None
    if found is None or not isinstance(record, dict):
        raise RecordError(
            "no tree: neither nodes with parents, nor children, nor steps with ys and select_new_ys"
        )
    tree = tree_of(found)
    troubles = [
        NotAnalysed(position=f"{position}, {place}", reason=reason) for place, reason in tree.troubles
    ]
    return _run(
        tree, record, text_at(record, "question", "input", "task", "problem", "goal", "x", "问题"), None, None
    ), troubles


def _run(
    tree: GrownTree,
    record: dict[str, JsonValue],
    asked: str | None,
    answer: str | None,
    outcome: Outcome | None,
) -> Run:
    said = answer or text_at(record, "answer", "final_answer", "output", "response", "答案")
    steps = list(tree.steps)
    thoughts = tree.thoughts
    if said:
        chosen = next((at for at in reversed(range(len(thoughts))) if thoughts[at].state == "chosen"), None)
        if chosen is not None and thoughts[chosen].step is None:
            thoughts[chosen] = thoughts[chosen].model_copy(update={"step": len(steps)})
        steps.append(Step(index=len(steps), raw_output=said))
    if steps and asked:
        steps[0] = steps[0].model_copy(update={"user_input": asked})
    fields: dict[str, Any] = {
        "run_id": f"tree-{digest(asked, [thought.model_dump(mode='json') for thought in thoughts], said)}",
        "agent": Agent(kind="tree_of_thoughts"),
        "user_intent": asked,
        "complete": asked is not None,
        "steps": tuple(steps),
        "thoughts": tuple(thoughts),
        "outcome": outcome or Outcome(),
    }
    return Run(**{**fields, **about_run(record)})


def _tree_in(record: dict[str, Any]) -> list[Any] | None:
    """The nodes of a record's tree, each with its parent."""
    for key in LISTS:
        if (listed := nodes_listed(record.get(key), record.get("edges"))) is not None:
            return listed
    for root in (*(record.get(key) for key in ROOTS), record):
        if (listed := nested(root)) is not None:
            return listed
    return None
