"""The calls of tools in a run: each once, though several instrumentations may have seen it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from errata_client.run import StepError
from ingest.adapters.otlp.failures import is_broken_off, tool_error
from ingest.adapters.otlp.span import Span
from ingest.adapters.otlp.tools import ToolUse, tool_use
from ingest.adapters.otlp.tree import Tree

MAX_BELOW = 200
"""Spans under a call that are looked at for its error and for calls inside it."""


@dataclass(frozen=True)
class Used:
    """A call that was made: its span, what that says, and its error. `told_below`: the same error is a failure of
    a call inside it already; `broken_off`: somebody stopped it."""

    span: Span
    use: ToolUse
    error: StepError | None
    broken_off: bool = False
    told_below: bool = False


def used_tools(tree: Tree, named: Iterable[str]) -> list[Used]:
    """Every call in the order of their start. `named` are the tools that a model asked for: a plain span called so is
    one of their calls."""
    names = frozenset(named)
    spans = [span for span in tree.spans if _is_tool(span, tree, names)]
    uses = {span.span_id: tool_use(span) for span in spans}
    outer = [span for span in spans if not _is_told_above(span, uses, tree)]
    return [_used(span, uses, tree) for span in outer]


def _is_tool(span: Span, tree: Tree, names: frozenset[str]) -> bool:
    kind = tree.kind(span)
    return kind == "tool" or (kind in {None, "chain"} and span.name in names)


def _is_told_above(span: Span, uses: dict[str, ToolUse], tree: Tree) -> bool:
    """Whether a span above it is the same call: of the same tool, with the same id or arguments, or without any."""
    use = uses[span.span_id]
    for found in tree.above(span):
        other = uses.get(found.span_id)
        if other is not None and other.tool == use.tool:
            same_id = use.call_id is not None and use.call_id == other.call_id
            unknown = use.arguments is None or other.arguments is None
            return same_id or unknown or use.arguments == other.arguments
    return False


def _used(span: Span, uses: dict[str, ToolUse], tree: Tree) -> Used:
    use = uses[span.span_id]
    below = list(islice(tree.below(span), MAX_BELOW))
    inside = [found for found in below if found.span_id in uses]
    use = _completed(use, [twin for found in inside if (twin := uses[found.span_id]).tool == use.tool])
    error = tool_error(span, use, below)
    others = (
        tool_error(found, other, ()) for found in inside if (other := uses[found.span_id]).tool != use.tool
    )
    told = error is not None and any(other is not None and _is_one(error, other) for other in others)
    return Used(span, use, error, is_broken_off(span), told)


def _completed(use: ToolUse, twins: list[ToolUse]) -> ToolUse:
    """With what another instrumentation's span of the same call knows."""
    for twin in twins:
        if use.arguments is not None and use.call_id is not None and use.result is not None:
            break
        use = ToolUse(
            use.tool,
            use.arguments if use.arguments is not None else twin.arguments,
            use.call_id or twin.call_id,
            use.result if use.result is not None else twin.result,
            use.flagged or twin.flagged,
        )
    return use


def _is_one(error: StepError, other: StepError) -> bool:
    """Whether they are the same exception, seen at two levels."""
    return error.message == other.message or other.message in error.message
