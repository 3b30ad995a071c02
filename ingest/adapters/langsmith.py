"""LangSmith runs: exports, dumps of `list_runs`, bodies of `/runs/batch` with their `post` and `patch` halves.

Fields as in `langsmith.schemas.Run` and LangSmith's "run (span) data format". A LangSmith trace is a run here, a LangSmith
run one of its spans. Times have no zone there and are UTC.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Run
from ingest.adapters.containers import OUTER, entries, first_entries
from ingest.adapters.fields import text
from ingest.adapters.langsmith_spans import trace_of
from ingest.adapters.port import NotAnalysed
from ingest.adapters.records import Opening, Unreadable
from ingest.adapters.span_run import run_of
from ingest.adapters.trace_join import MAX_HELD, Gathered, Piece, gathered

LISTS = frozenset({"runs", "data", "post", "patch", "traces", "results"})
OF_A_RUN = frozenset(
    {"trace_id", "dotted_order", "parent_run_id", "inputs", "outputs", "start_time", "end_time"}
)
MAX_NESTED = 100
"""Runs within `child_runs` of runs, and lists within lists, that are opened."""


class LangSmith:
    """The adapter. `held`: bytes of runs held while their traces may go on."""

    name = "langsmith"
    looks_for = (
        "records {id, run_type, trace_id, dotted_order, inputs, outputs}, also in runs, data, post, patch"
    )

    def __init__(self, held: int = MAX_HELD) -> None:
        self._held = held

    def recognises(self, opening: Opening) -> str | None:
        """By runs with a run_type, or halves of them with a dotted_order."""
        samples = (*opening.samples, *first_entries(opening, LISTS))
        if any(_is_run(found) for sample in samples for found in _listed(sample)):
            return "its records are runs with a run_type or a dotted_order"
        if {"post", "patch"} <= set(opening.keys):
            return "it is an object with post and patch"
        return None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a trace."""
        seen: set[str] = set()
        for found in gathered(_pieces(opening), self._held):
            if isinstance(found, NotAnalysed):
                yield found
                continue
            run, troubles = _read(found, seen)
            yield run
            yield from troubles


def _read(found: Gathered, seen: set[str]) -> tuple[Run, list[NotAnalysed]]:
    return run_of(trace_of(found.trace, [value for value in found.values if isinstance(value, dict)]), seen)


def _pieces(opening: Opening) -> Iterator[Piece | NotAnalysed]:
    for item in entries(opening, LISTS):
        if isinstance(item, Unreadable):
            yield NotAnalysed(position=item.position, reason=item.reason)
            continue
        found = [*_runs(item.value, MAX_NESTED)]
        yield from (_piece(run, item.position) for run in found)
        if not found and item.position != OUTER:
            yield NotAnalysed(
                position=item.position, reason="no run: it has neither a run_type nor a dotted_order"
            )


def _piece(run: dict[str, Any], position: str) -> Piece:
    """A run with the id of its trace, or what tells it: the first part of `dotted_order`, `parent_run_ids`."""
    own, parents = text(run.get("id")), run.get("parent_run_ids")
    root = text(run.get("dotted_order")).partition(".")[0].partition("Z")[2]
    parent = text(run.get("parent_run_id")) or (
        text(parents[-1]) if isinstance(parents, list) and parents else ""
    )
    return Piece(position, run, text(run.get("trace_id")) or root or None, own or None, parent or None)


def _runs(value: JsonValue, levels: int) -> Iterator[dict[str, Any]]:
    """The runs in a record, those within runs too, each by itself."""
    if levels == 0:
        return
    if isinstance(value, list):
        for item in value:
            yield from _runs(item, levels - 1)
    elif isinstance(value, dict):
        if _is_run(value):
            children = value.get("child_runs")
            yield {key: below for key, below in value.items() if key != "child_runs"}
            for child in children if isinstance(children, list) else ():
                link = {
                    "trace_id": value.get("trace_id") or value.get("id"),
                    "parent_run_id": value.get("id"),
                }
                yield from _runs({**link, **child} if isinstance(child, dict) else child, levels - 1)
            return
        for key in (*LISTS, "run"):
            if key in value:
                yield from _runs(value[key], levels - 1)


def _listed(sample: JsonValue) -> list[JsonValue]:
    """A sample, or the first of what it lists."""
    if not isinstance(sample, dict):
        return []
    lists = [found for key in LISTS if isinstance(found := sample.get(key), list)]
    return [sample, sample.get("run"), *(item for found in lists for item in found[:3])]


def _is_run(value: JsonValue) -> bool:
    if not isinstance(value, dict) or "id" not in value:
        return False
    if isinstance(value.get("run_type"), str):
        return bool(OF_A_RUN & set(value))
    half = "outputs" in value and "type" not in value and bool({"trace_id", "end_time"} & set(value))
    return half or isinstance(value.get("dotted_order"), str)
