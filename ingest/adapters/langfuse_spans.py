"""Langfuse's trace, observations and scores as spans: events put together, fields of either spelling, JSON in strings."""

from __future__ import annotations

import re
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Outcome, ToolDeclaration
from ingest.adapters.chat import moment
from ingest.adapters.chat_run import declared_tools
from ingest.adapters.fields import count, first, text
from ingest.adapters.jsonvalue import clean_text
from ingest.adapters.scores import outcome_by
from ingest.adapters.spans import Span, SpanKind, Trace
from ingest.adapters.trace_messages import decoded

KIND = "errata:kind"
"""Key under which a part is marked as a trace, an observation or a score."""

TYPES = frozenset(
    [
        "SPAN",
        "GENERATION",
        "EVENT",
        "AGENT",
        "TOOL",
        "CHAIN",
        "RETRIEVER",
        "EVALUATOR",
        "EMBEDDING",
        "GUARDRAIL",
    ]
)
KINDS: dict[str, SpanKind] = {"GENERATION": "llm", "TOOL": "tool", "RETRIEVER": "retriever", "AGENT": "agent"}
_NOTED: dict[str, SpanKind] = {
    "tool": "tool", "execute_tool": "tool", "retriever": "retriever", "llm": "llm", "chat": "llm", "text_completion": "llm",
    "generate_content": "llm", "agent": "agent", "invoke_agent": "agent",
}  # fmt: skip
TOOL_NAMES = ("gen_ai.tool.name", "tool_name", "tool.name")

Part = dict[str, Any]


def field_of(part: Part, name: str) -> Any:
    """A field by its camelCase name, or as the blob storage export spells it."""
    return part[name] if name in part else part.get(re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower())


def trace_of(trace_id: str, parts: list[Part]) -> Trace:
    """The trace of all that was gathered about it."""
    about = _merged([part for part in parts if part[KIND] == "trace"])
    observations = _by_id([part for part in parts if part[KIND] == "observation"])
    enriched = next((part for part in observations if text(field_of(part, "sessionId"))), {})
    notes = [metadata(about), *(metadata(part) for part in observations)]
    return Trace(
        trace_id=clean_text(trace_id),
        spans=tuple(_span(part, number) for number, part in enumerate(observations)),
        agent_name=first(notes, "agent_name", "lc_agent_name", "gen_ai.agent.name")
        or _name(about, observations)
        or None,
        agent_version=_version([about, *observations])
        or first(notes[:1], "agent_version", "version", "release")
        or None,
        conversation_id=text(field_of(about, "sessionId"))
        or text(field_of(enriched, "sessionId"))
        or first(notes, "langfuse_session_id", "thread_id", "session_id", "conversation_id")
        or None,
        task_id=first(notes[:1], "task_id", "dataset_item_id") or None,
        input=decoded(about.get("input")),
        output=decoded(about.get("output")),
        outcome=_outcome([part for part in parts if part[KIND] == "score"]),
        max_steps=next((limit for note in notes if (limit := count(note.get("recursion_limit")))), None),
        started_at=moment(about.get("timestamp")),
    )


def metadata(part: Part) -> Part:
    """What was noted about a part; attributes of OpenTelemetry in it stand beside the rest."""
    found = decoded(part.get("metadata"))
    if not isinstance(found, dict):
        return {}
    attributes = decoded(found.get("attributes"))
    flat = {
        key.removeprefix("attributes."): value
        for key, value in found.items()
        if key.startswith("attributes.")
    }
    return {**(attributes if isinstance(attributes, dict) else {}), **flat, **found}


def _merged(parts: list[Part]) -> Part:
    """One of several halves: what is empty says nothing, metadata is joined."""
    whole: Part = {}
    for part in parts:
        for key, value in part.items():
            if key == "metadata":
                whole[key] = {**metadata(whole), **metadata(part)}
            elif value not in (None, "", [], {}) or key not in whole:
                whole[key] = value
    return whole


def _by_id(parts: list[Part]) -> list[Part]:
    halves: dict[str, list[Part]] = {}
    for number, part in enumerate(parts):
        halves.setdefault(text(part.get("id")) or f"unnamed {number}", []).append(part)
    return [_merged(found) for found in halves.values()]


