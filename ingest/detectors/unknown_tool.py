"""tool.unknown: the agent called a tool that is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from errata_client.jsontext import as_text
from errata_client.replay import StepView
from errata_client.run import Run, Step
from ingest.detectors.port import Detector, Finding

_SAYS_SO = re.compile(
    r"(?:unknown|no such|invalid|unrecogni[sz]ed|undefined|non-?existent) (?:tool|function|action|command|method)\b"
    r"|\b(?:tool|function|action|command)\b.{0,80}?\b(?:not found|does not exist|doesn't exist|is not (?:a )?(?:valid|available|defined|registered|recogni[sz]ed|known))"
    r"|(?:未知|无效)的?(?:工具|函数|动作|方法)|(?:工具|函数|动作|方法).{0,40}?(?:不存在|未找到|未定义|未注册)|没有(?:名为|叫)?.{0,40}(?:工具|函数)",
    re.IGNORECASE | re.DOTALL,
)
_READ = 400


def detect(run: Run, calls: Sequence[StepView]) -> Iterator[Finding]:
    """A call is of an unknown tool where the reply says that there is no such tool and names it or nothing else, or
    where the run declares its tools, this is none of them and the call was not answered with a result. A tool that
    answered is there, whatever was declared."""
    declared = frozenset(tool.name for tool in run.tools)
    for call in calls:
        step = call.step
        if step.requestor != "agent" or not step.paired or step.tool_call is None:
            continue
        tool = step.tool_call.tool
        said = says_unknown(step, tool)
        undeclared = _is_undeclared(step, tool, declared)
        if said or undeclared:
            yield Finding(
                index=step.index,
                code="tool.unknown",
                message=f"there is no tool called {tool}",
                kind="unimplemented",
                evidence={
                    "reply_says_so": said,
                    "declared": [*sorted(declared)[:50]] if undeclared else None,
                },
            )


def is_unknown(step: Step, tool: str, declared: frozenset[str]) -> bool:
    """Whether a call of `tool` is of a tool that is not there."""
    return says_unknown(step, tool) or _is_undeclared(step, tool, declared)


def _is_undeclared(step: Step, tool: str, declared: frozenset[str]) -> bool:
    return bool(declared) and tool not in declared and (step.error is not None or not step.answered)


def says_unknown(step: Step, tool: str) -> bool:
    """Whether the error that a call of `tool` got says that there is no such tool."""
    if step.error is None:
        return False
    text = (step.error.message or as_text(step.observation))[:_READ]
    if not _SAYS_SO.search(text):
        return False
    return tool.casefold() in text.casefold() or len(text) < 60


DETECTOR = Detector("unknown_tool", ("tool.unknown",), detect)
