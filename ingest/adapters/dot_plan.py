"""The plan that a graph is: a step for each node, what it depends on from the edges, and what became of it.

An edge a -> b is read as the order of work: b depends on a. Graphs are drawn the other way too, as dependencies are: a -> b
because a needs b. What a graph says decides, the first of these that says anything: a word on its edges or on the graph ("depends
on", "then"), what arguments refer to (`${a.x}` in b), what was done although the other was not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal

from errata_client.deliberation import Plan, PlanStep, PlanStepStatus
from errata_client.jsontext import read as read_json
from ingest.adapters.chat import moment
from ingest.adapters.dot_text import ParsedGraph
from ingest.adapters.plan_records import TOOLS, arguments_in, references, status_of
from ingest.adapters.plan_run import Result, judged
from ingest.adapters.record_fields import text_at, texts_at

Reading = Literal["order", "needs"]
_NEEDS = re.compile(r"(?i)\bdepend|\brequire|\bneeds?\b|\buses?\b|依赖|需要")
_ORDER = re.compile(
    r"(?i)\bthen\b|\bnext\b|\bbefore\b|\bfeeds?\b|\bgives?\b|\boutput|\bprecedes|然后|接着|之后|先于|输出"
)
_ARGUMENTS = ("arguments", "args", "params", "parameters", "input", "参数")


def plan_of_graph(graph: ParsedGraph) -> tuple[Plan, list[Result]]:
    """The plan, and the results that its nodes hold, in the order of the plan."""
    reading = reading_of(graph)
    steps = {name: _step(name, attributes) for name, attributes in graph.nodes.items()}
    for edge in graph.edges:
        before, after = (edge.source, edge.target) if reading == "order" else (edge.target, edge.source)
        known = steps[after].depends_on
        if before not in known:
            steps[after] = steps[after].model_copy(update={"depends_on": (*known, before)})
    allowed = texts_at(
        {"": [part.strip() for part in graph.attributes.get("allowed_tools", "").split(",") if part.strip()]},
        "",
    )
    replans = graph.attributes.get("max_replans", "")
    plan = Plan(
        steps=tuple(steps.values()),
        allowed_tools=allowed or None,
        max_replans=int(replans) if re.fullmatch(r"\d{1,5}", replans) else None,
    )
    return plan, [
        _result(step, graph.nodes[step.step_id])
        for step in _in_order(plan.steps, graph)
        if _holds(graph.nodes[step.step_id])
    ]


def reading_of(graph: ParsedGraph) -> Reading:
    """Which way the edges point."""
    for votes in (_by_words(graph), _by_arguments(graph), _by_status(graph)):
        counted = Counter(votes)
        if counted["needs"] != counted["order"]:
            return "needs" if counted["needs"] > counted["order"] else "order"
    return "order"


def _by_words(graph: ParsedGraph) -> Iterator[Reading]:
    told = [edge.attributes.get("label", "") + " " + edge.attributes.get("kind", "") for edge in graph.edges]
    told.append(graph.attributes.get("edges", ""))
    for text in told:
        if _NEEDS.search(text):
            yield "needs"
        elif _ORDER.search(text):
            yield "order"


def _by_arguments(graph: ParsedGraph) -> Iterator[Reading]:
    used = {name: set(references(_text_of_arguments(attributes))) for name, attributes in graph.nodes.items()}
    for edge in graph.edges:
        if edge.source in used[edge.target]:
            yield "order"
        elif edge.target in used[edge.source]:
            yield "needs"


def _by_status(graph: ParsedGraph) -> Iterator[Reading]:
    """A step is not begun before what it depends on was done."""
    status = {name: status_of(attributes.get("status")) for name, attributes in graph.nodes.items()}
    for edge in graph.edges:
        source, target = status[edge.source], status[edge.target]
        if source in {"done", "failed"} and _untouched(target):
            yield "order"
        elif target in {"done", "failed"} and _untouched(source):
            yield "needs"


def _untouched(status: PlanStepStatus | None) -> bool:
    return status in {"planned", "skipped"}


def _text_of_arguments(attributes: dict[str, str]) -> str:
    return next((attributes[key] for key in _ARGUMENTS if attributes.get(key)), "")


def _step(name: str, attributes: dict[str, str]) -> PlanStep:
    text = _text_of_arguments(attributes)
    parsed = read_json(text)
    given = {"arguments": parsed if isinstance(parsed, dict) else text}
    return PlanStep(
        step_id=name,
        tool=text_at(dict(attributes), *TOOLS),
        purpose=text_at(dict(attributes), "purpose", "description", "task", "label", "目的"),
        arguments=arguments_in(given) if text else {},
        premises=tuple(part.strip() for part in attributes.get("premises", "").split(";") if part.strip()),
        status=status_of(attributes.get("status")) or ("failed" if attributes.get("error") else "planned"),
    )


def _holds(attributes: dict[str, str]) -> bool:
    """Whether a node says what became of it."""
    if attributes.get("output") or attributes.get("result") or attributes.get("error"):
        return True
    return status_of(attributes.get("status")) in {"done", "failed", "skipped"}


def _result(step: PlanStep, attributes: dict[str, str]) -> Result:
    output = attributes.get("output", attributes.get("result"))
    status = status_of(attributes.get("status"))
    return Result(
        step_id=step.step_id,
        status=status,
        output=output,
        error=judged(output, status, attributes.get("error")),
        started_at=moment(attributes.get("started_at")),
        ended_at=moment(attributes.get("ended_at")),
    )


def _in_order(steps: tuple[PlanStep, ...], graph: ParsedGraph) -> list[PlanStep]:
    """By the nodes' times or `order` where they have them; else each behind what it depends on, in the order in which
    they stand. Of a cycle, the first that stands there goes first."""
    placed = [_place(graph.nodes[step.step_id]) for step in steps]
    if all(
        place is not None
        for place, step in zip(placed, steps, strict=True)
        if _holds(graph.nodes[step.step_id])
    ):
        ranks = {step.step_id: place or "" for step, place in zip(steps, placed, strict=True)}
        return sorted(steps, key=lambda step: ranks[step.step_id])
    left, ordered, done = list(steps), [], set[str]()
    names = {step.step_id for step in steps}
    while left:
        ready = [step for step in left if not (set(step.depends_on) & names) - done - {step.step_id}]
        taken = ready or left[:1]
        ordered += taken
        done |= {step.step_id for step in taken}
        left = [step for step in left if step.step_id not in done]
    return ordered


def _place(attributes: dict[str, str]) -> str | None:
    order = attributes.get("order", "")
    if re.fullmatch(r"\d{1,9}", order):
        return order.zfill(9)
    at = moment(attributes.get("started_at"))
    return at.isoformat() if at is not None else None
