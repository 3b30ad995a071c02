"""Plans and the results of their steps, put together into a run: each result is a step that bears its plan step's id."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from errata_client.deliberation import Plan, PlanStep, PlanStepStatus
from errata_client.jsontext import as_text
from errata_client.jsontext import read as read_json
from errata_client.model import JsonValue
from errata_client.run import Step, StepError, ToolCall
from ingest.adapters.replies import chat_error, status_in
from ingest.adapters.written_call import with_input

EXECUTOR = "agent"
"""The tool of a planned step that names none: an agent of its own was given the task, as in LangGraph's plan-and-execute."""

_WHOLE = re.compile(
    r"\$\{\s{0,9}([^{}]{1,200}?)\s{0,9}\}|\{\{\s{0,9}([^{}]{1,200}?)\s{0,9}\}\}|(#E\d{1,4})|\$(\d{1,4})(?![\w.])"
)
_UNKNOWN = object()


@dataclass(frozen=True)
class Result:
    """What became of a planned step. `arguments` None: those of the plan. `plan`: the position of its plan, if it says so."""

    step_id: str | None
    tool: str | None = None
    arguments: dict[str, JsonValue] | None = None
    status: PlanStepStatus | None = None
    output: JsonValue = None
    error: StepError | None = None
    answered: bool = True
    thought: str | None = None
    plan: int | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass
class PlanRun:
    """The steps so far, and the plans with the place of each."""

    plans: Sequence[Plan]
    heard: str | None = None
    steps: list[Step] = field(default_factory=list)
    _outputs: dict[str, JsonValue] = field(default_factory=dict)
    _placed: dict[int, int] = field(default_factory=dict)
    _statuses: list[dict[str, PlanStepStatus]] = field(default_factory=list)
    _current: int = 0

    def __post_init__(self) -> None:
        self._statuses = [{} for _ in self.plans]
        self._placed = {number: plan.at for number, plan in enumerate(self.plans) if number == 0 or plan.at}

    def add(self, result: Result) -> None:
        """One result; a step that was skipped is none of the run's."""
        self._follow(result)
        planned = self._planned(result.step_id)
        status = result.status or ("failed" if result.error is not None else "done")
        if result.step_id is not None and self.plans:
            self._statuses[self._current][result.step_id] = status
        if status in {"skipped", "planned"}:
            return
        if result.step_id is not None and result.error is None:
            self._outputs[result.step_id] = result.output
        self.steps.append(self._step(result, planned))

    def end(self, answer: str | None = None) -> None:
        """No more results; `answer` is what was said at the end."""
        if answer:
            heard, self.heard = self.heard, None
            self.steps.append(Step(index=len(self.steps), user_input=heard, raw_output=answer))

    def finished_plans(self) -> tuple[Plan, ...]:
        """The plans, each at its place and with what became of its steps."""
        return tuple(
            plan.model_copy(
                update={
                    "at": min(self._placed.get(number, len(self.steps)), len(self.steps)),
                    "steps": tuple(_with_status(step, self._statuses[number]) for step in plan.steps),
                }
            )
            for number, plan in enumerate(self.plans)
        )

    def _follow(self, result: Result) -> None:
        """Go on to a later plan where the result says that it is of one, or where only a later one has its step."""
        later = range(self._current + 1, len(self.plans))
        if result.plan is not None:
            self._move(next((number for number in later if number == result.plan), None))
            return
        placed = [
            number for number in later if self._placed.get(number, len(self.steps) + 1) <= len(self.steps)
        ]
        self._move(placed[-1] if placed else None)
        if result.step_id is not None and self._planned(result.step_id) is None:
            self._move(next((number for number in later if result.step_id in _ids(self.plans[number])), None))

    def _move(self, number: int | None) -> None:
        if number is None:
            return
        for passed in range(self._current + 1, number + 1):
            self._placed.setdefault(passed, len(self.steps))
        self._current = max(self._current, number)

    def _planned(self, step_id: str | None) -> PlanStep | None:
        if step_id is None or not self.plans:
            return None
        return next((step for step in self.plans[self._current].steps if step.step_id == step_id), None)

    def _step(self, result: Result, planned: PlanStep | None) -> Step:
        heard, self.heard = self.heard, None
        return Step(
            index=len(self.steps),
            step_id=result.step_id,
            user_input=heard,
            thought=result.thought or (planned.purpose if planned else None),
            tool_call=self._call(result, planned),
            observation=result.output,
            error=result.error,
            answered=result.answered,
            started_at=result.started_at,
            ended_at=result.ended_at,
        )

    def _call(self, result: Result, planned: PlanStep | None) -> ToolCall:
        tool = result.tool or (planned.tool if planned else None)
        if tool is None:
            task = planned.purpose if planned and planned.purpose else result.thought or result.step_id
            return with_input(EXECUTOR, {"task": task} if task else {})
        if result.arguments is not None:
            return with_input(tool, result.arguments)
        return with_input(tool, resolved(planned.arguments, self._outputs) if planned else {})


def judged(output: JsonValue, status: PlanStepStatus | None, error: JsonValue) -> StepError | None:
    """The error of a result: what it gives as one; a status decides, else the output is read as a chat's reply."""
    if error not in (None, "", False, [], {}):
        found = chat_error({"error": error}) if not isinstance(error, str) else None
        text = as_text(error)
        return found or StepError(message=text, status=status_in(text))
    if status == "failed":
        text = as_text(output) if output is not None else ""
        return chat_error(output) or StepError(message=text, status=status_in(text))
    return chat_error(output) if status is None else None


def resolved(value: Any, outputs: dict[str, JsonValue]) -> Any:
    """`value` with references to earlier outputs replaced by them; one that leads nowhere stays as it is."""
    if isinstance(value, dict):
        return {key: resolved(below, outputs) for key, below in value.items()}
    if isinstance(value, list):
        return [resolved(below, outputs) for below in value]
    if not isinstance(value, str):
        return value
    whole = _WHOLE.fullmatch(value.strip())
    if whole is not None:
        found = _looked_up(whole, outputs)
        return value if found is _UNKNOWN else found
    return _WHOLE.sub(lambda match: _as_part(match, outputs), value)


def _as_part(match: re.Match[str], outputs: dict[str, JsonValue]) -> str:
    found = _looked_up(match, outputs)
    return match.group(0) if found is _UNKNOWN else as_text(found)


def _looked_up(match: re.Match[str], outputs: dict[str, JsonValue]) -> Any:
    path = next(group for group in match.groups() if group)
    if path in outputs:
        return outputs[path]
    parts = path.split(".")
    if parts[0] == "steps":
        parts = parts[1:]
    if not parts or parts[0] not in outputs:
        return _UNKNOWN
    found: Any = outputs[parts[0]]
    rest = parts[2:] if parts[1:2] in (["output"], ["result"]) else parts[1:]
    for part in rest:
        found = read_json(found) if isinstance(found, str) else found
        if isinstance(found, dict) and part in found:
            found = found[part]
        elif isinstance(found, list) and part.isdigit() and int(part) < len(found):
            found = found[int(part)]
        else:
            return _UNKNOWN
    return found


def _with_status(step: PlanStep, statuses: dict[str, PlanStepStatus]) -> PlanStep:
    status = statuses.get(step.step_id)
    return step if status is None else step.model_copy(update={"status": status})


def _ids(plan: Plan) -> set[str]:
    return {step.step_id for step in plan.steps}
