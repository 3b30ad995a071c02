"""tree.exploded and tree.dead_branch_kept: searches over thoughts that grow without bound or do not let go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errata_client.deliberation import Thought
from errata_client.model import JsonValue
from errata_client.replay import StepView
from errata_client.run import Run
from ingest.detectors.places import last_step, step_at
from ingest.detectors.port import Detector, Finding

MOST = 100
"""Thoughts of one search, where the run does not say how many there may be (`max_thoughts`)."""

SHOWN = 10
DEAD = frozenset({"dead", "pruned"})
LIVING = frozenset({"open", "chosen"})


def detect(run: Run, _calls: Sequence[StepView]) -> Iterator[Finding]:
    """At the last step, or at the step that the thought became:

    - tree.exploded, once: there are more thoughts than the run allows (its field `max_thoughts`), or more than 100 of which
      none was chosen.
    - tree.dead_branch_kept, once for each dead branch: a thought below one that is dead or pruned is still open, or was
      chosen.

    Not: a large search that came to a choice within its bound; a dead thought that had been tried; thoughts that were
    expanded before their branch died. Evidence: how many, how deep, which thoughts.
    """
    last = last_step(run)
    if not run.thoughts or last is None:
        return
    bound = (run.model_extra or {}).get("max_thoughts")
    bounded = isinstance(bound, int) and not isinstance(bound, bool) and bound > 0
    chosen = any(thought.state == "chosen" for thought in run.thoughts)
    if len(run.thoughts) > (bound if bounded and bound else MOST) and (bounded or not chosen):
        yield _exploded(run, last.index, bound if bounded else None)
    for branch, kept in _kept(run.thoughts).items():
        at = next((thought.step for thought in kept if thought.step is not None), last.index)
        found = step_at(run, at)
        yield _dead(found.index if found else last.index, branch, kept)


def _kept(thoughts: Sequence[Thought]) -> dict[str, list[Thought]]:
    """The living thoughts below each dead one: below the topmost dead one of their branch."""
    by_id = {thought.thought_id: thought for thought in thoughts}
    found: dict[str, list[Thought]] = {}
    for thought in thoughts:
        if thought.state in LIVING:
            above = [one for one in _ancestors(thought, by_id) if one.state in DEAD]
            if above:
                found.setdefault(above[-1].thought_id, []).append(thought)
    return found


def _ancestors(thought: Thought, by_id: dict[str, Thought]) -> Iterator[Thought]:
    seen = {thought.thought_id}
    parent = thought.parent
    while parent is not None and parent in by_id and parent not in seen:
        seen.add(parent)
        yield by_id[parent]
        parent = by_id[parent].parent


def _exploded(run: Run, index: int, bound: JsonValue) -> Finding:
    children: dict[str, int] = {}
    for thought in run.thoughts:
        if thought.parent is not None:
            children[thought.parent] = children.get(thought.parent, 0) + 1
    expanded = sum(thought.state in {"expanded", "chosen"} for thought in run.thoughts)
    return Finding(
        index=index,
        ends_run=True,
        code="tree.exploded",
        message="the search made more thoughts than it may"
        if bound
        else "the search made very many thoughts and chose none",
        kind="resource_exhausted",
        evidence={
            "thoughts": len(run.thoughts),
            "max_thoughts": bound,
            "expanded": expanded,
            "most_children": max(children.values(), default=0),
        },
    )


def _dead(index: int, branch: str, kept: Sequence[Thought]) -> Finding:
    chosen = any(thought.state == "chosen" for thought in kept)
    shown: list[JsonValue] = [thought.thought_id for thought in kept[:SHOWN]]
    return Finding(
        index=index,
        code="tree.dead_branch_kept",
        message="a thought of a dead branch was " + ("chosen" if chosen else "kept open"),
        kind="failed_precondition",
        detail=branch,
        evidence={"branch": branch, "kept": shown, "chosen": chosen},
    )


DETECTOR = Detector("thought_tree", ("tree.exploded", "tree.dead_branch_kept"), detect)
