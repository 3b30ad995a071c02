"""Step dependency graphs in DOT: a file of graphs, or records that hold one beside the results of its steps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from errata_client.deliberation import Plan
from errata_client.model import JsonValue
from errata_client.run import Agent, Run
from ingest.adapters.bytestream import CutOffError, read_bytes
from ingest.adapters.dot_plan import plan_of_graph
from ingest.adapters.dot_text import MAX_DOT, GraphError, graphs_in
from ingest.adapters.execution_contract import contract_run, is_contract, result_of, results_in
from ingest.adapters.plain_text import decoded
from ingest.adapters.plan_run import PlanRun, Result
from ingest.adapters.port import NotAnalysed, RecordError
from ingest.adapters.reading import read_records
from ingest.adapters.record_fields import about_run, text_at
from ingest.adapters.records import LOOKED_AT, Opening, Record, records
from knowledge.ids import digest

DOTS = ("dot", "graph", "plan_dot", "dependency_graph", "step_graph", "graphviz", "plan", "依赖图")
_BEGINS = re.compile(
    r"(?:\s|//[^\n]*\n|#[^\n]*\n|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)*(?:```(?:dot|graphviz)?\s*)?(?:strict\s+)?(?:di)?graph\b[^{}\n;]{0,200}\{",
    re.DOTALL,
)
_WORK = frozenset({"tool", "status", "output", "error"})


class DotGraph:
    """The adapter. An edge a -> b says that b uses what a gives; see `dot_plan` for graphs drawn the other way."""

    name = "dot_graph"
    looks_for = 'DOT text of a graph whose nodes have tool and status, or records {dot | graph: "digraph …"}'

    def recognises(self, opening: Opening) -> str | None:
        """By text that begins a DOT graph, with nodes that have a tool or a status; or a record with such a text."""
        if opening.head and opening.layout == "text":
            head = decoded(opening.head)[0]
            if _BEGINS.match(head) and any(f"{word}=" in re.sub(r"\s*=\s*", "=", head) for word in _WORK):
                return "it is a DOT graph whose nodes have tools or statuses"
        if any(isinstance(sample, dict) and _key_in(sample) for sample in opening.samples):
            return _held_in(opening)
        return None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a graph."""
        if opening.head and opening.layout == "text":
            yield from _read_file(opening)
        else:
            yield from read_records(opening, dot_record)


def dot_record(record: JsonValue, position: str) -> tuple[Run, list[NotAnalysed]]:
    """The run of a record's graph, or graphs, of which each replaces the one before. Beside a contract, the graph only says
    what depends on what. RecordError where there is no graph."""
    key = _key_in(record) if isinstance(record, dict) else None
    if key is None or not isinstance(record, dict):
        raise RecordError(f"no DOT graph in any of {', '.join(DOTS)}")
    value, rest = record[key], {name: below for name, below in record.items() if name != key}
    texts = value if isinstance(value, list) else [value]
    try:
        found = [plan_of_graph(graph) for text in texts for graph in graphs_in(str(text))]
    except GraphError as error:
        raise RecordError(f"{key}: {error}") from error
    plans = [plan for plan, _ in found]
    if is_contract(rest):
        run, troubles = contract_run(rest, position)
        return run.model_copy(update={"plans": tuple(_joined(plan, plans) for plan in run.plans)}), troubles
    return _run(plans, [made for _, results in found for made in results], record, results_in(rest)), []


def _joined(plan: Plan, graphs: list[Plan]) -> Plan:
    """The contract's plan, its steps depending on what the graphs say too."""
    known: dict[str, list[str]] = {}
    for step in (step for graph in graphs for step in graph.steps):
        known.setdefault(step.step_id, []).extend(step.depends_on)
    steps = (
        step.model_copy(
            update={"depends_on": tuple(dict.fromkeys([*step.depends_on, *known.get(step.step_id, [])]))}
        )
        for step in plan.steps
    )
    return plan.model_copy(update={"steps": tuple(steps)})


def _read_file(opening: Opening) -> Iterator[Run | NotAnalysed]:
    held = bytearray()
    try:
        for piece in read_bytes(opening.path):
            held += piece
            if len(held) > MAX_DOT:
                yield NotAnalysed(
                    position="the file",
                    reason=f"a DOT text may have {MAX_DOT // 1024} KiB; this one has more",
                )
                return
    except CutOffError as error:
        yield NotAnalysed(position="the end of the file", reason=str(error))
    text, how = decoded(bytes(held))
    if how:
        yield NotAnalysed(position="the file", reason=how)
    try:
        graphs = graphs_in(text)
    except GraphError as error:
        yield NotAnalysed(position="the file", reason=str(error))
        return
    for number, graph in enumerate(graphs, 1):
        plan, results = plan_of_graph(graph)
        if plan.steps:
            yield _run([plan], results, dict(graph.attributes), [])
        else:
            yield NotAnalysed(position=f"graph {number}", reason="a graph without nodes")


def _run(plans: list[Plan], results: list[Result], about: dict[str, Any], listed: list[Any]) -> Run:
    asked = text_at(about, "goal", "input", "task", "question", "目标", "label")
    built = PlanRun(plans, heard=asked)
    given = [made for item in listed if (made := result_of(item)) is not None]
    for result in given or results:
        built.add(result)
    built.end(text_at(about, "final_answer", "answer", "response"))
    fields = {
        "run_id": f"dot-{digest(asked, [plan.model_dump(mode='json') for plan in plans], [step.model_dump(mode='json') for step in built.steps])}",
        "agent": Agent(kind="plan_execute"),
        "user_intent": asked,
        "complete": False,
        "steps": tuple(built.steps),
        "plans": built.finished_plans(),
    }
    return Run(**{**fields, **about_run(about)})


def _key_in(record: dict[str, Any]) -> str | None:
    for key in DOTS:
        value = record.get(key)
        texts = value if isinstance(value, list) else [value]
        if texts and all(isinstance(text, str) and _BEGINS.match(text[:2000]) for text in texts):
            return key
    return None


def _held_in(opening: Opening) -> str | None:
    for item in islice(records(opening), LOOKED_AT):
        if isinstance(item, Record) and isinstance(item.value, dict) and (key := _key_in(item.value)):
            return f"its records have a DOT graph in {key}"
    return None
