"""The steps of a run out of the spans of its trace: what models said, and what tools were called with and answered."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from errata_client.jsontext import as_text, canonical
from errata_client.model import JsonValue
from errata_client.run import Step, StepError, ToolCall
from ingest.adapters.chat import calls_of, text_of
from ingest.adapters.exceptions import essence, exception_error
from ingest.adapters.port import NotAnalysed
from ingest.adapters.spans import Span, SpanTree
from ingest.adapters.tool_spans import answer_of, answered, call_of, tool_spans
from ingest.adapters.trace_messages import Message, messages_of, schema_in
from knowledge.ids import digest

MAX_SEEN = 200_000
"""Calls out of conversations that are remembered; then it begins anew, and one that is repeated may be read twice."""

RECURSION = "GraphRecursionError"
"""LangGraph's exception at the bound of its steps: how the run ended, and no failure of a step."""


@dataclass
class _Draft:
    """A step being put together. `open`: a call that no span and no message answered yet."""

    call: ToolCall | None = None
    open: bool = False
    error: StepError | None = None
    observation: JsonValue = None
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass
class SpanSteps:
    """A run being built. `seen` holds the calls that were read out of conversations of earlier traces, so that a call
    which later traces repeat in their history is read once."""

    tree: SpanTree
    position: str
    seen: set[str]
    troubles: list[NotAnalysed] = field(default_factory=list)
    prompts: dict[str, None] = field(default_factory=dict)
    schemas: list[JsonValue] = field(default_factory=list)
    last_words: str | None = None
    _drafts: list[_Draft] = field(default_factory=list)
    _waiting: list[_Draft] = field(default_factory=list)
    _heard: list[str] = field(default_factory=list)
    _counts: Counter[str] = field(default_factory=Counter)
    _answers: dict[str, Message] = field(default_factory=dict)
    _known: set[str] = field(default_factory=set)
    _tools: frozenset[str] = frozenset()
    _failed: frozenset[str] = frozenset()

    def read(self, declared: set[str], conversation: list[Message]) -> tuple[Step, ...]:
        """The steps. `declared` names tools; `conversation` is what the trace itself was given and gave, which is read
        where no model's span is there to tell."""
        models = [span for span in self.tree.ordered if span.kind == "llm"]
        spoken = {span.span_id: (messages_of(span.input), messages_of(span.output)) for span in models}
        for given, told in spoken.values():
            self._note(given, told)
        self._note(conversation, [])
        self._note(
            [message for span in self.tree.ordered if span.kind == "chain" for message in _replies(span)], []
        )
        asked = {
            call.tool for _, told in spoken.values() for message in told for call in calls_of(message)[0]
        }
        self._tools = tool_spans(self.tree, asked | declared)
        used = [span for span in self.tree.ordered if span.span_id in self._tools and span.failed]
        self._failed = frozenset(essence(span.error or "") for span in used)
        if not any(told for _, told in spoken.values()) and conversation:
            self._listen(conversation, whole=not self._tools)
        for span in self.tree.ordered:
            if span.span_id in self._tools:
                self._use(span)
                continue
            if span.kind == "llm":
                self._turn(span, *spoken[span.span_id])
            self._fail(span)
        self._answer_open()
        if self._heard:
            self._add(_Draft())
        return tuple(self._step(draft, index) for index, draft in enumerate(self._drafts))

    def _note(self, given: list[Message], told: list[Message]) -> None:
        """Remember what tools answered, and which calls this trace's own models made."""
        for message in given:
            if message.get("role") == "tool" and message.get("tool_call_id") and schema_in(message) is None:
                self._answers[str(message["tool_call_id"])] = message
        for message in told:
            self._known.update(_signature(call) for call in calls_of(message)[0])

    def _turn(self, span: Span, given: list[Message], told: list[Message]) -> None:
        """A model took a turn: what it heard, what it said, and which calls it asked for."""
        inner = any(above.span_id in self._tools for above in self.tree.above(span))
        self._listen(given, inner=inner)
        said = [message for message in told if message.get("role") == "assistant"]
        text = "\n".join(filter(None, (text_of(message.get("content")) for message in said)))
        if not told and isinstance(span.output, str):
            text = span.output
        calls = [call for message in said for call in calls_of(message)[0]]
        fields = {"step_id": span.step_id, "started_at": span.started_at}
        first = {"input_tokens": span.input_tokens, "output_tokens": span.output_tokens}
        if calls:
            self._ask(calls, text, fields, first)
        elif text:
            self._add(_Draft(fields={**fields, **first, "ended_at": span.ended_at, "raw_output": text}))

    def _ask(self, calls: list[ToolCall], text: str, fields: dict[str, Any], first: dict[str, Any]) -> None:
        batch = len(self._drafts) + 1 if len(calls) > 1 else None
        for number, call in enumerate(calls):
            begin = {**first, "thought": text or None} if number == 0 else {}
            self._add(_Draft(call, open=True, fields={**fields, **begin, "batch": batch}))

    def _listen(self, messages: list[Message], *, whole: bool = False, inner: bool = False) -> None:
        """What a model was given: new words of the person, and calls that no model of this trace made. Those after the
        person's last words belong to this run, those before are history. `whole`: it is all that is known of the run,
        so its agent's words are read too. `inner`: the model works within a tool, and who speaks to it is the agent that
        called this tool, not a person."""
        last = max(
            (place for place, message in enumerate(messages) if message.get("role") == "user"), default=-1
        )
        if not inner:
            self._hear(
                [text_of(message.get("content")) for message in messages if message.get("role") == "user"]
            )
        for place, message in enumerate(messages):
            role = message.get("role")
            if role == "system":
                self.prompts[text_of(message.get("content"))] = None
            elif role == "tool" and (schema := schema_in(message)) is not None:
                self.schemas.append(schema)
            elif role == "tool" and place > last and not message.get("tool_call_id"):
                self._answer_unnamed(message)
            elif role == "assistant":
                self._recall(message, history=place < last, whole=whole)

    def _recall(self, message: Message, *, history: bool, whole: bool) -> None:
        """An agent's turn in what a model was given, made in an earlier trace or by a model without a span."""
        calls = [call for call in calls_of(message)[0] if _signature(call) not in self._known]
        self._known.update(_signature(call) for call in calls)
        told = [call for call in calls if history or self._was_told(call)]
        for call in told:
            answer = self._answers.get(call.call_id or "")
            if answer is not None:
                self._add(_Draft(observation=answered(answer)[0], fields={"step_id": "history"}))
        fresh = [call for call in calls if call not in told]
        text = text_of(message.get("content"))
        if fresh:
            self._ask(fresh, text, {}, {})
        elif whole and not history and text and not calls:
            self._add(_Draft(fields={"raw_output": text}))

    def _was_told(self, call: ToolCall) -> bool:
        """Whether an earlier trace told of this very call and its answer; it is remembered."""
        answer = self._answers.get(call.call_id or "")
        if answer is None:
            return False
        told = digest(_signature(call), as_text(answered(answer)[0]))
        known = told in self.seen
        if len(self.seen) >= MAX_SEEN:
            self.seen.clear()
        self.seen.add(told)
        return known

    def _hear(self, texts: list[str]) -> None:
        """The words that were not heard yet; a history repeats the earlier ones at every turn."""
        for text, times in Counter(filter(None, texts)).items():
            if times > self._counts[text]:
                self._heard.append(text)
                self._counts[text] = times
        self.last_words = texts[-1] if texts and self.last_words is None else self.last_words

    def _use(self, span: Span) -> None:
        """A tool ran: it answers the call that a model asked for, or is a call of its own."""
        call = call_of(span)
        draft = self._asked(call)
        if draft is None:
            draft = _Draft(call, fields={"started_at": span.started_at})
            self._add(draft)
        draft.open = False
        draft.fields |= {
            "started_at": span.started_at or draft.fields.get("started_at"),
            "ended_at": span.ended_at,
        }
        draft.fields["step_id"] = span.step_id or draft.fields.get("step_id")
        message = self._answers.get(call.call_id or "")
        if span.error is None:
            draft.observation, draft.error = answer_of(span)
            if span.output is None and message is not None:
                draft.observation, draft.error = answered(message)
        elif span.failed and not self._passed_on(span):
            draft.observation = answered(message)[0] if message is not None else None
            draft.error = exception_error(span.error)
        else:
            draft.fields["answered"] = False

    def _passed_on(self, span: Span) -> bool:
        """Whether the exception of a tool that runs an agent is one of a call that this agent made."""
        told = essence(span.error or "")
        below = (found for found in self.tree.below(span) if found.span_id in self._tools)
        return any(found.failed and essence(found.error or "") == told for found in below)

    def _asked(self, call: ToolCall) -> _Draft | None:
        """The open call that a tool's span answers: by its id, else the first of its name with its arguments, else the
        first of its name."""
        waiting = self._open()
        if call.call_id is not None:
            found = next((d for d in waiting if d.call and d.call.call_id == call.call_id), None)
            if found is not None:
                return found
        named = [d for d in waiting if d.call and d.call.tool == call.tool]
        same = [d for d in named if d.call and canonical(d.call.arguments) == canonical(call.arguments)]
        return next(iter([*same, *named]), None)

    def _fail(self, span: Span) -> None:
        """A model or a chain failed by itself: no call, so it is kept as a step and said."""
        if not span.failed or any(below.failed for below in self.tree.below(span)):
            return
        if any(above.span_id in self._tools for above in self.tree.above(span)):
            return
        error = exception_error(span.error or "")
        if error.type == RECURSION or error.message in self._failed:
            return
        if any(draft.error and draft.error.message in error.message for draft in self._drafts):
            return
        fields = {
            "step_id": span.step_id or span.name,
            "started_at": span.started_at,
            "ended_at": span.ended_at,
        }
        self._add(_Draft(error=error, fields=fields))
        self.troubles.append(
            NotAnalysed(
                position=f"{self.position}, {span.name}",
                reason="an error without a tool call: no detector reads those",
            )
        )

    def _answer_unnamed(self, message: Message) -> None:
        """A tool's message without the id of its call: it answers the first open one of its name, or the first."""
        name = message.get("name")
        draft = next((d for d in self._open() if not name or (d.call and d.call.tool == name)), None)
        if draft is not None:
            draft.open = False
            draft.observation, draft.error = answered(message)

    def _open(self) -> list[_Draft]:
        """The calls that nothing answered yet, in the order in which they were asked for."""
        self._waiting = [draft for draft in self._waiting if draft.open]
        return self._waiting

    def _answer_open(self) -> None:
        """Calls that no tool's span answered, by the messages that did."""
        for draft in self._open():
            message = self._answers.get(draft.call.call_id or "") if draft.call else None
            if message is not None:
                draft.open = False
                draft.observation, draft.error = answered(message)

    def _add(self, draft: _Draft) -> None:
        heard, self._heard = "\n".join(self._heard), []
        draft.fields = {"user_input": heard or None, **draft.fields}
        self._drafts.append(draft)
        if draft.open:
            self._waiting.append(draft)

    def _step(self, draft: _Draft, index: int) -> Step:
        answered = {"answered": False} if draft.open else {}
        said = {"observation": draft.observation, "error": draft.error}
        return Step(index=index, tool_call=draft.call, **said, **{**draft.fields, **answered})


def _signature(call: ToolCall) -> str:
    return f"{call.call_id or ''} {call.tool} {canonical(call.arguments)}"


def _replies(span: Span) -> list[Message]:
    """What tools answered, as a chain hands it on."""
    return [message for message in messages_of(span.output) if message.get("role") == "tool"]
