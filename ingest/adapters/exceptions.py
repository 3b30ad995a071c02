"""The text of an exception, as frameworks record it: its repr or its words, with a traceback before or after them."""

from __future__ import annotations

import ast
import re
from typing import Literal

from errata_client.run import StepError
from ingest.adapters.jsonvalue import clean_text
from ingest.adapters.replies import status_in

Stop = Literal["waits", "cancelled"]

_TRACEBACK = "Traceback (most recent call last)"
_RAISED = re.compile(
    r"^Traceback \(most recent call last\):[^\n]*\n(?:[ \t][^\n]*\n|\n)*((?:[A-Za-z_]\w*\.)*([A-Z]\w*)(?::[^\n]*)?)",
    re.MULTILINE,
)
_NAMED = re.compile(r"(?:[A-Za-z_]\w*\.)*([A-Z]\w*)\s*(?:\(|:|$)")
_REPR = re.compile(r"((?:[A-Za-z_]\w*\.)*[A-Z]\w*)\((['\"].*['\"]),?\)", re.DOTALL)
_STACK = re.compile(r"\n\s+at [^\n]+(?:\n|\Z)")
_WAITS = frozenset({"GraphInterrupt", "NodeInterrupt", "GraphBubbleUp", "ParentCommand", "Interrupt"})
_CANCELLED = frozenset(
    {"KeyboardInterrupt", "CancelledError", "GeneratorExit", "AbortError", "APIUserAbortError"}
)
_CANCELLED_WORDS = re.compile(
    r"(?i)\W*(?:(?:run|operation|request|execution) )?(?:was )?(?:cancell?ed|aborted|interrupted)(?: by (?:the )?user)?\W*"
    r"|\W*(?:the )?user (?:cancell?ed|aborted|interrupted)[^\n]{0,40}|\W*(?:error: )?this operation was aborted\W*|\W*用户(?:取消|中断|中止)\W*"
)


def raised(text: str) -> tuple[str, str] | None:
    """The line and the name of the last exception in a text with tracebacks, or None where there is no traceback."""
    found = _RAISED.findall(text)
    return (found[-1][0].strip(), found[-1][1]) if found else None


def exception_error(text: str) -> StepError:
    """The error without its traceback: what stands before one, or else the line of the last exception."""
    told = essence(text)
    named = _NAMED.match(told)
    kind = named.group(1) if named and named.group(1) != "Error" else None
    return StepError(message=told, type=kind, status=status_in(told))


def essence(text: str) -> str:
    """What an exception says, without where it was raised: equal at every level that passed it on. It is not cut, as
    half of a secret could not be told as one."""
    before = clean_text(text).partition(_TRACEBACK)[0].strip()
    if not before:
        last = raised(text)
        before = last[0] if last else text.strip()
    return _spoken(_STACK.split(before)[0].strip()) or "an error without a text"


def _spoken(told: str) -> str:
    """`ValueError('no')` as `ValueError: no`, as a traceback has it: its words are no quoted value that varies."""
    found = _REPR.fullmatch(told)
    if found is None:
        return told
    try:
        words = ast.literal_eval(found.group(2))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return told
    if not isinstance(words, str):
        return told
    return (
        f"{found.group(1)}: {words!r}"
        if found.group(1) == "KeyError"
        else f"{found.group(1)}: {words}".rstrip()
    )


def stopped(text: str) -> Stop | None:
    """Whether an "error" is no failure: the graph "waits" for a person or hands over, or somebody "cancelled" it."""
    told = essence(text)
    named = _NAMED.match(told)
    if named and named.group(1) in _WAITS:
        return "waits"
    if (named and named.group(1) in _CANCELLED) or _CANCELLED_WORDS.fullmatch(told):
        return "cancelled"
    return None
