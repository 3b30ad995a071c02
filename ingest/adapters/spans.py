"""The spans of one trace, whatever recorded them, and how they hang together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from errata_client.model import JsonValue
from errata_client.run import Outcome, ToolDeclaration
from ingest.adapters.exceptions import stopped

SpanKind = Literal["llm", "tool", "retriever", "agent", "chain"]
MAX_DEPTH = 200
"""Parents above a span that are looked at; links in a circle end there."""

_EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Span:
    """One piece of work. `error` is the text of its exception, if it ended with one; `step_id` the name that its plan
    or graph has for it; `call_id` the id of the call that a tool answered; `order` sorts what began at one time."""

    span_id: str
    name: str
    kind: SpanKind = "chain"
    parent: str | None = None
    input: JsonValue = None
    output: JsonValue = None
    error: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    order: str = ""
    step_id: str | None = None
    call_id: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    tools: tuple[ToolDeclaration, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether it ended with an exception that is a failure, and no interrupt."""
        return self.error is not None and stopped(self.error) is None


@dataclass(frozen=True)
class Trace:
    """One trace: its spans and what was said about it as a whole. `input` and `output` are the trace's own."""

    trace_id: str
    spans: tuple[Span, ...] = ()
    agent_name: str | None = None
    agent_version: str | None = None
    conversation_id: str | None = None
    task_id: str | None = None
    input: JsonValue = None
    output: JsonValue = None
    outcome: Outcome = field(default_factory=Outcome)
    max_steps: int | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None


class SpanTree:
    """The spans in the order in which they began, with their parents and children. A parent that is not there makes
    its children roots."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._by_id = {span.span_id: span for span in spans}
        self._children: dict[str, list[Span]] = {}
        for span in self._by_id.values():
            if span.parent in self._by_id and span.parent != span.span_id:
                self._children.setdefault(str(span.parent), []).append(span)
        self.ordered = tuple(sorted(self._by_id.values(), key=self._place))

    @property
    def roots(self) -> tuple[Span, ...]:
        """The spans without a parent here."""
        return tuple(span for span in self.ordered if span.parent not in self._by_id)

    def above(self, span: Span) -> Iterator[Span]:
        """Its parents, the nearest first."""
        for _ in range(MAX_DEPTH):
            parent = self._by_id.get(span.parent) if span.parent else None
            if parent is None or parent is span:
                return
            yield parent
            span = parent

    def below(self, span: Span) -> Iterator[Span]:
        """All spans under it."""
        waiting, seen = [*self._children.get(span.span_id, ())], {span.span_id}
        while waiting:
            found = waiting.pop()
            if found.span_id not in seen:
                seen.add(found.span_id)
                yield found
                waiting += self._children.get(found.span_id, ())

    def _place(self, span: Span) -> tuple[datetime, int, str]:
        above = [*self.above(span)]
        began = next((found.started_at for found in (span, *above) if found.started_at), _EARLIEST)
        return began, len(above), span.order
