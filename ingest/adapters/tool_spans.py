"""What a tool was given and what it answered, as its span has it; and which spans are calls of tools at all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from errata_client.jsontext import canonical
from errata_client.model import JsonValue
from errata_client.run import StepError, ToolCall
from ingest.adapters.arguments import make_call, python_literal
from ingest.adapters.chat import reply_content
from ingest.adapters.jsonvalue import clean_text, storable
from ingest.adapters.replies import chat_error
from ingest.adapters.spans import Span, SpanTree
from ingest.adapters.trace_messages import Message, decoded, messages_of

TOOLS = frozenset({"tool", "retriever"})
_PREFIX = re.compile(r"(?i)(?:execute_tool|running tool|tool(?:[ _-]?call)?|call(?:ing)? tool)\s*[:：/ ]\s*")


def tool_name(span: Span) -> str:
    """The tool's name, without what tracers put before it ("execute_tool lend", "tool: lend")."""
    return _PREFIX.sub("", span.name, count=1).strip() or span.name


def tool_spans(tree: SpanTree, known: Iterable[str]) -> frozenset[str]:
    """The ids of the spans that are calls of tools: typed so, or plain spans with a tool's name among `known`.

    A tool's span within a tool's is how the outer one works, and no call of the agent's, unless a model ran in it.
    """
    names = frozenset(known)
    named = {span.span_id for span in tree.ordered if _is_tool(tree, span, names)}
    agents = {above.span_id for span in tree.ordered if span.kind == "llm" for above in tree.above(span)}
    return frozenset(
        span.span_id
        for span in tree.ordered
        if span.span_id in named and not _is_detail(tree, span, named, agents)
    )


def call_of(span: Span) -> ToolCall:
    """The call that a tool's span is."""
    given, call_id = _given(decoded(span.input))
    answer = _answer(span)
    told = (
        span.call_id
        or call_id
        or (str(answer["tool_call_id"]) if answer and answer.get("tool_call_id") else None)
    )
    arguments = storable(given)
    kept = arguments if isinstance(arguments, dict) else {"input": arguments}
    return make_call(clean_text(tool_name(span)), kept, told)


def answer_of(span: Span) -> tuple[JsonValue, StepError | None]:
    """What the tool answered, and the error that this is. An exception is not looked at here."""
    answer = _answer(span)
    if answer is not None:
        return answered(answer)
    content = decoded(span.output)
    if (
        isinstance(content, dict)
        and len(content) == 1
        and (key := next(iter(content))) in {"output", "result", "content"}
    ):
        content = content[key]
    return content, chat_error(content)


def answered(message: Message) -> tuple[JsonValue, StepError | None]:
    """What a tool's message says, and the error that it is. `status` "error" and `is_error` make it one; "success" is
    what LangChain writes unless told otherwise, so the words are read all the same."""
    content = reply_content(message.get("content"))
    if message.get("status") == "error" or message.get("is_error") is True or message.get("isError") is True:
        told = chat_error(content)
        return content, told or StepError(message=content if isinstance(content, str) else canonical(content))
    return content, chat_error(content)


def _is_tool(tree: SpanTree, span: Span, names: frozenset[str]) -> bool:
    if span.kind in TOOLS:
        return True
    if span.kind != "chain" or tool_name(span) not in names:
        return False
    return not any(below.kind == "tool" and tool_name(below) == tool_name(span) for below in tree.below(span))


def _is_detail(tree: SpanTree, span: Span, named: set[str], agents: set[str]) -> bool:
    """Whether a tool's span, of those `named`, stands within another's that is not one of the `agents`."""
    outer = next((above for above in tree.above(span) if above.span_id in named), None)
    return outer is not None and outer.span_id not in agents


def _given(value: JsonValue) -> tuple[JsonValue, str | None]:
    """The arguments in a tool's input, and the id of the call where the input is the whole call."""
    if isinstance(value, str):
        literal = python_literal(value) if value.lstrip()[:1] == "{" else None
        return (literal if literal is not None else {"input": value}) if value else {}, None
    if not isinstance(value, dict):
        return ({} if value is None else {"input": value}), None
    wrapped = value.get("tool_call")
    call = wrapped if isinstance(wrapped, dict) else value
    if isinstance(call.get("args"), dict) and "name" in call:
        return call["args"], str(call["id"]) if call.get("id") else None
    if set(value) <= {"args", "kwargs"} and isinstance(value.get("kwargs"), dict):
        positional = {"args": value["args"]} if value.get("args") else {}
        return {**positional, **_object(value["kwargs"])}, None
    if set(value) == {"input"} and isinstance(value["input"], str | dict):
        return _given(decoded(value["input"]))
    return value, None


def _object(value: Any) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _answer(span: Span) -> Message | None:
    return next((message for message in messages_of(span.output) if message.get("role") == "tool"), None)
