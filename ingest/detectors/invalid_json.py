"""output.invalid_json: the agent wrote arguments that are no JSON object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errata_client.model import JsonValue
from errata_client.replay import StepView
from errata_client.run import Run, Step, ToolCall
from ingest.adapters.arguments import python_literal
from ingest.adapters.jsonvalue import NotJsonError, loads
from ingest.detectors.port import Detector, Finding
from ingest.repair import succeeded

EXCERPT = 200


def detect(_run: Run, calls: Sequence[StepView]) -> Iterator[Finding]:
    """One finding for each call of the agent whose arguments stayed as text (`raw_arguments`). The evidence says what
    the text is instead, whether a lenient reading recovered it, and whether the tool ran all the same: a Python
    dict's text is no JSON, even if the agent's framework took it."""
    for call in calls:
        tool_call = call.step.tool_call
        if call.step.requestor == "agent" and tool_call is not None and tool_call.raw_arguments is not None:
            yield _finding(call.step, tool_call, tool_call.raw_arguments)


def _finding(step: Step, call: ToolCall, raw: str) -> Finding:
    what, fault = _what_it_is(raw)
    evidence: dict[str, JsonValue] = {
        "raw_excerpt": raw[:EXCERPT],
        "is": what,
        "fault": fault,
        "recovered": call.arguments_recovered,
        "tool_answered": step.answered,
        "tool_failed": step.error is not None,
    }
    return Finding(
        index=step.index,
        code="output.invalid_json",
        message=f"the arguments are {what}, not a JSON object",
        kind="invalid_argument",
        evidence=evidence,
        harmless=call.arguments_recovered and succeeded(step),
    )


def _what_it_is(raw: str) -> tuple[str, str]:
    try:
        value = loads(raw)
    except NotJsonError as error:
        return _kind_of_text(raw), str(error)
    if isinstance(value, dict):
        return "an object inside of other text", ""
    named = {"list": "a JSON list", "str": "a JSON string", "bool": "a JSON boolean", "NoneType": "JSON null"}
    return named.get(type(value).__name__, "a JSON number"), ""


def _kind_of_text(raw: str) -> str:
    stripped = raw.strip()
    if python_literal(stripped) is not None:
        return "the text of a Python dict"
    if stripped.startswith("```"):
        return "a fenced block"
    if stripped.startswith("{"):
        return "a broken JSON object" if stripped.endswith("}") else "a JSON object with its end cut off"
    return "plain text"


DETECTOR = Detector("invalid_json", ("output.invalid_json",), detect)
