"""Chat messages in OpenAI's shape, put together into the steps of a run."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from errata_client.model import JsonValue, changed, unchecked
from errata_client.run import Requestor, Step, StepError, ToolCall
from ingest.adapters.arguments import make_call
from ingest.adapters.blocks import expanded
from ingest.adapters.jsonvalue import clean_text
from ingest.adapters.port import NotAnalysed

ReplyError = Callable[[JsonValue, dict[str, Any]], StepError | None]
"""Reads off a reply's content, and the message it came in, whether it is an error."""

UNPAIRED = "unpaired_reply"
"""step_id of a reply that answers no call of its run and does not name its tool."""


_STEP = Step(index=0).__dict__
"""The fields of a step of which nothing is known."""


@dataclass(frozen=True)
class _OpenCall:
    """A call that no reply answered yet: its step, and the message it was made in."""

    index: int
    message: int
    call: ToolCall


class _Waiting:
    """Open calls, by message: the latest message's first is at hand however many there are. Messages come in their order."""

    def __init__(self) -> None:
        self._messages: OrderedDict[int, OrderedDict[int, _OpenCall]] = OrderedDict()

    def add(self, opened: _OpenCall) -> None:
        self._messages.setdefault(opened.message, OrderedDict())[opened.index] = opened

    def first(self) -> _OpenCall | None:
        """The first call of the latest message."""
        return next(iter(next(reversed(self._messages.values())).values())) if self._messages else None

    def drop(self, opened: _OpenCall) -> None:
        of_message = self._messages[opened.message]
        del of_message[opened.index]
        if not of_message:
            del self._messages[opened.message]


class _OpenCalls:
    """The calls that no reply answered yet: all of them, those of each id, and those of each tool."""

    def __init__(self) -> None:
        self._all = _Waiting()
        self._by_id: dict[str, _Waiting] = defaultdict(_Waiting)
        self._by_tool: dict[str, _Waiting] = defaultdict(_Waiting)

    def add(self, opened: _OpenCall) -> None:
        """One more call."""
        for waiting in self._of(opened.call):
            waiting.add(opened)

    def take(self, call_id: str | None, name: str | None) -> _OpenCall | None:
        """The open call that a reply answers, which is then open no more: the latest message's first, by id; without an id
        by name, else in the order of the calls."""
        if call_id is not None:
            asked = self._by_id.get(call_id)
        else:
            asked = self._all if name is None else self._by_tool.get(name)
        found = asked.first() if asked else None
        if found is not None:
            for waiting in self._of(found.call):
                waiting.drop(found)
        return found

    def _of(self, call: ToolCall) -> list[_Waiting]:
        named = [] if call.call_id is None else [self._by_id[call.call_id]]
        return [self._all, self._by_tool[call.tool], *named]


