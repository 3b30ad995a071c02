"""The updates that a plan-and-execute graph streams: {planner: {plan}}, {agent: {past_steps}}, {replan: {plan | response}}."""

from __future__ import annotations

from typing import Any

from errata_client.deliberation import Plan, PlanStep
from errata_client.run import Agent, Run
from ingest.adapters.jsonvalue import clean_text
from ingest.adapters.plan_records import plan_steps
from ingest.adapters.plan_run import PlanRun, Result, judged
from knowledge.ids import digest

FIELDS = frozenset({"plan", "past_steps", "response"})


def is_update(value: Any) -> bool:
    """Whether a value is one update: a node's name, and what it changed of plan, past_steps and response."""
    inner = _inner(value)
    if inner is None or not FIELDS & set(inner):
        return False
    return isinstance(inner.get("plan", inner.get("past_steps", [])), list)


def is_stream(value: Any) -> bool:
    """Whether a value is a list of updates."""
    return isinstance(value, list) and bool(value) and any(is_update(item) for item in value)


def is_state(record: dict[str, Any]) -> bool:
    """Whether a record is a final state: a plan, and past steps as pairs [task, result]."""
    return isinstance(record.get("plan"), list) and bool(_done(record))


def run_of(updates: list[Any]) -> Run:
    """The run of a stream. A plan is what is left to do: steps that it repeats keep the number that they had."""
    plans: list[Plan] = []
    results: list[Result] = []
    answer, asked = None, None
    for update in updates:
        inner = _inner(update) or {}
        results += [_result(pair, plans) for pair in _done(inner)]
        if isinstance(inner.get("plan"), list) and inner["plan"]:
            plans.append(_plan(inner["plan"], plans, len(results)))
        answer = inner["response"] if isinstance(inner.get("response"), str) and inner["response"] else answer
        asked = inner["input"] if isinstance(inner.get("input"), str) and inner["input"] else asked
    built = PlanRun(plans, heard=asked)
    for result in results:
        built.add(result)
    built.end(clean_text(answer) if answer else None)
    return Run(
        run_id=f"plan-{digest(updates)}",
        agent=Agent(kind="plan_execute"),
        user_intent=clean_text(asked) if asked else None,
        complete=asked is not None,
        steps=tuple(built.steps),
        plans=built.finished_plans(),
    )


def run_of_state(record: dict[str, Any]) -> Run:
    """The run of a final state {input, plan, past_steps, response}. Its plan is what was left to do: what was done is put
    before it, so that every task that was ever taken up has a step."""
    done = [str(pair[0]) for pair in _done(record)]
    left = record.get("plan")
    tasks = (
        [*done, *(str(task) for task in left if str(task) not in done)] if isinstance(left, list) else done
    )
    first = {"plan": [*dict.fromkeys(tasks)], "input": record.get("input")}
    return run_of(
        [
            {"planner": first},
            {"agent": {"past_steps": _done(record)}},
            {"replan": {"response": record.get("response")}},
        ]
    )


def numbered(task: str, plans: list[Plan]) -> str | None:
    """The id that the latest plan with this task has for it."""
    for plan in reversed(plans):
        for step in plan.steps:
            if step.purpose == task:
                return step.step_id
    return None


def _plan(listed: list[Any], before: list[Plan], at: int) -> Plan:
    made = plan_steps(listed)
    taken = len({step.step_id for plan in before for step in plan.steps})
    steps: list[PlanStep] = []
    for step in made:
        known = numbered(step.purpose or "", before)
        taken += known is None
        steps.append(step.model_copy(update={"step_id": known or str(taken)}))
    return Plan(at=at, steps=tuple(steps))


def _result(pair: list[Any], plans: list[Plan]) -> Result:
    task, output = clean_text(str(pair[0])), pair[1]
    number = len(plans) - 1 if plans else None
    return Result(
        step_id=numbered(task, plans),
        thought=task,
        output=output,
        error=judged(output, None, None),
        plan=number,
    )


def _done(inner: dict[str, Any]) -> list[list[Any]]:
    found = inner.get("past_steps")
    return (
        [pair for pair in found if isinstance(pair, list) and len(pair) == 2]
        if isinstance(found, list)
        else []
    )


def _inner(value: Any) -> dict[str, Any] | None:
    if not isinstance(value, dict) or len(value) != 1:
        return None
    found = next(iter(value.values()))
    return found if isinstance(found, dict) else None
