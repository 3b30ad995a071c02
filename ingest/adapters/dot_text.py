"""DOT text taken apart by pydot: nodes with their attributes, and edges, subgraphs included."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from pyparsing import ParseBaseException

from ingest.adapters.jsonvalue import clean_text
from ingest.adapters.written_call import unfenced

if TYPE_CHECKING:
    from pydot.core import Dot, Graph

MAX_DOT = 128 * 1024
"""Bytes of one DOT text: its parser takes about a second for each 30 KiB."""

MAX_NESTING = 50
_PARSING = Lock()
"""pydot's grammar is one object with state: two threads may not parse at a time."""

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class GraphError(ValueError):
    """A text that is no DOT; it says where it stops being it."""


@dataclass(frozen=True)
class Edge:
    """From `source` to `target`, with its attributes."""

    source: str
    target: str
    attributes: dict[str, str]


@dataclass(frozen=True)
class ParsedGraph:
    """Nodes by name in the order in which they stand, those that only an edge names included."""

    name: str
    attributes: dict[str, str]
    nodes: dict[str, dict[str, str]]
    edges: list[Edge]


def graphs_in(text: str) -> list[ParsedGraph]:
    """The graphs of a DOT text. GraphError where it is none, too long, or nested too deeply."""
    source = unfenced(text)
    if len(source.encode("utf-8", "replace")) > MAX_DOT:
        raise GraphError(f"a DOT text may have {MAX_DOT // 1024} KiB; this one has more")
    if _nesting(source) > MAX_NESTING:
        raise GraphError(f"subgraphs nested deeper than {MAX_NESTING} levels")
    from pydot.dot_parser import GraphParser  # noqa: PLC0415 - building the grammar takes a quarter of a second

    try:
        with _PARSING:
            parsed = list(GraphParser.parser.parse_string(source))
    except ParseBaseException as error:
        raise GraphError(f"not DOT: line {error.lineno}, column {error.column}") from error
    except (
        RecursionError,
        AssertionError,
        AttributeError,
        KeyError,
        IndexError,
        TypeError,
        ValueError,
    ) as error:
        raise GraphError(f"not DOT that can be read ({type(error).__name__})") from error
    return [_graph(graph) for graph in parsed]


def _graph(graph: Dot) -> ParsedGraph:
    nodes: dict[str, dict[str, str]] = {}
    edges: list[Edge] = []
    _gather(graph, nodes, edges, {})
    return ParsedGraph(_plain(graph.get_name() or ""), _attributes(graph.get_attributes()), nodes, edges)


def _gather(
    graph: Graph, nodes: dict[str, dict[str, str]], edges: list[Edge], defaults: dict[str, str]
) -> None:
    """The nodes and edges of a graph and its subgraphs, in the order in which they stand."""
    for item in sorted(_items(graph), key=lambda found: found.obj_dict.get("sequence") or 0):
        kind = item.obj_dict.get("type")
        if kind == "edge":
            _gather_edge(item, nodes, edges)
        elif kind == "node":
            name, given = _plain(item.get_name()), _attributes(item.get_attributes())
            if name == "node":
                defaults = {**defaults, **given}
            elif name not in {"edge", "graph"}:
                nodes[name] = {**defaults, **nodes.get(name, {}), **given}
        else:
            _gather(item, nodes, edges, defaults)


def _items(graph: Graph) -> Iterator[Any]:
    yield from graph.get_nodes()
    yield from graph.get_edges()
    yield from graph.get_subgraphs()


def _gather_edge(edge: Any, nodes: dict[str, dict[str, str]], edges: list[Edge]) -> None:
    attributes = _attributes(edge.get_attributes())
    sources, targets = _ends(edge.get_source()), _ends(edge.get_destination())
    for name in (*sources, *targets):
        nodes.setdefault(name, {})
    edges.extend(Edge(source, target, attributes) for source in sources for target in targets)


def _ends(end: Any) -> list[str]:
    """The node at an end, without its port; or the nodes of the group that stands there."""
    if not isinstance(end, str):
        return [_plain(name) for name in end.get("nodes", {}) if name not in {"node", "edge", "graph"}]
    if end.startswith('"'):
        closing = re.match(r'"(?:[^"\\]|\\.)*"', end)
        return [_plain(closing.group(0) if closing else end)]
    return [_plain(end.partition(":")[0])]


def _attributes(given: dict[str, Any]) -> dict[str, str]:
    return {_plain(str(key)).lower(): _plain(str(value)) for key, value in given.items() if value is not None}


def _plain(text: str) -> str:
    """An id or a value without its quotes and escapes, of which n, l and r end lines."""
    if len(text) >= 2 and text[0] == text[-1] == '"':
        text = _ESCAPED.sub(lambda match: "\n" if match.group(1) in "nlr" else match.group(1), text[1:-1])
    return clean_text(text)


def _nesting(text: str) -> int:
    """How deep braces stand in each other, quotes or not."""
    depth = deepest = 0
    for character in text:
        depth += (character == "{") - (character == "}")
        deepest = max(deepest, depth)
    return deepest