@dataclass
class Chat:
    """A run being built. `troubles` is what of the messages could not be used."""

    position: str
    reply_error: ReplyError
    steps: list[Step] = field(default_factory=list)
    troubles: list[NotAnalysed] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    first_words: str | None = None
    _heard: list[str] = field(default_factory=list)
    _open: _OpenCalls = field(default_factory=_OpenCalls)

    def read(self, messages: Iterable[Any]) -> None:
        """All messages in their order."""
        for number, message in enumerate(messages, 1):
            if not isinstance(message, dict):
                self.trouble(number, "a message is an object")
                continue
            for part in expanded(message):
                if reason := self._read(part, number):
                    self.trouble(number, reason)
        if self._heard:
            self._add(user_input=self._take_heard())

    def trouble(self, number: int, reason: str) -> None:
        """Note that message `number` (from 1) could not be used, or only in part."""
        self.troubles.append(NotAnalysed(position=f"{self.position}, message {number}", reason=reason))

    def hear(self, text: str) -> None:
        """A person said `text`."""
        if text:
            self._heard.append(text)
            self.first_words = self.first_words or text

    def act(
        self,
        text: str | None,
        calls: list[ToolCall],
        number: int,
        *,
        requestor: Requestor = "agent",
        at: datetime | None = None,
        raw: str | None = None,
    ) -> None:
        """The agent (or the person's side) took a turn: words, and one step for each call."""
        if not calls:
            if text or raw:
                self._add(user_input=self._take_heard(), raw_output=raw or text, started_at=at)
            return
        batch = len(self.steps) + 1 if len(calls) > 1 else None
        for position, call in enumerate(calls):
            first = position == 0
            self._open.add(_OpenCall(len(self.steps), number, call))
            self._add(
                user_input=self._take_heard() if first else None,
                thought=text if first else None,
                raw_output=raw if first else None,
                tool_call=call,
                batch=batch,
                requestor=requestor,
                started_at=at,
                answered=False,
            )

    def answer(
        self,
        number: int,
        content: JsonValue,
        error: StepError | None,
        *,
        call_id: str | None = None,
        name: str | None = None,
        requestor: Requestor = "agent",
        at: datetime | None = None,
    ) -> None:
        """A tool replied. A reply that answers no open call is a step of its own, and noted."""
        found = self._open.take(call_id, name)
        if found is None:
            self.trouble(number, "a tool's reply that answers no call of this run; its arguments are unknown")
            call = ToolCall(tool=name or UNPAIRED, call_id=call_id)
            self._add(user_input=self._take_heard(), tool_call=call, requestor=requestor, paired=False)
        index = found.index if found else len(self.steps) - 1
        answered = {"observation": content, "error": error, "ended_at": at, "answered": True}
        self.steps[index] = changed(self.steps[index], answered)

    def fail(self, error: StepError, at: datetime | None = None) -> None:
        """A model's call failed: a step without words and without a call."""
        self._add(user_input=self._take_heard(), error=error, started_at=at)

    def _add(self, **fields: Any) -> None:
        self.steps.append(unchecked(Step, {**_STEP, "index": len(self.steps), **fields}))

    def _take_heard(self) -> str | None:
        heard, self._heard = "\n".join(self._heard), []
        return heard or None

    def _read(self, message: dict[str, Any], number: int) -> str | None:
        role = str(message.get("role"))
        if role in {"system", "developer"}:
            self.prompts.append(text_of(message.get("content")))
        elif role == "user":
            return self._read_user(message, number)
        elif role == "assistant":
            return self._read_assistant(message, number)
        elif role in {"tool", "function"}:
            self._read_reply(message, number)
        else:
            return f"role {str(role)!r} is none of system, user, assistant, tool"
        return None

    def _read_user(self, message: dict[str, Any], number: int) -> str | None:
        self.hear(text_of(message.get("content")))
        if not message.get("tool_calls"):
            return None
        calls, reason = calls_of(message)
        self.act(None, calls, number, requestor="user", at=time_of(message))
        return reason

    def _read_assistant(self, message: dict[str, Any], number: int) -> str | None:
        calls, reason = calls_of(message)
        text = text_of(message.get("content")) or text_of(message.get("reasoning_content"))
        self.act(text or None, calls, number, at=time_of(message))
        return reason

    def _read_reply(self, message: dict[str, Any], number: int) -> None:
        content = reply_content(message.get("content"))
        call_id = message.get("tool_call_id", message.get("id"))
        name = message.get("name")
        self.answer(
            number,
            content,
            self.reply_error(content, message),
            call_id=clean_text(str(call_id)) if call_id is not None else None,
            name=clean_text(name) if isinstance(name, str) and name else None,
            requestor="user" if message.get("requestor") == "user" else "agent",
            at=time_of(message),
        )


def calls_of(message: dict[str, Any]) -> tuple[list[ToolCall], str | None]:
    """The calls of a message: `tool_calls` in OpenAI's shape or flat, or the old `function_call`; and what of
    them could not be read."""
    listed = message.get("tool_calls") or []
    if not listed and isinstance(message.get("function_call"), dict):
        listed = [{"function": message["function_call"]}]
    if not isinstance(listed, list):
        return [], f"tool_calls is {type(listed).__name__}, not a list"
    read = [_call_of(item) for item in listed]
    calls = [call for call in read if call is not None]
    missing = len(read) - len(calls)
    return calls, f"{missing} of {len(read)} tool calls have no name" if missing else None


def text_of(content: Any) -> str:
    """A message's text: a string, or the texts of its parts."""
    if isinstance(content, str):
        return clean_text(content)
    if isinstance(content, list):
        return "\n".join(filter(None, (_part_text(part) for part in content)))
    return ""


def reply_content(content: Any) -> JsonValue:
    """What a tool answered: text, or JSON where the record holds it so; parts of text are joined."""
    if isinstance(content, list) and content and all(isinstance(p, dict) and "text" in p for p in content):
        return text_of(content)
    if isinstance(content, str):
        return clean_text(content)
    found: JsonValue = content
    return found


def time_of(message: dict[str, Any]) -> datetime | None:
    """The message's `timestamp`."""
    return moment(message.get("timestamp"))


def moment(value: Any) -> datetime | None:
    """An ISO 8601 text or a number of seconds since 1970 as UTC; without a zone it is taken as UTC."""
    try:
        if isinstance(value, str):
            parsed = datetime.fromisoformat(value)
            return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool) and 10**8 < value < 10**11:
            return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError):
        return None
    return None


def function_of(item: dict[str, Any]) -> dict[str, Any]:
    """What OpenAI wraps into `function`; a flat item is it itself."""
    wrapped = item.get("function")
    return wrapped if isinstance(wrapped, dict) else item


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return clean_text(part)
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return clean_text(part["text"])
    return ""


def _call_of(item: Any) -> ToolCall | None:
    if not isinstance(item, dict):
        return None
    function = function_of(item)
    name = function.get("name")
    if not isinstance(name, str) or not name:
        return None
    call_id = item.get("id")
    return make_call(
        clean_text(name), function.get("arguments"), str(call_id) if call_id is not None else None
    )
