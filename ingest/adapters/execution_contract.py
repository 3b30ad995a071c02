"""Plan-and-execute: execution contracts with the results of their steps, LangGraph's plan-and-execute states, ReWOO plans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errata_client.deliberation import Plan
from errata_client.model import JsonValue
from errata_client.run import Agent, Run
from ingest.adapters import plan_updates, rewoo
from ingest.adapters.chat import moment
from ingest.adapters.jsonvalue import json_kind
from ingest.adapters.plain_text import TextLines, head_lines
from ingest.adapters.plan_records import arguments_in, plan_of, status_of, steps_listed, tool_in
from ingest.adapters.plan_run import PlanRun, Result, judged
from ingest.adapters.port import NotAnalysed, RecordError
from ingest.adapters.reading import converted, read_records
from ingest.adapters.record_fields import about_run, number_at, text_at
from ingest.adapters.records import Opening, Record, Unreadable, records
from knowledge.ids import digest

PLANS = ("contract", "execution_contract", "plan", "契约", "计划")
REPLANS = ("plans", "revisions", "replans", "plan_history")
RESULTS = ("step_results", "results", "executions", "execution_results", "past_steps", "执行结果")
OUTPUTS = ("output", "result", "observation", "response", "value", "data", "输出", "结果")
GOALS = ("goal", "input", "task", "question", "query", "objective", "目标", "问题")
SAID = ("input", "question", "query", "问题")
"""Keys of what a person said; a goal is a planner's words, and does not hold all that was said."""

ANSWERS = ("final_answer", "response", "answer", "final_output", "最终答案")


