"""The logs of the published tree-of-thoughts code: a breadth-first search's steps, and a depth-first search's states."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from errata_client.deliberation import Thought, ThoughtState
from errata_client.model import JsonValue
from errata_client.run import Outcome
from ingest.adapters.jsonvalue import clean_text
from ingest.adapters.record_fields import number_at
from ingest.adapters.tau_bench import outcome_of
from ingest.adapters.thought_nodes import MAX_THOUGHTS, GrownTree

ROOT = "root"
MAX_SELECTED = 1_000
"""Thoughts of one level that are gone on with: each candidate is compared with all of them."""


def is_breadth_first(record: Any) -> bool:
    """Whether a record has steps with candidates (`new_ys` or `ys`), their values, and which were selected."""
    steps = record.get("steps") if isinstance(record, dict) else None
    return isinstance(steps, list) and any(
        isinstance(step, dict) and {"select_new_ys", "values"} <= set(step) for step in steps
    )


def is_depth_first(record: Any) -> bool:
    """Whether a record is a list of states, each with the actions that lead to it."""
    return (
        isinstance(record, list)
        and bool(record)
        and all(isinstance(state, dict) and isinstance(state.get("actions"), list) for state in record)
        and any("env_step" in state or "total_step" in state for state in record)
    )


def breadth_first(record: dict[str, JsonValue]) -> tuple[GrownTree, str | None, str | None, Outcome | None]:
    """The tree, what was asked, the answer, and the outcome by the reward of that answer (`infos[0].r`)."""
    tree = GrownTree([Thought(thought_id=ROOT, text="", state="expanded")])
    asked = None
    held: list[tuple[str, str]] = [("", ROOT)]
    steps = record.get("steps")
    for number, step in enumerate(steps if isinstance(steps, list) else []):
        if not isinstance(step, dict):
            continue
        if asked is None and isinstance(step.get("x"), str):
            asked = clean_text(str(step["x"]))
        held = _grow(tree, number, step, held)
        if len(tree.thoughts) > MAX_THOUGHTS:
            tree.troubles.append(
                (f"step {number}", f"more than {MAX_THOUGHTS} thoughts; the rest was left out")
            )
            break
    _settle(tree, {name for _, name in held})
    tree.thoughts[0] = tree.thoughts[0].model_copy(update={"text": asked or ""})
    answers = _texts(record.get("ys"))
    answer = answers[0] if answers else held[0][0] if held else None
    return tree, asked, (answer or "").strip() or None, _outcome(record.get("infos"))


def depth_first(states: list[Any]) -> GrownTree:
    """The tree of a depth-first search: a state's parent is the state of its actions but the last. Its value is minus the
    number of clues that it makes impossible; one that makes any so and was not gone on with is dead."""
    tree = GrownTree([Thought(thought_id=ROOT, state="expanded")])
    known: dict[tuple[str, ...], str] = {(): ROOT}
    impossible: dict[str, float] = {}
    for number, state in enumerate(states[:MAX_THOUGHTS]):
        path = tuple(clean_text(str(action)) for action in state["actions"])
        if not path:
            continue
        count = state.get("count")
        bad = number_at(count, "impossible") if isinstance(count, dict) else None
        name = f"s{number}"
        value = 0.0 - bad if bad is not None else None
        tree.thoughts.append(
            Thought(thought_id=name, parent=_parent(path, known), text=path[-1], value=value)
        )
        known[path] = name
        impossible[name] = bad or 0
    _settle(tree, set(), impossible)
    return tree


def _parent(path: tuple[str, ...], known: dict[tuple[str, ...], str]) -> str:
    """The nearest state that the search came by."""
    return next(known[path[:end]] for end in reversed(range(len(path))) if path[:end] in known)


def _grow(
    tree: GrownTree, number: int, step: dict[str, Any], held: list[tuple[str, str]]
) -> list[tuple[str, str]]:
    """One level of the search; the thoughts that were selected, with their ids."""
    candidates, values = _texts(step.get("new_ys", step.get("ys"))), step.get("values")
    ids: dict[str, list[str]] = defaultdict(list)
    for at, text in enumerate(candidates):
        before, parent = _origin(text, at, candidates, held)
        value = values[at] if isinstance(values, list) and at < len(values) else None
        number_given = (
            float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
        )
        name = f"{number}.{at}"
        own = text[len(before) :].strip() or text.strip()
        tree.thoughts.append(Thought(thought_id=name, parent=parent, text=own, value=number_given))
        ids[text].append(name)
    selected = (text for text in _texts(step.get("select_new_ys"))[:MAX_SELECTED] if ids[text])
    return [(text, ids[text].pop(0)) for text in selected]


def _origin(text: str, at: int, candidates: list[str], held: list[tuple[str, str]]) -> tuple[str, str]:
    """The thought that a candidate goes on from: the longest that it begins with; of equal ones, by its place among all."""
    fitting = [(before, name) for before, name in held if text.startswith(before)]
    if not fitting:
        return "", held[0][1] if held else ROOT
    longest = max(len(before) for before, _ in fitting)
    best = [pair for pair in fitting if len(pair[0]) == longest]
    return best[at * len(best) // max(len(candidates), 1)] if len(best) > 1 else best[0]


def _settle(tree: GrownTree, last: set[str], impossible: dict[str, float] | None = None) -> None:
    """The states: what was gone on with, what was selected at the end, and what was left."""
    parents = {thought.parent for thought in tree.thoughts}
    for at, thought in enumerate(tree.thoughts):
        state: ThoughtState = "pruned" if impossible is None else "open"
        if thought.thought_id in last:
            state = "chosen"
        elif thought.thought_id in parents or thought.thought_id == ROOT:
            state = "expanded"
        elif impossible and impossible.get(thought.thought_id):
            state = "dead"
        tree.thoughts[at] = thought.model_copy(update={"state": state})


def _texts(value: Any) -> list[str]:
    return [clean_text(text) for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _outcome(infos: Any) -> Outcome | None:
    first = infos[0] if isinstance(infos, list) and infos else None
    reward = number_at(first, "r", "reward") if isinstance(first, dict) else None
    return outcome_of(reward) if reward is not None else None
