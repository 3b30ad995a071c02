"""What stood around a step: for the case, and as words for the encoders."""

from __future__ import annotations

import re
from functools import lru_cache

from errata_client.jsontext import as_text
from errata_client.replay import StepView
from errata_client.run import Run, Step
from ingest.text import error_pattern
from knowledge.cases import FailureCase, StepContext

TOOLS_BEFORE = 8
EXCERPT = 300

_KINDS = (
    ("read", r"get|list|find|search|fetch|read|lookup|query|show|check|view|describe|retrieve|count|查|搜|获取|读"),
    ("write", r"create|add|book|make|place|insert|send|submit|register|open|pay|post|创建|新增|提交|发送|预订"),
    ("change", r"update|modify|edit|change|set|exchange|return|enable|disable|toggle|resume|suspend|refuel|修改|更新|更换"),
    ("remove", r"delete|remove|cancel|close|revoke|drop|删除|取消|关闭"),
    ("think", r"think|plan|reflect|reason|思考"),
    ("compute", r"calculate|compute|sum|convert|计算"),
    ("hand over", r"transfer|escalate|handoff|转接|转人工"),
)  # fmt: skip


def step_context(run: Run, step: Step, calls: tuple[str, ...], view: StepView | None) -> StepContext:
    """The context of a step; `calls` are the tools that the same side called before it."""
    last = max(len(run.steps) - 1, 1)
    return StepContext(
        tools_before=calls[-TOOLS_BEFORE:],
        position=round(min(step.index / last, 1.0), 4),
        input_length=len(view.moment.user_input) if view else len(step.user_input or ""),
        observation_excerpt=excerpt(step),
    )


def excerpt(step: Step) -> str | None:
    """The start of what the tool answered; None without an answer."""
    if step.observation is None:
        return step.error.message[:EXCERPT] if step.error else None
    return as_text(step.observation)[:EXCERPT]


def context_text(case: FailureCase) -> str:
    """The step in a few words: what kind of tool, its name in words, what was called before, early or late in the
    run, and what it answered with what varies masked."""
    tool = case.trigger_step.tool or case.trigger_step.step_id
    before = [words(name) for name in case.step_context.tools_before[-3:]]
    parts = [f"{tool_kind(tool)} step: {words(tool)}"]
    if case.trigger_step.step_id != tool:
        parts.append(f"at {words(case.trigger_step.step_id)}")
    parts.append(f"after {', '.join(before)}" if before else "first call")
    parts.append(f"{_place(case.step_context.position)} in the run")
    if case.step_context.observation_excerpt:
        parts.append(f"answer: {error_pattern(case.step_context.observation_excerpt)[:160]}")
    return "; ".join(parts)


@lru_cache(maxsize=4096)
def tool_kind(tool: str) -> str:
    """What a tool does, by the first word of its name that tells: read, write, change, remove, …; else "other"."""
    for word in words(tool).split():
        for kind, pattern in _KINDS:
            if re.match(rf"(?:{pattern})", word):
                return kind
    return "other"


def words(name: str) -> str:
    """A tool's or step's name as words: "getOrder_details" -> "get order details"."""
    parted = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return " ".join(re.split(r"[\W_]+", parted)).strip().casefold() or name


def _place(position: float) -> str:
    return "early" if position < 1 / 3 else "midway" if position < 2 / 3 else "late"
