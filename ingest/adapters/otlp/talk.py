"""The talk of a run: what its models were sent and what they answered, each thing once though every request repeats it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from errata_client.jsontext import as_text
from errata_client.model import JsonValue
from errata_client.run import StepError, ToolCall
from ingest.adapters.chat import calls_of, reply_content, text_of
from ingest.adapters.openai_chat import reply_error
from ingest.adapters.otlp.flattened import decoded
from ingest.adapters.otlp.messages import Exchange
from ingest.adapters.otlp.span import Span


@dataclass
class Asked:
    """A call that a model asked for: when (`order` among all that was said and asked at that time), in which message with how many others, by which span; and its answer, where a
    later request to a model holds one."""

    call: ToolCall
    at: int
    order: int
    batch: int | None
    span: Span | None
    thought: str | None = None
    answered: bool = False
    answer: JsonValue = None
    error: StepError | None = None


@dataclass
class Said:
    """Words: of a person (`by_person`), or a model's that came without a call."""

    text: str
    at: int
    order: int
    by_person: bool
    span: Span | None = None


@dataclass
class Talk:
    """Takes the exchanges of a run in their order. `troubles` counts the parts that could not be used."""

    asked: list[Asked] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    troubles: int = 0
    _messages: int = 0
    _by_id: dict[str, Asked] = field(default_factory=dict)
    _known: Counter[tuple[str, str]] = field(default_factory=Counter)

    def take(self, span: Span, exchange: Exchange) -> None:
        """What the model of `span` was sent and what it answered. Of what was sent only what is new counts: a message that
        comes more often in it than it came so far."""
        repeated: Counter[tuple[str, str]] = Counter()
        for message in exchange.sent:
            self._take_sent(message, span, repeated)
        for message in exchange.came:
            self._take_answer(message, span.end or span.start, span)

    def _take_sent(self, message: dict[str, Any], span: Span, repeated: Counter[tuple[str, str]]) -> None:
        role = message.get("role")
        if role == "tool":
            self._answer(message)
            return
        key = _key(message)
        repeated[key] += 1
        if repeated[key] <= self._known[key]:
            return
        if role == "assistant":
            self._take_answer(message, span.start, None)
            return
        self._known[key] += 1
        text = text_of(message.get("content"))
        if role == "system":
            self.prompts.append(text)
        elif text:
            self.said.append(Said(text, span.start, self._order(), by_person=True))

    def _take_answer(self, message: dict[str, Any], at: int, span: Span | None) -> None:
        """A model's own message; `span` None where only a later request tells of it."""
        self._known[_key(message)] += 1
        calls, trouble = calls_of(message)
        self.troubles += trouble is not None
        text = text_of(message.get("content")) or None
        new = [call for call in calls if call.call_id is None or call.call_id not in self._by_id]
        if not new:
            if text and not calls:
                self.said.append(Said(text, at, self._order(), by_person=False, span=span))
            return
        self._messages += 1
        batch = self._messages if len(new) > 1 else None
        for position, call in enumerate(new):
            first = position == 0
            asked = Asked(call, at, self._order(), batch, span if first else None, text if first else None)
            self.asked.append(asked)
            if call.call_id is not None:
                self._by_id[call.call_id] = asked

    def _order(self) -> int:
        return len(self.asked) + len(self.said)

    def _answer(self, message: dict[str, Any]) -> None:
        """A tool's message: the answer of the call with its id, or of the first open one of its name."""
        call_id, name = message.get("tool_call_id"), message.get("name")
        found = self._open(str(call_id) if call_id is not None else None, name)
        if found is None:
            return
        found.answered = True
        found.answer = reply_content(message.get("content"))
        found.error = reply_error(found.answer, message)

    def _open(self, call_id: str | None, name: Any) -> Asked | None:
        if call_id is not None and self._by_id:
            found = self._by_id.get(call_id)
            return found if found is not None and not found.answered else None
        fitting = (asked for asked in self.asked if not asked.answered and name in {None, asked.call.tool})
        return next(fitting, None)


def _key(message: dict[str, Any]) -> tuple[str, str]:
    calls = message.get("tool_calls") or []
    told: JsonValue = [[str(call.get("id") or ""), *_function(call)] for call in calls]
    return str(message.get("role")), as_text([text_of(message.get("content")), told])


def _function(call: dict[str, Any]) -> list[JsonValue]:
    """Tool and arguments, however the arguments are spelled."""
    function = call.get("function") or {}
    return [str(function.get("name")), decoded(function.get("arguments"))]