class ExecutionContract:
    """The adapter. A result is an error where it says so by status or `error`; without either it is read as in a chat."""

    name = "execution_contract"
    looks_for = "records {plan | contract: {steps: […]}, results | step_results | past_steps: […]}, or Plan: … #E1 = tool[…]"

    def recognises(self, opening: Opening) -> str | None:
        """By a plan beside results, by the updates of a plan-and-execute graph, or by ReWOO's plan."""
        if opening.head and rewoo.is_text(head_lines(opening)):
            return "it is text of plans with #E1 = tool[input]"
        for sample in opening.samples:
            if isinstance(sample, dict) and rewoo.is_state(sample):
                return "its records have a plan_string with steps and results"
            if isinstance(sample, dict) and (is_contract(sample) or plan_updates.is_state(sample)):
                return "its records have a plan and the results of its steps"
            if plan_updates.is_update(sample) or plan_updates.is_stream(sample):
                return "it holds the updates of a plan-and-execute graph"
        return None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a record; updates that follow each other are one run."""
        if opening.head and opening.layout == "text":
            yield from _read_text(opening)
        elif any(plan_updates.is_update(sample) for sample in opening.samples):
            yield from converted(_one_stream(opening), contract_run)
        else:
            yield from read_records(opening, contract_run)


def contract_run(record: JsonValue, position: str) -> tuple[Run, list[NotAnalysed]]:
    """The run of one record. RecordError where it has no plan with results."""
    if isinstance(record, list) and plan_updates.is_stream(record):
        return plan_updates.run_of(record), []
    if not isinstance(record, dict):
        raise RecordError(f"a record is an object with a plan and results, this is {json_kind(record)}")
    if rewoo.is_state(record):
        return rewoo.run_of_state(record), []
    if plan_updates.is_state(record):
        return plan_updates.run_of_state(record).model_copy(update=about_run(record)), []
    if not is_contract(record):
        raise RecordError("no plan with steps beside results, step_results or past_steps")
    plans = _plans(record)
    asked = text_at(record, *GOALS) or text_at(_first_plan(record), *GOALS)
    built = PlanRun(plans, heard=asked)
    troubles = []
    for number, item in enumerate(results_in(record), 1):
        result = result_of(item)
        if result is None:
            troubles.append(
                NotAnalysed(position=f"{position}, result {number}", reason="no result of a step")
            )
            continue
        built.add(result)
    built.end(text_at(record, *ANSWERS))
    fields = {
        "run_id": f"plan-{digest(asked, [plan.model_dump(mode='json') for plan in plans], results_in(record))}",
        "agent": Agent(kind="plan_execute"),
        "user_intent": asked,
        "complete": text_at(record, *SAID) is not None,
        "steps": tuple(built.steps),
        "plans": built.finished_plans(),
    }
    return Run(**{**fields, **about_run(record)}), troubles


def result_of(item: Any) -> Result | None:
    """The result of a step. None where it is no object."""
    if not isinstance(item, dict):
        return None
    key = next((key for key in OUTPUTS if key in item), None)
    output = item[key] if key else None
    status = status_of(item.get("status", item.get("success", item.get("状态"))))
    wrong = item.get("error", item.get("error_message", item.get("错误")))
    revision = number_at(item, "plan", "revision", "plan_index", "plan_version")
    given = any(
        name in item for name in ("arguments", "args", "resolved_args", "input", "tool_input", "params")
    )
    return Result(
        step_id=text_at(item, "step_id", "id", "step", "name", "步骤"),
        tool=tool_in(item),
        arguments=arguments_in({**item, "arguments": item.get("resolved_args", item.get("arguments"))})
        if given
        else None,
        status=status,
        output=output,
        error=judged(output, status, wrong),
        answered=key is not None or status is not None or wrong is not None,
        thought=text_at(item, "thought", "reasoning"),
        plan=int(revision) if revision is not None and 0 <= revision < 10**6 else None,
        started_at=moment(item.get("started_at") or item.get("start_time")),
        ended_at=moment(item.get("ended_at") or item.get("finished_at") or item.get("end_time")),
    )


def _read_text(opening: Opening) -> Iterator[Run | NotAnalysed]:
    source = TextLines(opening)
    yield from rewoo.runs_of_text(source)
    yield from source.troubles


def _one_stream(opening: Opening) -> Iterator[Record | Unreadable]:
    items = list(records(opening))
    yield from (item for item in items if isinstance(item, Unreadable))
    yield Record("record 1", [item.value for item in items if isinstance(item, Record)])


def is_contract(record: dict[str, Any]) -> bool:
    """Whether a plan of steps stands beside results, or has them in it."""
    has_plan = any(steps_listed(record.get(key)) is not None for key in PLANS) or any(
        isinstance(record.get(key), list) for key in REPLANS
    )
    results = results_in(record)
    return has_plan and bool(results) and any(_says_step(item) for item in results)


def _says_step(item: Any) -> bool:
    return isinstance(item, dict) and any(key in item for key in ("step_id", "id", "step", "status", "步骤"))


def _first_plan(record: dict[str, Any]) -> dict[str, Any]:
    found = next((record[key] for key in PLANS if isinstance(record.get(key), dict)), None)
    return found or {}


def _plans(record: dict[str, Any]) -> list[Plan]:
    """The first plan and those that replaced it. LangGraph's state holds what is left to do: what was done precedes it."""
    listed = [record[key] for key in PLANS if record.get(key)][:1]
    for key in REPLANS:
        value = record.get(key)
        listed += value if isinstance(value, list) else []
    found = (plan_of(value, _at(value)) for value in listed)
    return [plan for plan in found if plan is not None]


def _at(value: Any) -> int:
    place = number_at(value, "at", "at_step") if isinstance(value, dict) else None
    return int(place) if place is not None and 0 <= place < 10**6 else 0


def results_in(record: dict[str, Any]) -> list[Any]:
    """The results in the order of time: listed, by the step's id, or in the steps of the plan themselves."""
    found = next((record[key] for key in RESULTS if record.get(key)), None)
    if isinstance(found, dict):
        found = [_keyed(key, value) for key, value in found.items()]
    if not isinstance(found, list):
        listed = next((steps for key in PLANS if (steps := steps_listed(record.get(key)))), [])
        found = [step for step in listed if _holds_result(step)]
    times = [moment(item.get("started_at")) if isinstance(item, dict) else None for item in found]
    if any(time is None for time in times):
        return found
    order = sorted(range(len(found)), key=lambda at: (times[at], at))
    return [found[at] for at in order]


def _keyed(key: str, value: Any) -> dict[str, Any]:
    return (
        {"step_id": key, **value}
        if isinstance(value, dict) and _says_result(value)
        else {"step_id": key, "output": value}
    )


def _says_result(value: dict[str, Any]) -> bool:
    return any(key in value for key in ("status", "error", *OUTPUTS))


def _holds_result(step: Any) -> bool:
    """Whether a planned step says what became of it, and which tool it was for."""
    return isinstance(step, dict) and tool_in(step) is not None and _says_result(step)