def _span(part: Part, number: int) -> Span:
    notes = metadata(part)
    tool = first([notes], *TOOL_NAMES)
    kind = KINDS.get(text(part.get("type"))) or _kind_noted(notes)
    return Span(
        span_id=text(part.get("id")) or f"unnamed {number}",
        name=clean_text(tool or text(part.get("name")) or "unnamed"),
        kind="tool" if tool and kind == "chain" else kind,
        parent=text(field_of(part, "parentObservationId")) or None,
        input=decoded(part.get("input")),
        output=_output(part),
        error=_error(part),
        started_at=moment(field_of(part, "startTime")),
        ended_at=moment(field_of(part, "endTime")),
        order=f"{number:09d}",
        step_id=first([notes], "langgraph_node", "step_id", "node") or None,
        call_id=first([notes], "tool_call_id", "gen_ai.tool.call.id") or None,
        model=text(part.get("model")) or text(field_of(part, "providedModelName")) or None,
        input_tokens=_tokens(part, "input", "promptTokens", "prompt_tokens", "input_tokens"),
        output_tokens=_tokens(part, "output", "completionTokens", "completion_tokens", "output_tokens"),
        tools=_tools(part),
    )


def _kind_noted(notes: Part) -> SpanKind:
    """The kind that the attributes of OpenTelemetry give to what Langfuse calls a span."""
    told = first([notes], "openinference.span.kind", "traceloop.span.kind", "gen_ai.operation.name").lower()
    return _NOTED.get(told, "chain")


def _output(part: Part) -> JsonValue:
    """The output; calls that the export lists apart from it belong to it."""
    told, listed = decoded(part.get("output")), field_of(part, "toolCalls")
    if part.get("type") != "GENERATION" or not isinstance(listed, list) or not listed:
        return told
    calls = [decoded(item) for item in listed]
    if isinstance(told, dict) and (
        {"tool_calls", "choices", "content", "messages", "generations"} & set(told)
    ):
        return told
    if isinstance(told, list):
        return told
    return {"role": "assistant", "content": told if isinstance(told, str) else None, "tool_calls": calls}


def _error(part: Part) -> str | None:
    """The text of an observation at level ERROR. A WARNING is none."""
    if part.get("level") != "ERROR":
        return None
    return text(field_of(part, "statusMessage")) or "an error without a text"


def _tokens(part: Part, *keys: str) -> int | None:
    for name in ("usageDetails", "usage"):
        found = decoded(field_of(part, name))
        if isinstance(found, dict):
            for key in keys:
                if (told := count(found.get(key))) is not None:
                    return told
    return count(part.get(keys[1]))


def _tools(part: Part) -> tuple[ToolDeclaration, ...]:
    """Tools where they stand: with the prompt, among the model's parameters, or as the export lists them."""
    given, defined = decoded(part.get("input")), decoded(field_of(part, "toolDefinitions"))
    parameters = decoded(field_of(part, "modelParameters"))
    for holder in (given, parameters, metadata(part)):
        listed = decoded(holder.get("tools")) if isinstance(holder, dict) else None
        if found := declared_tools(listed):
            return found
    if isinstance(defined, dict):
        defined = [_defined(name, decoded(schema)) for name, schema in defined.items()]
    return declared_tools([decoded(item) for item in defined] if isinstance(defined, list) else None)


def _defined(name: str, schema: JsonValue) -> JsonValue:
    return {"name": name, **schema} if isinstance(schema, dict) else {"name": name}


def _name(about: Part, observations: list[Part]) -> str:
    """The name of the trace, unless one of its observations is an agent."""
    if any(part.get("type") == "AGENT" for part in observations):
        return ""
    return text(about.get("name")) or next(
        (name for part in observations if (name := text(field_of(part, "traceName")))), ""
    )


def _version(parts: list[Part]) -> str:
    return first(parts, "version", "release")


def _outcome(scores: list[Part]) -> Outcome:
    """By the scores of the whole trace; those of single observations count only where there are no others."""
    found: dict[str, JsonValue] = {}
    for score in sorted(scores, key=lambda score: bool(field_of(score, "observationId"))):
        told = (
            field_of(score, "stringValue")
            if field_of(score, "dataType") == "CATEGORICAL"
            else score.get("value")
        )
        found.setdefault(text(score.get("name")), told)
    return outcome_by(found)
