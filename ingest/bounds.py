"""Texts of a run cut to a length that can be analysed and kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errata_client.jsontext import as_text
from errata_client.model import JsonValue
from errata_client.provenance import MAX_TEXT
from errata_client.run import Run, Step, ToolCall

MAX_LENGTH = MAX_TEXT + 1024
"""Characters of one text. More than a run's sources keep: so provenance knows that something was forgotten, and calls
a value that it does not find unknown rather than invented."""

MAX_ARGUMENT = 64 * 1024
"""Characters of one text among the arguments of a call: they are kept with every case and reference call."""

MAX_VIEWED = 16 * 1024
"""Characters of a thought or of an output as the agent wrote it: views keep them."""


def bounded(run: Run) -> tuple[Run, int]:
    """The run with its longer texts cut, and how many were. The same run where none is too long."""
    cut = sum(len(text) > limit for text, limit in _texts(run))
    if not cut:
        return run, 0
    changed = {
        "prompt": _cut(run.prompt, MAX_LENGTH),
        "user_intent": _cut(run.user_intent, MAX_LENGTH),
        "steps": tuple(_bounded_step(step) for step in run.steps),
    }
    return run.model_copy(update={**changed, **_extras(run)}), cut


def _bounded_step(step: Step) -> Step:
    changed: dict[str, Any] = {
        "user_input": _cut(step.user_input, MAX_LENGTH),
        "thought": _cut(step.thought, MAX_VIEWED),
        "raw_output": _cut(step.raw_output, MAX_VIEWED),
        "observation": _cut_observation(step.observation),
    }
    if step.error is not None:
        changed["error"] = step.error.model_copy(update={"message": step.error.message[:MAX_LENGTH]})
    if step.tool_call is not None:
        changed["tool_call"] = _bounded_call(step.tool_call)
    return step.model_copy(update={**changed, **_extras(step)})


def _bounded_call(call: ToolCall) -> ToolCall:
    changed = {
        "arguments": _cut_value(call.arguments),
        "raw_arguments": _cut(call.raw_arguments, MAX_ARGUMENT),
    }
    return call.model_copy(update={**changed, **_extras(call)})


def _texts(run: Run) -> Iterator[tuple[str, int]]:
    """Each text with the length that it may have."""
    yield run.prompt or "", MAX_LENGTH
    yield run.user_intent or "", MAX_LENGTH
    yield from ((text, MAX_ARGUMENT) for text in _strings(run.model_extra))
    for step in run.steps:
        yield step.user_input or "", MAX_LENGTH
        yield step.thought or "", MAX_VIEWED
        yield step.raw_output or "", MAX_VIEWED
        if step.observation is not None:
            yield as_text(step.observation), MAX_LENGTH
        yield from ((text, MAX_ARGUMENT) for text in _strings(step.model_extra))
        if step.error is not None:
            yield step.error.message, MAX_LENGTH
        if step.tool_call is not None:
            yield step.tool_call.raw_arguments or "", MAX_ARGUMENT
            yield from ((text, MAX_ARGUMENT) for text in _strings(step.tool_call.arguments))
            yield from ((text, MAX_ARGUMENT) for text in _strings(step.tool_call.model_extra))


def _extras(model: Run | Step | ToolCall) -> dict[str, JsonValue]:
    """The unknown fields of a model, cut."""
    return {key: _cut_value(value) for key, value in (model.model_extra or {}).items()}


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for below in value.values():
            yield from _strings(below)
    elif isinstance(value, list):
        for below in value:
            yield from _strings(below)


def _cut(text: str | None, limit: int) -> str | None:
    return text[:limit] if text is not None else None


def _cut_observation(value: JsonValue) -> JsonValue:
    if value is None:
        return None
    text = as_text(value)
    return text[:MAX_LENGTH] if len(text) > MAX_LENGTH else value


def _cut_value(value: Any) -> JsonValue:
    if isinstance(value, str):
        return value[:MAX_ARGUMENT]
    if isinstance(value, dict):
        return {key: _cut_value(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_cut_value(below) for below in value]
    kept: JsonValue = value
    return kept
