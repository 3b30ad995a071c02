"""How agents that write their actions as text mark them, in English and in Chinese."""

from __future__ import annotations

import re

from errata_client.run import Run
from ingest.adapters.chat_run import spoken

_LINE = r"^[ \t>*#-]{0,8}"
ACTION = re.compile(rf"{_LINE}(?:action|动作|行动)[ \t]*\d{{0,3}}[ \t*]*[:：]", re.IGNORECASE | re.MULTILINE)
"""A line that begins an action. "Action Input:" is none."""

THOUGHT = re.compile(rf"{_LINE}(?:thought|思考)[ \t]*\d{{0,3}}[ \t*]*[:：]", re.IGNORECASE | re.MULTILINE)

ANSWER = re.compile(
    rf"{_LINE}(?:final[ _]answer|最终答案|最终回答|最终答复)[ \t*]*[:：]"
    r"|\b(?:action|动作|行动)[ \t]*\d{0,3}[ \t]*[:：][ \t]*(?:finish|完成)[ \t]*[\[(（]",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that begins the answer to the person, `Action: Finish[…]` included."""

OBSERVATION = re.compile(
    rf"{_LINE}(?:observation|观察|观察结果)[ \t]*\d{{0,3}}[ \t*]*[:：]", re.IGNORECASE | re.MULTILINE
)

CALL_TAG = re.compile(r"<(?:tool_call|function_call|invoke)\b")


def written(text: str | None) -> str:
    """What the agent wrote, without the thinking that a model puts into tags."""
    return spoken(text) if text else ""


def acts_by_text(run: Run) -> bool:
    """Whether the agent writes its actions as text: a call of its has one in the output that it was read from. In the
    words of any other agent "Action:" is a word."""
    return any(
        step.tool_call is not None
        and step.requestor == "agent"
        and step.raw_output is not None
        and (ACTION.search(step.raw_output) or CALL_TAG.search(step.raw_output)) is not None
        for step in run.steps
    )
