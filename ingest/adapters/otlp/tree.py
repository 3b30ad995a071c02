"""The spans of a trace as a tree, and the runs that it holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from errata_client.model import JsonValue
from ingest.adapters.jsonvalue import NotJsonError, loads
from ingest.adapters.otlp.kinds import SpanKind, kind_of
from ingest.adapters.otlp.span import Span

CONVERSATIONS = (
    "gen_ai.conversation.id",
    "session.id",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "traceloop.association.properties.conversation_id",
    "traceloop.association.properties.chat_id",
    "langfuse.session.id",
)
IN_METADATA = ("thread_id", "session_id", "conversation_id")
MAX_ABOVE = 200
"""Levels above a span that are looked at."""

WORK: frozenset[SpanKind | None] = frozenset({"model", "tool"})


@dataclass(frozen=True)
class Tree:
    """Spans by id, in the order of their start, with their kinds and parents; what stands above a span may be missing."""

    spans: tuple[Span, ...]
    by_id: dict[str, Span]
    kinds: dict[str, SpanKind | None]
    parents: dict[str, Span] = field(default_factory=dict)
    children: dict[str, list[Span]] = field(default_factory=dict)

    @classmethod
    def of(cls, spans: tuple[Span, ...]) -> Tree:
        """The tree of a trace's spans."""
        ordered = tuple(sorted(spans, key=lambda span: (span.start, span.end, span.span_id)))
        by_id = {span.span_id: span for span in ordered}
        parents = _parents(ordered, by_id)
        children: dict[str, list[Span]] = {}
        for span in ordered:
            if parent := parents.get(span.span_id):
                children.setdefault(parent.span_id, []).append(span)
        return cls(ordered, by_id, {span.span_id: kind_of(span) for span in ordered}, parents, children)

    def above(self, span: Span) -> Iterator[Span]:
        """Its parent, that one's parent and so on, as far as they are there; at most MAX_ABOVE."""
        for _ in range(MAX_ABOVE):
            parent = self.parents.get(span.span_id)
            if parent is None:
                return
            yield parent
            span = parent

    def below(self, span: Span) -> Iterator[Span]:
        """Everything under it."""
        waiting = [span]
        while waiting:
            found = self.children.get(waiting.pop().span_id, [])
            waiting += found
            yield from found

    def kind(self, span: Span) -> SpanKind | None:
        """What the span is."""
        return self.kinds[span.span_id]

    def topmost(self, *kinds: SpanKind) -> list[Span]:
        """The spans of these kinds that none of these kinds is above."""
        found = (span for span in self.spans if self.kind(span) in kinds)
        return [span for span in found if not any(self.kind(other) in kinds for other in self.above(span))]


def _parents(spans: tuple[Span, ...], by_id: dict[str, Span]) -> dict[str, Span]:
    """The parent of each span that has one here. Parents in a circle are cut open where they meet again."""
    parents: dict[str, Span] = {}
    settled: set[str] = set()
    for span in spans:
        way, at = set[str](), span
        while at.span_id not in settled:
            settled.add(at.span_id)
            way.add(at.span_id)
            parent = by_id.get(at.parent_id or "")
            if parent is None or parent.span_id in way:
                break
            parents[at.span_id] = parent
            at = parent
    return parents


def is_whole(spans: tuple[Span, ...]) -> bool:
    """Whether a root is there and no span's parent is missing: a root ends last, so nothing is to come any more."""
    known = {span.span_id for span in spans}
    missing = any(span.parent_id is not None and span.parent_id not in known for span in spans)
    return not missing and any(span.parent_id is None for span in spans)


def parts_of(tree: Tree) -> list[tuple[str, Tree]]:
    """The runs of a trace, each with what is added to its id ("" where the trace is one run).

    A trace is one run, unless it holds several agents side by side, and all of its work is under one of them: then each
    agent is one, those of the same conversation together. Without agents, work of different conversations is told
    apart.
    """
    units = tree.topmost("agent")
    apart = len(units) > 1 and not _work_outside(tree, units)
    if not units:
        units = tree.topmost("model", "tool")
        apart = len({conversation_of(unit, tree) for unit in units} - {None}) > 1
    if not apart:
        return [("", tree)]
    groups: dict[str, list[Span]] = {}
    for unit in units:
        groups.setdefault(conversation_of(unit, tree) or unit.span_id, []).extend([unit, *tree.below(unit)])
    if len(groups) == 1:
        return [("", tree)]
    return [(f":{name}", Tree.of(tuple(spans))) for name, spans in groups.items()]


def conversation_of(span: Span, tree: Tree) -> str | None:
    """The conversation that it says it belongs to, or that the nearest span above it does."""
    for found in (span, *tree.above(span)):
        if told := _conversation(found):
            return told
    return None


def metadata_of(span: Span) -> dict[str, JsonValue]:
    """What OpenInference keeps as JSON text under `metadata`."""
    found = span.attributes.get("metadata")
    if isinstance(found, str) and found.startswith("{"):
        try:
            found = loads(found)
        except NotJsonError:
            return {}
    return found if isinstance(found, dict) else {}


def _conversation(span: Span) -> str | None:
    for name in CONVERSATIONS:
        if told := _short(span.attributes.get(name)):
            return told
    metadata = metadata_of(span)
    return next((told for name in IN_METADATA if (told := _short(metadata.get(name)))), None)


def _short(value: JsonValue) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value)[:200] or None


def _work_outside(tree: Tree, units: list[Span]) -> bool:
    inside = {span.span_id for unit in units for span in (unit, *tree.below(unit))}
    return any(tree.kind(span) in WORK and span.span_id not in inside for span in tree.spans)
