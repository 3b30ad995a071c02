"""What a span is to an agent: by the attributes of each convention, and where none says it, by its name.

Sources: OpenTelemetry's semantic conventions for GenAI (gen-ai-spans, gen-ai-agent-spans, mcp; `gen_ai.operation.name`),
OpenInference (`openinference.span.kind`), OpenLLMetry (`traceloop.span.kind`), and the names that SDKs give plain spans.
"""

from __future__ import annotations

import re
from typing import Literal

from ingest.adapters.otlp.span import Span

SpanKind = Literal["agent", "chain", "model", "tool", "other"]

_OPENINFERENCE: dict[str, SpanKind] = {"AGENT": "agent", "CHAIN": "chain", "LLM": "model", "TOOL": "tool"}
_TRACELOOP: dict[str, SpanKind] = {"workflow": "chain", "agent": "agent", "tool": "tool", "task": "chain"}
_OPERATIONS: dict[str, SpanKind] = {
    "chat": "model",
    "text_completion": "model",
    "generate_content": "model",
    "execute_tool": "tool",
    "invoke_agent": "agent",
    "invoke_workflow": "chain",
}
_TOOL_NAMES = ("gen_ai.tool.name", "tool.name", "ai.toolCall.name", "mcp.tool.name")
_MODEL_SIGNS = (
    "gen_ai.request.model",
    "gen_ai.response.model",
    "gen_ai.input.messages",
    "gen_ai.prompt.0.role",
    "gen_ai.prompt.0.content",
    "gen_ai.completion.0.content",
    "llm.model_name",
    "llm.request.type",
    "llm.input_messages.0.message.role",
)
_TOOL_SPAN = re.compile(
    r"(?:execute_tool|running tool:?|tools/call|tool[.:/ ]|ToolCall:?)\s*([\w.-]{1,100})|([\w-]{1,100})\.tool"
)
"""Span names that say a tool: "execute_tool lend", "running tool: lend", "tools/call lend", "tool.lend", "lend.tool"."""


def kind_of(span: Span) -> SpanKind | None:
    """Its kind; None for a span that no convention speaks of (a request, a query, a function)."""
    found = span.attributes
    told = str(found.get("openinference.span.kind") or "").upper()
    if told and told != "UNKNOWN":
        return _OPENINFERENCE.get(told, "other")
    operation = str(found.get("gen_ai.operation.name") or "").lower()
    if operation in _OPERATIONS:
        return _OPERATIONS[operation]
    told = str(found.get("traceloop.span.kind") or "").lower()
    if told in _TRACELOOP:
        return _TRACELOOP[told]
    return _by_attributes(span)


def convention_of(span: Span) -> str | None:
    """The name of the convention that the span's attributes follow; None where it is none of those read."""
    names = span.attributes
    if any(
        name.startswith(("openinference.", "llm.input_messages", "llm.output_messages")) for name in names
    ):
        return "OpenInference"
    if any(name.startswith(("traceloop.", "gen_ai.prompt.", "gen_ai.completion.")) for name in names):
        return "Traceloop"
    if any(name.startswith("gen_ai.") for name in names):
        return "OpenTelemetry GenAI"
    return None


def tool_in_name(name: str) -> str | None:
    """The tool that a span's name says."""
    found = _TOOL_SPAN.fullmatch(name)
    return (found.group(1) or found.group(2)) if found else None


def _by_attributes(span: Span) -> SpanKind | None:
    found = span.attributes
    if any(isinstance(found.get(name), str) for name in _TOOL_NAMES):
        return "tool"
    if any(name in found for name in _MODEL_SIGNS):
        return "model"
    if tool_in_name(span.name):
        return "tool"
    return "agent" if "gen_ai.agent.name" in found or "agent.name" in found else None
