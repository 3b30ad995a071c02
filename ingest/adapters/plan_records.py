"""Plans as records hold them: steps with their tools, arguments and dependencies, under the names that are used for it."""

from __future__ import annotations

import re
from typing import Any

from errata_client.deliberation import Plan, PlanStep, PlanStepStatus
from errata_client.model import JsonValue
from ingest.adapters.jsonvalue import clean_text, storable
from ingest.adapters.record_fields import number_at, text_at, texts_at
from ingest.adapters.written_call import with_input

MAX_PLAN_STEPS = 10_000
IDS = ("step_id", "id", "step", "name", "key", "步骤")
TOOLS = ("tool", "tool_name", "action", "function", "工具", "动作")
ARGUMENTS = (
    "arguments",
    "args",
    "action_input",
    "tool_input",
    "parameters",
    "params",
    "inputs",
    "input",
    "参数",
)
PURPOSES = (
    "purpose",
    "description",
    "task",
    "title",
    "instruction",
    "goal",
    "objective",
    "目的",
    "描述",
    "说明",
)
DEPENDENCIES = (
    "depends_on",
    "dependencies",
    "depends",
    "dependsOn",
    "deps",
    "needs",
    "requires",
    "after",
    "依赖",
)
PREMISES = ("premises", "assumptions", "preconditions", "assumes", "前提", "假设")
EXPECTATIONS = ("expects", "expected_output", "output_schema", "expect", "result_schema", "期望")
ALLOWED = ("allowed_tools", "permitted_tools", "tools_allowed", "允许的工具")
REPLANS = ("max_replans", "max_replan", "replan_limit", "max_revisions")

DONE = frozenset(
    [
        "done",
        "ok",
        "success",
        "succeeded",
        "successful",
        "completed",
        "complete",
        "finished",
        "passed",
        "完成",
        "已完成",
        "成功",
    ]
)
FAILED = frozenset(
    ["failed", "failure", "error", "errored", "timeout", "timed_out", "aborted", "失败", "错误", "超时"]
)
SKIPPED = frozenset(["skipped", "cancelled", "canceled", "blocked", "not_run", "跳过", "已跳过", "取消"])
_REFERENCE = re.compile(
    r"\$\{\s{0,9}(?:steps\.)?(?P<a>[\w\-]+)|\{\{\s{0,9}(?:steps\.)?(?P<b>[\w\-]+)|(?P<c>#E\d{1,4})|\$(?P<d>\d{1,4})\b"
)


def status_of(value: Any) -> PlanStepStatus | None:
    """A status in whatever words; None where the words are not known."""
    if isinstance(value, bool):
        return "done" if value else "failed"
    word = value.strip().lower().replace(" ", "_") if isinstance(value, str) else ""
    if word in DONE:
        return "done"
    if word in FAILED:
        return "failed"
    if word in SKIPPED:
        return "skipped"
    return "planned" if word else None


def plan_of(value: JsonValue, at: int = 0) -> Plan | None:
    """The plan that a value is: an object with `steps`, a list of steps, or text. None where it is none of them."""
    if isinstance(value, str):
        return Plan(at=at, text=clean_text(value)) if value.strip() else None
    record = value if isinstance(value, dict) else {}
    listed = steps_listed(value)
    if listed is None and not record:
        return None
    return Plan(
        at=at,
        steps=plan_steps(listed or []),
        text=None if listed is not None else text_at(record, "text", "plan"),
        allowed_tools=texts_at(record, *ALLOWED) if any(key in record for key in ALLOWED) else None,
        max_replans=_whole(number_at(record, *REPLANS)),
    )


def steps_listed(value: JsonValue) -> list[Any] | None:
    """The list of steps in a plan: the value itself, or under `steps`; a mapping of ids to steps is made one."""
    found = value
    if isinstance(value, dict):
        found = next(
            (value[key] for key in ("steps", "tasks", "nodes", "plan", "步骤") if key in value), None
        )
    if isinstance(found, dict) and found and all(isinstance(step, dict) for step in found.values()):
        return [{"step_id": key, **step} for key, step in found.items() if isinstance(step, dict)]
    return found if isinstance(found, list) else None


def plan_steps(listed: list[Any]) -> tuple[PlanStep, ...]:
    """The steps of a list: objects, or texts, which are numbered from 1. Two of one id keep both: a detector sees it."""
    return tuple(
        step
        for number, item in enumerate(listed[:MAX_PLAN_STEPS], 1)
        if (step := _step(item, number)) is not None
    )


def _step(item: Any, number: int) -> PlanStep | None:
    if isinstance(item, str):
        return PlanStep(step_id=str(number), purpose=clean_text(item))
    if not isinstance(item, dict):
        return None
    arguments = arguments_in(item)
    expects = next((item[key] for key in EXPECTATIONS if isinstance(item.get(key), dict)), None)
    return PlanStep(
        step_id=text_at(item, *IDS) or str(number),
        tool=tool_in(item),
        purpose=text_at(item, *PURPOSES),
        arguments=arguments,
        depends_on=_depends_on(item, arguments),
        premises=texts_at(item, *PREMISES),
        expects=expects,
        status=status_of(item.get("status")) or "planned",
    )


def tool_in(item: dict[str, Any]) -> str | None:
    """The tool that a step or a result names, also where it is an object with a name."""
    named = next((item[key] for key in TOOLS if item.get(key)), None)
    if isinstance(named, dict):
        return text_at(named, "name", "tool")
    return clean_text(named) if isinstance(named, str) else None


def arguments_in(item: dict[str, Any]) -> dict[str, JsonValue]:
    """The arguments that a step or a result holds; one that is no object is under `input`."""
    key = next((key for key in ARGUMENTS if item.get(key) not in (None, "")), None)
    if key is None:
        action = item.get("action")
        return arguments_in(action) if isinstance(action, dict) else {}
    return with_input("", item[key]).arguments


def references(value: JsonValue) -> list[str]:
    """The ids of the steps whose output `value` refers to, in their order."""
    if isinstance(value, str):
        found = (
            match.group("a") or match.group("b") or match.group("c") or match.group("d")
            for match in _REFERENCE.finditer(value)
        )
        return [name for name in found if name]
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [name for item in below for name in references(item)]


def _depends_on(item: dict[str, Any], arguments: dict[str, JsonValue]) -> tuple[str, ...]:
    """What it says it depends on; where it does not say, what its arguments refer to."""
    key = next((key for key in DEPENDENCIES if key in item), None)
    if key is None:
        return tuple(dict.fromkeys(references(arguments)))
    value = storable(item[key])
    if isinstance(value, list):
        named = (text_at(part, *IDS) if isinstance(part, dict) else str(part) for part in value)
        return tuple(name for name in named if name)
    return (str(value),) if value not in (None, "") else ()


def _whole(value: float | None) -> int | None:
    return int(value) if value is not None and 0 <= value < 10**6 else None
