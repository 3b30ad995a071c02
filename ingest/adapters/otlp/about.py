"""What the spans of a run say of it as a whole: agent, model, tools, conversation, how it ended."""

from __future__ import annotations

import re
from typing import Any

from errata_client.run import Agent, Outcome, ToolDeclaration
from ingest.adapters.chat_run import declared_tools
from ingest.adapters.otlp.failures import error_of, is_broken_off
from ingest.adapters.otlp.flattened import decoded, unflattened
from ingest.adapters.otlp.span import Span
from ingest.adapters.otlp.tree import Tree, conversation_of, metadata_of

AGENTS = ("gen_ai.agent.name", "agent.name", "agent_name", "recipient_agent")
MODELS = ("gen_ai.response.model", "llm.response.model_name", "llm.model_name", "gen_ai.request.model")
NODE_ATTRIBUTES = (
    "graph.node.name",
    "graph.node.id",
    "traceloop.association.properties.langgraph_node",
    "langgraph.node",
)
_PREFIX = re.compile(r"^(?:invoke_agent|agent run|agent)\s+|\.(?:agent|workflow)$")


def own_words(tree: Tree, name: str) -> Any:
    """What any of the spans, or its resource, says under one of Errata's own names."""
    for span in tree.spans:
        if (told := span.attributes.get(name, span.resource.get(name))) is not None:
            return told
    return None


def agent_of(tree: Tree) -> Agent:
    """Its name by the outermost span that tells one, then the workflow's, the service's, the root's name."""
    told = [(_text(span, *AGENTS), span) for span in tree.spans]
    name, source = next(((name, span) for name, span in told if name), ("", None))
    if not name:
        name, source = _nameless(tree)
    version = _text(source, "gen_ai.agent.version", "traceloop.entity.version") if source else ""
    service = next((str(span.resource.get("service.version") or "") for span in tree.spans), "")
    return Agent(name=name or "agent", version=version or service or None)


def _nameless(tree: Tree) -> tuple[str, Span | None]:
    for span in tree.topmost("agent"):
        if name := _text(span, "traceloop.entity.name") or _PREFIX.sub("", span.name):
            return name, span
    for span in tree.spans:
        if name := _text(span, "traceloop.workflow.name", "gen_ai.workflow.name"):
            return name, span
    service = next((str(span.resource.get("service.name") or "") for span in tree.spans), "")
    if service and not service.startswith("unknown_service"):
        return service, None
    roots = tree.topmost("chain")
    return (roots[0].name, roots[0]) if roots else ("", None)


def model_of(tree: Tree) -> str | None:
    """The model of the first span that names one."""
    models = [span for span in tree.spans if tree.kind(span) in {"model", "agent"}]
    return next((name for span in models if (name := _text(span, *MODELS))), None)


def tools_of(tree: Tree) -> tuple[ToolDeclaration, ...]:
    """All tools that any model was told of, each once."""
    found: dict[str, ToolDeclaration] = {}
    for span in tree.spans:
        for declared in declared_tools(_definitions(span)):
            known = found.get(declared.name)
            if known is None or (known.parameters is None and declared.parameters is not None):
                found[declared.name] = declared
    return tuple(found.values())


def _definitions(span: Span) -> list[Any]:
    held = [decoded(span.attributes.get(name)) for name in ("gen_ai.tool.definitions", "ai.prompt.tools")]
    listed = [item for value in held if isinstance(value, list) for item in value]
    for name in ("llm.tools", "llm.request.functions"):
        value = unflattened(span.attributes, name)
        listed += value if isinstance(value, list) else []
    return [_definition(item) for item in listed]


def _definition(item: Any) -> Any:
    """One declaration, out of the JSON text and the `tool.json_schema` that it may be wrapped in."""
    item = decoded(item)
    if not isinstance(item, dict):
        return item
    wrapped = item.get("tool")
    schema = decoded(wrapped.get("json_schema")) if isinstance(wrapped, dict) else None
    if not isinstance(schema, dict):
        schema = decoded(item.get("tool.json_schema"))
    told = schema if isinstance(schema, dict) else item
    return {name: decoded(value) if name == "parameters" else value for name, value in told.items()}


def conversation(tree: Tree) -> str | None:
    """The conversation that the first span of the run that names one belongs to."""
    return next((told for span in tree.spans if (told := conversation_of(span, tree))), None)


def node_of(span: Span, tree: Tree) -> str | None:
    """The node of the agent's graph that the span ran in: its own word, or that of the nearest span above."""
    for found in (span, *tree.above(span)):
        told = _text(found, *NODE_ATTRIBUTES) or metadata_of(found).get("langgraph_node")
        if isinstance(told, str) and told:
            return told
    return None


def outcome_of_spans(tree: Tree) -> Outcome:
    """Aborted where its outermost span was broken off, a failure where that is in error; else unknown: that all went
    through does not say that the task was done."""
    roots = [span for span in tree.spans if span.span_id not in tree.parents]
    if any(is_broken_off(span) for span in roots):
        return Outcome(status="aborted", reason="broken off")
    failed = next((error for span in roots if (error := error_of(span)) is not None), None)
    return Outcome(status="failure", reason=failed.message[:500]) if failed else Outcome()


def _text(span: Span, *names: str) -> str:
    found = (span.attributes.get(name) for name in names)
    return next((value for value in found if isinstance(value, str) and value), "")
