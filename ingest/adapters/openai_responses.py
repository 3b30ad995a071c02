"""Conversations of OpenAI's Responses API: lists of items, responses, requests with their responses, and the runs of the
Agents SDK as lists of items. Responses that name a `previous_response_id` are one conversation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Run
from ingest.adapters.chat import Chat, moment
from ingest.adapters.chat_run import content_id, declared_tools, spoken
from ingest.adapters.model_errors import model_error
from ingest.adapters.openai_chat import chat_agent, chat_outcome, reply_error
from ingest.adapters.port import NotAnalysed, RecordError
from ingest.adapters.record_fields import text_at
from ingest.adapters.records import Opening, Record, Unreadable, records
from ingest.adapters.response_items import CALLS, MESSAGE_ROLES, OUTPUTS, is_item, kind_of, messages_of_items
from ingest.adapters.trace_join import Gathered, Piece, gathered

Json = dict[str, Any]
_LISTS = ("items", "messages", "input_items", "new_items")


class OpenAIResponses:
    """The adapter. The run's id is the conversation's, that of its first response, or a digest of what was said. Responses
    alone do not say what they answered: such a run is not `complete`."""

    name = "openai_responses"
    looks_for = "items {type: function_call | function_call_output, call_id}, or responses {object: response, output: [items]}"

    def recognises(self, opening: Opening) -> str | None:
        """By items that no chat has, wherever they stand, or by responses."""
        for sample in opening.samples:
            if is_item(sample):
                return "its records are items of the Responses API"
            parts = [part for part in _parts(sample) if isinstance(part, dict)]
            if any(part.get("object") == "response" and "output" in part for part in parts):
                return "its records are responses of the Responses API"
            if any(map(is_item, _items(sample))):
                return "its records hold items of the Responses API"
        return None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a conversation. A file of bare items is one conversation."""
        for found in gathered(_pieces(opening)):
            if isinstance(found, NotAnalysed):
                yield found
                continue
            try:
                run, troubles = _read(found)
            except RecordError as error:
                yield NotAnalysed(position=found.trace, reason=str(error))
                continue
            yield run
            yield from troubles


def _pieces(opening: Opening) -> Iterator[Piece | NotAnalysed]:
    """Each record with the conversation that it is of."""
    bare = any(is_item(sample) for sample in opening.samples)
    for item in records(opening):
        if isinstance(item, Unreadable):
            yield NotAnalysed(position=item.position, reason=item.reason)
        elif bare and isinstance(item.value, dict):
            yield Piece(item.position, [item.value], trace="the file")
        else:
            yield _piece(item)


def _piece(item: Record) -> Piece:
    own, parent, conversation = None, None, None
    for part in _parts(item.value):
        held = part.get("conversation")
        conversation = conversation or text_at(held, "id") if isinstance(held, dict) else conversation or held
        parent = parent or text_at(part, "previous_response_id")
        own = text_at(part, "id") if part.get("object") == "response" else own
    named = conversation if isinstance(conversation, str) else None
    return Piece(item.position, item.value, named or (None if own else item.position), own, parent)


def _parts(value: JsonValue, levels: int = 3) -> list[Json]:
    """The record itself, and the request and the response in it, which a log or a batch may wrap once more."""
    if not isinstance(value, dict) or levels == 0:
        return []
    inner = (value.get(key) for key in ("request", "response", "body", "data"))
    return [value, *(part for held in inner for part in _parts(held, levels - 1))]


def _items(value: JsonValue) -> list[Any]:
    """All items of a record, what was sent before what came."""
    if isinstance(value, list):
        return _in_order([_bare(item) for item in value])
    found: list[Any] = []
    for part in _parts(value):
        given = part.get("input")
        found += [{"role": "user", "content": given}] if isinstance(given, str) and given else _listed(given)
        found += [item for key in _LISTS for item in _listed(part.get(key))]
        if part.get("object") == "list":
            found += _listed(part.get("data"))
        found += _listed(part.get("output"))
    return _in_order([_bare(item) for item in found])


