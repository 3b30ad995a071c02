"""thought.executable_content: an action inside of a thought, where nothing checks it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from errata_client.replay import StepView
from errata_client.run import Run
from ingest.detectors.port import Detector, Finding

EXCERPT = 200
_NAME = r"[A-Za-z_]\w{1,60}"
_SQL = re.compile(
    r"^\s*(?:select\s.{1,400}?\sfrom\s+\w|insert\s+into\s+\w|update\s+[\w.\"`]{1,60}\s+set\s|delete\s+from\s+\w"
    r"|(?:drop|alter|truncate|create)\s+(?:table|database|index|view)\s+\w)",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_CALL_OBJECT = re.compile(
    rf'\{{\s*"(?:name|tool|tool_name|action|function)"\s*:\s*"{_NAME}"\s*,\s*"(?:arguments|parameters|args|params|action_input|input)"\s*:\s*[{{\["]'
)
_CALL_TAG = re.compile(r"<(?:tool_call|function_call|invoke)\b[^>]{0,80}>")
_SHELL = re.compile(
    r"```(?:bash|sh|shell|zsh|powershell|python|py|sql|javascript|js)\s*\n\s*\S", re.IGNORECASE
)
_CALL_TEXT = re.compile(rf"\b({_NAME})\(\s*(?:{_NAME}\s*[=:]|[\"'{{])")


def detect(run: Run, _calls: Sequence[StepView]) -> Iterator[Finding]:
    """One finding for each thought that holds something that could be run: a call as JSON or in a tag, a call of one of the
    run's tools in code (`find_order(id="1")`), a fenced block of code, an SQL statement at the start of a line. A thought
    is no place for it: what checks and permits calls does not look there.

    Not: the name of a tool in a sentence; JSON data; a fenced block of plain text or JSON that is no call.
    Evidence: `is`, and the start of what was found.
    """
    tools: frozenset[str] | None = None
    for step in run.steps:
        text = step.thought
        if not text or step.requestor != "agent":
            continue
        if tools is None:
            tools = _tools_of(run)
        found = executable_in(text, tools)
        if found is not None:
            yield Finding(
                index=step.index,
                code="thought.executable_content",
                message=f"the thought holds {found[0]}",
                kind="invalid_argument",
                evidence={"is": found[0], "excerpt": found[1]},
            )


def executable_in(text: str, tools: frozenset[str]) -> tuple[str, str] | None:
    """What of a thought could be run, and its start."""
    for what, pattern, gate in (
        ("a call as JSON", _CALL_OBJECT, '"'),
        ("a call in a tag", _CALL_TAG, "<"),
        ("a block of code", _SHELL, "```"),
        ("an SQL statement", _SQL, " "),
    ):
        if gate in text and (match := pattern.search(text)):
            return what, text[match.start() : match.start() + EXCERPT]
    if "(" in text:
        for match in _CALL_TEXT.finditer(text):
            if match.group(1) in tools:
                return "a call as code", text[match.start() : match.start() + EXCERPT]
    return None


def _tools_of(run: Run) -> frozenset[str]:
    called = (step.tool_call.tool for step in run.steps if step.tool_call)
    return frozenset([*called, *(tool.name for tool in run.tools)])


DETECTOR = Detector("executable_content", ("thought.executable_content",), detect)
