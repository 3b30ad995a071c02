"""Every text of a run, replaced by a function: one walk, used for each pass of masking."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel

from errata_client.deliberation import Plan, PlanStep
from errata_client.model import JsonValue
from errata_client.run import Run, Step

M = TypeVar("M", bound=BaseModel)
Text = Callable[[str], str]
Value = Callable[[JsonValue], JsonValue]

_RUN = ("run_id", "task_id", "user_intent", "conversation_id", "prompt", "model_version")
_PLAN_STEP = ("step_id", "tool", "purpose")
_THOUGHT = ("thought_id", "parent", "text")
_STEP = ("step_id", "user_input", "thought", "raw_output")


def replaced(run: Run, text: Text, value: Value) -> Run:
    """The run with `text` applied to each of its texts and `value` to each JSON value, unknown fields included."""
    changed = {
        "agent": _fields(run.agent, ("name", "version"), text, value),
        "outcome": _fields(run.outcome, ("reason",), text, value),
        "steps": tuple(_step(step, text, value) for step in run.steps),
        "tools": tuple(_fields(tool, ("description",), text, value) for tool in run.tools),
        "plans": tuple(_plan(plan, text, value) for plan in run.plans),
        "episodes": tuple(_fields(episode, ("reflection",), text, value) for episode in run.episodes),
        "thoughts": tuple(_fields(thought, _THOUGHT, text, value) for thought in run.thoughts),
    }
    return _fields(run, _RUN, text, value).model_copy(update=changed)


def _plan(plan: Plan, text: Text, value: Value) -> Plan:
    steps = tuple(_plan_step(step, text, value) for step in plan.steps)
    return _fields(plan, ("text",), text, value).model_copy(update={"steps": steps})


def _plan_step(step: PlanStep, text: Text, value: Value) -> PlanStep:
    changed = {
        "arguments": value(step.arguments),
        "expects": value(step.expects),
        "depends_on": tuple(map(text, step.depends_on)),
        "premises": tuple(map(text, step.premises)),
    }
    return _fields(step, _PLAN_STEP, text, value).model_copy(update=changed)


def _step(step: Step, text: Text, value: Value) -> Step:
    changed: dict[str, Any] = {}
    if step.tool_call is not None:
        call = _fields(step.tool_call, ("tool", "raw_arguments", "call_id"), text, value)
        changed["tool_call"] = call.model_copy(update={"arguments": value(call.arguments)})
    if step.error is not None:
        changed["error"] = _fields(step.error, ("message", "type"), text, value)
    if step.observation is not None:
        changed["observation"] = value(step.observation)
    return _fields(step, _STEP, text, value).model_copy(update=changed)


def _fields(model: M, names: tuple[str, ...], text: Text, value: Value) -> M:
    found = {name: getattr(model, name) for name in names}
    changed: dict[str, Any] = {name: text(given) for name, given in found.items() if given}
    changed.update({key: value(given) for key, given in (model.model_extra or {}).items()})
    return model.model_copy(update=changed) if changed else model