def _bare(item: Any) -> Any:
    """An item without what the Agents SDK's RunItems put around it."""
    inner = item.get("raw_item") if isinstance(item, dict) else None
    return inner if isinstance(inner, dict) else item


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _in_order(items: list[Any]) -> list[Any]:
    """The items; turned around where the latest stand first, as the API lists them unless asked otherwise."""
    called: set[Any] = set()
    for item in items:
        kind = kind_of(item)
        if kind in CALLS:
            called.add(str(item.get("call_id")))
        elif kind in OUTPUTS:
            return items if str(item.get("call_id")) in called or not _asks(items, item) else items[::-1]
    return items


def _asks(items: list[Any], output: Json) -> bool:
    wanted = output.get("call_id")
    return any(kind_of(item) in CALLS and item.get("call_id") == wanted for item in items)


def _read(found: Gathered) -> tuple[Run, list[NotAnalysed]]:
    """The run of a conversation's records in their order."""
    items = _once([item for value in found.values for item in _items(value)])
    parts = [part for value in found.values for part in _parts(value)]
    failure = next((error for part in reversed(parts) if (error := model_error(part))), None)
    if not any(is_item(item) or _is_message(item) for item in items) and failure is None:
        raise RecordError("no items: neither messages nor calls")
    chat = Chat(found.trace, reply_error)
    messages = messages_of_items(items)
    chat.read(messages)
    if failure is not None:
        chat.fail(failure)
    prompts = dict.fromkeys(text for part in parts if (text := text_at(part, "instructions")))
    about: Json = {key: value for part in reversed(parts) for key, value in part.items() if value is not None}
    run = Run(
        run_id=text_at(about, "run_id") or _run_id(parts, messages),
        agent=chat_agent(about),
        model_version=text_at(about, "model_version", "model"),
        task_id=text_at(about, "task_id"),
        conversation_id=_conversation(parts),
        user_intent=spoken(chat.first_words or ""),
        prompt="\n".join([*prompts, *chat.prompts]) or None,
        tools=declared_tools(_tools(parts, items)),
        complete=chat.first_words is not None,
        steps=tuple(chat.steps),
        outcome=chat_outcome(about, failure),
        started_at=moment(about.get("created_at") or about.get("started_at")),
    )
    return run, chat.troubles


def _is_message(item: Any) -> bool:
    return isinstance(item, dict) and item.get("role") in MESSAGE_ROLES and "content" in item


def _once(items: list[Any]) -> list[Any]:
    """The items without those that a later request repeats: known by type and id."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for item in items:
        named = item.get("call_id") or item.get("id") if isinstance(item, dict) else None
        key = (kind_of(item), str(named))
        if named is None or key not in seen:
            kept.append(item)
            seen.add(key)
    return kept


def _run_id(parts: list[Json], messages: list[Any]) -> str:
    first = next((text_at(part, "id") for part in parts if part.get("object") == "response"), None)
    return _conversation(parts) or first or content_id("responses", [], messages)


def _conversation(parts: list[Json]) -> str | None:
    for part in parts:
        held = part.get("conversation")
        if (
            named := text_at(held, "id")
            if isinstance(held, dict)
            else text_at(part, "conversation", "conversation_id")
        ):
            return named
    return None


def _tools(parts: list[Json], items: list[Any]) -> list[Any]:
    """The tools of every request, those that MCP's servers listed, and names of tools that are declared by type alone."""
    listed = [tool for part in parts for tool in _listed(part.get("tools"))]
    listed += [
        tool for item in items if kind_of(item) == "mcp_list_tools" for tool in _listed(item.get("tools"))
    ]
    named = {
        tool.get("name"): tool
        for tool in listed
        if isinstance(tool, dict) and isinstance(tool.get("name"), str)
    }
    typed_only = any(isinstance(tool, dict) and "name" not in tool for tool in listed)
    return [] if typed_only else list(named.values())
