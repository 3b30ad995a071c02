"""What was said in a model's span, brought to chat messages in OpenAI's shape, from each convention's way to keep it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from errata_client.model import JsonValue
from ingest.adapters.otlp.flattened import decoded, undotted, unflattened
from ingest.adapters.otlp.parts import chat_messages
from ingest.adapters.otlp.span import Attributes, Event, Span

Messages = list[dict[str, Any]]
DETAILS = "gen_ai.client.inference.operation.details"
_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}


@dataclass(frozen=True)
class Exchange:
    """What a model was sent, the whole history mostly, and what it answered."""

    sent: Messages
    came: Messages

    def __bool__(self) -> bool:
        return bool(self.sent or self.came)


def exchange_of(span: Span) -> Exchange:
    """From the first of the known places that hold anything; empty where the content was not recorded."""
    for read in _READERS:
        found = read(span)
        if found:
            return found
    return Exchange([], [])


def _current(span: Span) -> Exchange:
    """`gen_ai.input.messages` and its siblings, on the span or on the event of its details."""
    sent, came = Messages(), Messages()
    for held in (span.attributes, *(event.attributes for event in span.events if event.name == DETAILS)):
        sent += _instructions(held.get("gen_ai.system_instructions"))
        sent += chat_messages(decoded(held.get("gen_ai.input.messages")), "user")
        came += chat_messages(decoded(held.get("gen_ai.output.messages")), "assistant")
    every = chat_messages(decoded(span.attributes.get("pydantic_ai.all_messages")), "user")
    return Exchange(sent or every, came)


def _instructions(value: JsonValue) -> Messages:
    told = decoded(value)
    if isinstance(told, list):
        return chat_messages([{"role": "system", "parts": told}], "system")
    return [{"role": "system", "content": told}] if isinstance(told, str) and told else []


def _openinference(span: Span) -> Exchange:
    sent = chat_messages(_unwrapped(unflattened(span.attributes, "llm.input_messages")), "user")
    came = chat_messages(_unwrapped(unflattened(span.attributes, "llm.output_messages")), "assistant")
    if not sent:
        sent = chat_messages(unflattened(span.attributes, "llm.prompts"), "user")
    return Exchange(sent, came)


def _unwrapped(listed: JsonValue) -> JsonValue:
    """[{"message": {…}}] as [{…}], with the names that OpenInference gives the parts shortened."""
    told = decoded(listed)
    if not isinstance(told, list):
        return None
    named = [undotted(item) if _is_dotted(item) else item for item in told]
    return [item.get("message", item) if isinstance(item, dict) else item for item in named]


def _is_dotted(item: Any) -> bool:
    return isinstance(item, dict) and any(key.startswith("message.") for key in item)


def _indexed(span: Span) -> Exchange:
    """`gen_ai.prompt.N.role` and `gen_ai.completion.N.…`, or the two as JSON text."""
    sent = chat_messages(decoded(unflattened(span.attributes, "gen_ai.prompt")), "user")
    came = chat_messages(decoded(unflattened(span.attributes, "gen_ai.completion")), "assistant")
    return Exchange(sent, came)


def _events(span: Span) -> Exchange:
    """`gen_ai.user.message`, `gen_ai.choice` and their like; and the older `gen_ai.content.prompt`."""
    sent, came = Messages(), Messages()
    for event in (*span.events, *_listed_events(span.attributes)):
        if event.name in _ROLES:
            sent += chat_messages([_said(event, _ROLES[event.name])], _ROLES[event.name])
        elif event.name == "gen_ai.choice":
            came += chat_messages([_chosen(event)], "assistant")
        elif event.name in {"gen_ai.content.prompt", "gen_ai.prompt"}:
            sent += chat_messages(decoded(event.attributes.get("gen_ai.prompt")), "user")
        elif event.name in {"gen_ai.content.completion", "gen_ai.completion"}:
            came += chat_messages(decoded(event.attributes.get("gen_ai.completion")), "assistant")
    return Exchange(sent, came)


def _listed_events(attributes: Attributes) -> Iterator[Event]:
    """Events that were put into the attribute `events`, as JSON text."""
    listed = decoded(attributes.get("events"))
    for item in listed if isinstance(listed, list) else []:
        if isinstance(item, dict) and isinstance(name := item.get("event.name"), str):
            yield Event(name, 0, item)


def event_body(event: Event) -> dict[str, Any]:
    """What an event says: its body as JSON text in one attribute, or its attributes themselves."""
    for name in ("gen_ai.event.content", "event.body", "body"):
        told = decoded(event.attributes.get(name))
        if isinstance(told, dict):
            return told
    nested = unflattened(event.attributes, "body")
    if isinstance(nested, dict) and nested:
        return nested
    return {name: decoded(value) if name != "content" else value for name, value in event.attributes.items()}


def _said(event: Event, role: str) -> dict[str, Any]:
    body = event_body(event)
    return {
        **body,
        "role": role,
        "content": decoded(body.get("content")) if role != "user" else _blocks(body),
    }


def _blocks(body: dict[str, Any]) -> Any:
    """A person's words stay as they are, unless they are the text of a list of blocks."""
    told = decoded(body.get("content"))
    return told if isinstance(told, list) else body.get("content")


def _chosen(event: Event) -> dict[str, Any]:
    body = event_body(event)
    message = body.get("message")
    if isinstance(message, dict):
        return {**message, "role": "assistant"}
    inner = unflattened(event.attributes, "message")
    if isinstance(inner, dict) and inner:
        return {**inner, "role": "assistant"}
    return {**body, "role": "assistant", "content": message if message is not None else body.get("content")}


def _vercel(span: Span) -> Exchange:
    """The AI SDK's `ai.prompt.messages`, `ai.response.text` and `ai.response.toolCalls`."""
    sent = chat_messages(decoded(span.attributes.get("ai.prompt.messages")), "user")
    text, calls = (
        span.attributes.get("ai.response.text"),
        decoded(span.attributes.get("ai.response.toolCalls")),
    )
    came = {"role": "assistant", "content": text, "tool_calls": calls}
    return Exchange(sent, chat_messages([came], "assistant") if text or calls else [])


def _values(span: Span) -> Exchange:
    """`input.value` and `output.value` that hold the request and the response themselves."""
    told, answered = (decoded(span.attributes.get(name)) for name in ("input.value", "output.value"))
    sent = told.get("messages") if isinstance(told, dict) else told
    choices = answered.get("choices") if isinstance(answered, dict) else None
    chosen = [choice.get("message") for choice in _objects(choices)]
    return Exchange(chat_messages(sent, "user"), chat_messages(chosen, "assistant"))


def _objects(value: Any) -> Messages:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


_READERS: tuple[Callable[[Span], Exchange], ...] = (
    _current,
    _openinference,
    _indexed,
    _events,
    _vercel,
    _values,
)
