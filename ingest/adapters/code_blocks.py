"""Code that an agent wrote into its words, and what the machine that ran it answered: AutoGen's two forms.

0.2: `exitcode: 1 (execution failed)`, then `Code output: …`. 0.4: `The script ran, then exited with an error (POSIX exit
code: 1)`, then `Its output was: …`.
"""

from __future__ import annotations

import re

from errata_client.model import JsonValue
from errata_client.run import StepError, ToolCall
from ingest.adapters.exceptions import raised
from ingest.adapters.replies import status_in

MAX_ERROR = 2_000
"""Characters of an output that names no exception, of which the last lines are kept as the error's message."""

_BLOCK = re.compile(r"```[ \t]*([\w+#.-]*)[^\S\n]*\n(.*?)```", re.DOTALL)
_ANSWER = re.compile(
    r"\s*exit ?code:\s*(-?\d+)\b(?:[^\S\n]*\([^)\n]{0,60}\))?[^\S\n]*\n?(?:Code output:)?"
    r"|\s*The script ran[^\n]{0,60}?\(?POSIX exit code(?: is)?:?\s*(-?\d+)\)?[^\n]*\n?(?:Its output was:)?",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    r"^((?:[A-Za-z_]\w*\.)*([A-Z]\w*(?:Error|Exception|Interrupt|Exit|Timeout)\w*)\b.*)", re.MULTILINE
)
_NO_CODE = re.compile(r"There (?:is|was) no code (?:block )?from the last", re.IGNORECASE)


def code_call(text: str, tool: str) -> ToolCall | None:
    """The call that running the fenced blocks of `text` is: their code joined, and the first language named."""
    blocks = _BLOCK.findall(text)
    if not blocks:
        return None
    arguments: dict[str, JsonValue] = {"code": "\n\n".join(code.strip("\n") for _, code in blocks)}
    language = next((name for name, _ in blocks if name), None)
    if language:
        arguments["language"] = language.lower()
    return ToolCall(tool=tool, arguments=arguments)


def has_code(text: str) -> bool:
    """Whether there is a fenced block in `text`."""
    return _BLOCK.search(text) is not None


def is_execution(text: str) -> bool:
    """Whether `text` is what a machine answered that ran code."""
    return _ANSWER.match(text) is not None


def speaks_as_executor(text: str) -> bool:
    """Whether only a machine that runs code says this: an execution's answer, or that there was nothing to run."""
    return is_execution(text) or _NO_CODE.match(text.lstrip()) is not None


def execution_error(text: str) -> StepError | None:
    """The error of an execution. The exit code alone decides: 0 is a success, whatever was printed."""
    match = _ANSWER.match(text)
    if match is None or int(match.group(1) or match.group(2)) == 0:
        return None
    output = text[match.end() :].strip()
    named = raised(output) or next(reversed(_EXCEPTION.findall(output)), None)
    if named:
        told = named[0].strip()
        return StepError(message=told, type=named[1], status=status_in(told))
    code = (match.group(1) or match.group(2)).strip()
    return StepError(message=_last_lines(output) or f"exit code {code}, and no output")


def _last_lines(output: str) -> str:
    """The last lines that fit MAX_ERROR, whole: masking comes later, and half a secret is not known as one."""
    if len(output) <= MAX_ERROR:
        return output
    start = output.find("\n", len(output) - MAX_ERROR)
    return output[start + 1 :] if start >= 0 else output
