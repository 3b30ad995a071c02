"""Whether a span failed, and with what: its status, its exceptions, and what its tool answered."""

from __future__ import annotations

import re
from collections.abc import Iterable

from errata_client.model import JsonValue
from errata_client.run import StepError
from ingest.adapters.otlp.span import Span
from ingest.adapters.otlp.tools import ToolUse
from ingest.adapters.replies import chat_error, flagged_error, status_in

_BROKEN_OFF = re.compile(
    r"(?:^|[.:\s])(?:KeyboardInterrupt|CancelledError|CancellationException|AsyncCancelledError|GeneratorExit|AbortError"
    r"|OperationCanceledException|TaskCanceledException|InterruptedException|context canceled"
    r"|GraphInterrupt|NodeInterrupt|GraphBubbleUp|ParentCommand|UserInterrupt)\b"
)
"""Ends that somebody wished for: a person's interrupt, a cancelled task, a graph that waits for a person."""


def is_broken_off(span: Span) -> bool:
    """Whether the span's error is an interrupt or a cancellation: not a failure."""
    if span.status != "error" and not _exceptions(span):
        return False
    told = [*_exceptions(span), (str(span.attributes.get("error.type") or ""), span.status_message)]
    return any(_BROKEN_OFF.search(kind) or _BROKEN_OFF.match(message) for kind, message in told)


def error_of(span: Span) -> StepError | None:
    """The error that the span itself records; None where it records none, or one that somebody wished for."""
    if span.status != "error" or is_broken_off(span):
        return None
    kind, message = _told(span)
    name = kind.rpartition(".")[2]
    if name and name not in message:
        message = f"{name}: {message}" if message else name
    message = message or str(span.attributes.get("error.message") or "") or "the span's status is ERROR"
    status = span.attributes.get("http.response.status_code", span.attributes.get("http.status_code"))
    code = status if isinstance(status, int) and 400 <= status < 600 else status_in(message)
    return StepError(message=message, type=kind or None, status=code)


def tool_error(span: Span, use: ToolUse, below: Iterable[Span]) -> StepError | None:
    """The error of a tool's call: the span's own; one that its result says, whatever the status; or, where no result is
    recorded and the status says nothing bad, one of a span under it."""
    own = error_of(span)
    if own is not None:
        said = _said_by(use)
        return said if said is not None and own.message == "the span's status is ERROR" else own
    if is_broken_off(span):
        return None
    if use.result is not None:
        return _said_by(use)
    return next((error for found in below if (error := error_of(found)) is not None), None)


def _said_by(use: ToolUse) -> StepError | None:
    read = chat_error(use.result)
    return read or flagged_error(_text(use.result), use.flagged)


def _text(result: JsonValue) -> JsonValue:
    return "the tool says that it failed" if result is None else result


def _told(span: Span) -> tuple[str, str]:
    """The type and message of the last exception that was recorded, else the status's words."""
    found = _exceptions(span)
    if found:
        return found[-1][0], found[-1][1] or span.status_message
    kind = str(span.attributes.get("error.type") or "")
    return ("" if kind == "_OTHER" or kind.isdigit() else kind), span.status_message


def _exceptions(span: Span) -> list[tuple[str, str]]:
    held = [
        event.attributes
        for event in span.events
        if "exception.type" in event.attributes or event.name == "exception"
    ]
    return [(str(at.get("exception.type") or ""), str(at.get("exception.message") or "")) for at in held]
