"""A run out of a trace of spans."""

from __future__ import annotations

import re
from datetime import datetime

from errata_client.model import JsonValue
from errata_client.run import Agent, Outcome, Run, ToolDeclaration
from ingest.adapters.chat import text_of
from ingest.adapters.chat_run import declared_tools, spoken
from ingest.adapters.exceptions import exception_error, stopped
from ingest.adapters.port import NotAnalysed
from ingest.adapters.span_steps import SpanSteps
from ingest.adapters.spans import Span, SpanTree, Trace
from ingest.adapters.trace_messages import Message, decoded, messages_of

MAX_SPANS = 20_000
"""Spans of one trace that are read."""

GENERIC = frozenset({"LangGraph", "RunnableSequence", "AgentExecutor", "RunnableLambda", "agent", "trace"})
"""Names that a framework gives where nobody named the agent."""

_LIMIT = re.compile(r"[Rr]ecursion limit of (\d{1,6})")
_GAVE_UP = re.compile(
    r"Sorry, need more steps to process this request|Agent stopped due to (?:iteration|max iterations) limit"
)
_WORDS = (
    "input", "question", "query", "task", "prompt", "user_input", "message", "text", "content", "instruction", "output",
    "answer", "result",
)  # fmt: skip


def run_of(trace: Trace, seen: set[str]) -> tuple[Run, list[NotAnalysed]]:
    """The run, and what of its trace could not be used. `seen` is what `SpanSteps` says."""
    position = f"trace {trace.trace_id}"
    tree = SpanTree(trace.spans[:MAX_SPANS])
    given, told = trace.input, trace.output
    roots = tree.roots
    if given is None and told is None and roots:
        given, told = roots[0].input, roots[0].output
    tools = _declared(tree)
    steps = SpanSteps(tree, position, seen)
    made = steps.read({tool.name for tool in tools}, _conversation(given, told))
    asked = _asked(given) or steps.last_words
    outcome = _outcome(trace, roots, told)
    run = Run(
        run_id=trace.trace_id,
        agent=Agent(name=_agent_name(trace, tree), version=trace.agent_version),
        model_version=next((span.model for span in tree.ordered if span.model), None),
        task_id=trace.task_id,
        conversation_id=trace.conversation_id,
        user_intent=spoken(asked or "") or None,
        prompt="\n".join(steps.prompts) or None,
        tools=tools or declared_tools(steps.schemas),
        max_steps=trace.max_steps or _limit(outcome),
        complete=bool(asked) and _told(tree),
        steps=made,
        outcome=outcome,
        started_at=trace.started_at or _first(tree),
        ended_at=trace.ended_at or (roots[0].ended_at if roots else None),
    )
    troubles = list(steps.troubles)
    if len(trace.spans) > MAX_SPANS:
        reason = (
            f"{len(trace.spans) - MAX_SPANS} spans beyond the first {MAX_SPANS} of one trace were not read"
        )
        troubles.append(NotAnalysed(position=position, reason=reason))
    return run, troubles


def _conversation(given: JsonValue, told: JsonValue) -> list[Message]:
    """All messages that a trace itself holds: a graph's output repeats its input, others do not; words without roles
    are the person's and the agent's."""
    before, after = messages_of(given), messages_of(told)
    said = [text_of(message.get("content")) for message in after if message.get("role") == "user"]
    if before and after and text_of(before[-1].get("content")) in said:
        before = [message for message in before if message.get("role") == "system"]
    asked, answer = _asked(given), _plain(told)
    if not before and not said and asked:
        before = [{"role": "user", "content": asked}]
    if not after and answer:
        after = [{"role": "assistant", "content": answer}]
    return [*before, *after]


def _asked(given: JsonValue) -> str | None:
    """What the person wanted: the last words of theirs that a trace was given, or its one text."""
    said = [
        text_of(message.get("content")) for message in messages_of(given) if message.get("role") == "user"
    ]
    return next((text for text in reversed(said) if text), None) or _plain(given)


def _plain(value: JsonValue) -> str | None:
    """The words in a payload without messages: itself, or under one of the usual keys."""
    found = decoded(value)
    if isinstance(found, str):
        return found or None
    if isinstance(found, dict):
        if set(found) <= {"args", "kwargs"}:
            return _plain(found.get("kwargs")) or _first_text(found.get("args"))
        return next((text for key in _WORDS if isinstance(text := found.get(key), str) and text), None)
    return None


def _first_text(value: JsonValue) -> str | None:
    return next((item for item in value if isinstance(item, str)), None) if isinstance(value, list) else None


def _declared(tree: SpanTree) -> tuple[ToolDeclaration, ...]:
    named: dict[str, ToolDeclaration] = {}
    for span in tree.ordered:
        for tool in span.tools:
            named.setdefault(tool.name, tool)
    return tuple(named.values())


def _agent_name(trace: Trace, tree: SpanTree) -> str:
    """The agent's own name; else that of a span which is an agent; else the root's, framework or not."""
    agents = [span.name for span in tree.ordered if span.kind == "agent"]
    roots = [span.name for span in tree.roots]
    names = [name for name in (trace.agent_name, *agents[:1], *roots[:1]) if name]
    return next((name for name in names if name not in GENERIC), None) or next(iter(names), "agent")


def _outcome(trace: Trace, roots: tuple[Span, ...], told: JsonValue) -> Outcome:
    """By scores; else by how the root ended. That nothing was raised does not make a run a success."""
    if trace.outcome.status != "unknown" or trace.outcome.reward is not None:
        return trace.outcome
    failed = next((span.error for span in roots if span.error), None)
    if failed is not None:
        reason = exception_error(failed).message
        stop = stopped(failed)
        if stop == "waits":
            return Outcome(reason=f"waits for a person: {reason}")
        return Outcome(status="aborted" if stop == "cancelled" else "failure", reason=reason)
    said = [text_of(message.get("content")) for message in messages_of(told)[-1:]] or [_plain(told) or ""]
    gave_up = _GAVE_UP.search(said[-1])
    return Outcome(status="failure", reason=f"step limit: {gave_up.group(0)}") if gave_up else Outcome()


def _told(tree: SpanTree) -> bool:
    """Whether what the models were given was recorded, where there are any: else a value may have come from there."""
    models = [span for span in tree.ordered if span.kind == "llm"]
    return not models or any(span.input is not None for span in models)


def _limit(outcome: Outcome) -> int | None:
    found = _LIMIT.search(outcome.reason or "")
    return int(found.group(1)) or None if found else None


def _first(tree: SpanTree) -> datetime | None:
    return next((span.started_at for span in tree.ordered if span.started_at), None)
