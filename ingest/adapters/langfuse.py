"""Langfuse traces: `GET /api/public/traces/{id}`, the UI's "Download JSON", pages of traces and observations, files of the
blob storage export (observations with their trace's fields, or traces, observations and scores apart), and batches of
ingestion events.

Fields as in Langfuse's API reference and "Blob storage export field reference", in camelCase or snake_case; inputs and
outputs may be JSON inside of strings. Observations may come in any order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from errata_client.model import JsonValue
from errata_client.run import Run
from ingest.adapters.containers import OUTER, entries, first_entries
from ingest.adapters.fields import text
from ingest.adapters.langfuse_spans import KIND, TYPES, field_of, trace_of
from ingest.adapters.port import NotAnalysed
from ingest.adapters.records import Opening, Unreadable
from ingest.adapters.span_run import run_of
from ingest.adapters.trace_join import MAX_HELD, Gathered, Piece, gathered

LISTS = frozenset({"data", "traces", "observations", "batch", "scores"})
OF_A_TRACE = frozenset(
    {
        "sessionId",
        "session_id",
        "userId",
        "user_id",
        "htmlPath",
        "release",
        "public",
        "bookmarked",
        "tags",
        "environment",
    }
)
EVENTS = ("-create", "-update")
MAX_NESTED = 20

Kind = Literal["trace", "observation", "score"]
Part = dict[str, Any]


class Langfuse:
    """The adapter. `held`: bytes of observations held while their traces may go on."""

    name = "langfuse"
    looks_for = "traces {id, observations: [{type, level, input, output}]}, observations with a traceId, or {batch: [events]}"

    def __init__(self, held: int = MAX_HELD) -> None:
        self._held = held

    def recognises(self, opening: Opening) -> str | None:
        """By an observation of one of Langfuse's types, an ingestion event, or a trace with observations."""
        for sample in (*opening.samples, *first_entries(opening, LISTS)):
            kinds = {kind for part in _parts(sample, MAX_NESTED) if (kind := part.get(KIND))}
            if "observation" in kinds:
                return "its records are observations of traces"
            if kinds == {"trace"}:
                return "its records are traces with a timestamp, an input and an output"
        return None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a trace."""
        seen: set[str] = set()
        for found in gathered(_pieces(opening), self._held):
            if isinstance(found, NotAnalysed):
                yield found
                continue
            parts = [value for value in found.values if isinstance(value, dict)]
            if not any(part.get(KIND) != "score" for part in parts):
                reason = "scores of a trace that is not in this file"
                yield NotAnalysed(position=f"trace {found.trace}", reason=reason)
                continue
            yield from _read(found, parts, seen)


def _read(found: Gathered, parts: list[Part], seen: set[str]) -> Iterator[Run | NotAnalysed]:
    run, troubles = run_of(trace_of(found.trace, parts), seen)
    yield run
    yield from troubles


def _pieces(opening: Opening) -> Iterator[Piece | NotAnalysed]:
    for item in entries(opening, LISTS):
        if isinstance(item, Unreadable):
            yield NotAnalysed(position=item.position, reason=item.reason)
            continue
        found = [*_parts(item.value, MAX_NESTED)]
        yield from (_piece(part, item.position) for part in found)
        if not found and item.position != OUTER:
            yield NotAnalysed(
                position=item.position, reason="neither a trace, nor an observation, nor a score"
            )


def _piece(part: Part, position: str) -> Piece:
    own, trace = text(part.get("id")), text(field_of(part, "traceId"))
    if part[KIND] == "trace":
        return Piece(position, part, own or None)
    if part[KIND] == "score":
        return Piece(position, part, trace or None, None, text(field_of(part, "observationId")) or None)
    return Piece(
        position, part, trace or None, own or None, text(field_of(part, "parentObservationId")) or None
    )


def _parts(value: JsonValue, levels: int) -> Iterator[Part]:
    """What a record holds: each trace, observation and score by itself, marked by KIND."""
    if levels == 0:
        return
    if isinstance(value, list):
        for item in value:
            yield from _parts(item, levels - 1)
    elif isinstance(value, dict):
        yield from _parts_of(value, levels)


def _parts_of(value: Part, levels: int) -> Iterator[Part]:
    event = _event(value)
    if event is not None:
        yield event
        return
    kind = _kind(value)
    if kind is not None:
        yield {
            **{key: below for key, below in value.items() if key not in {"observations", "scores"}},
            KIND: kind,
        }
    link = {"traceId": value["id"]} if kind == "trace" else {}
    for key in ("trace", "traces", "data", "batch", "observations", "scores"):
        for part in _parts(value[key], levels - 1) if isinstance(value.get(key), list | dict) else ():
            yield part if field_of(part, "traceId") or part[KIND] == "trace" else {**link, **part}


def _event(value: Part) -> Part | None:
    """What an ingestion event creates or updates."""
    name, body = text(value.get("type")), value.get("body")
    if not isinstance(body, dict) or not name.endswith(EVENTS):
        return None
    what = name.rpartition("-")[0]
    if what in {"trace", "score"}:
        return {"timestamp": value.get("timestamp"), **body, KIND: what}
    kind = body.get("type") if what == "observation" else what.upper()
    return {**body, "type": kind, KIND: "observation"} if text(kind) in TYPES else None


def _kind(value: Part) -> Kind | None:
    if "id" not in value:
        return None
    if text(value.get("type")) in TYPES and (
        field_of(value, "traceId") or "startTime" in value or "start_time" in value
    ):
        return "observation"
    if (
        {"value", "stringValue", "string_value"} & set(value)
        and field_of(value, "traceId")
        and "name" in value
    ):
        return "score"
    if isinstance(value.get("observations"), list) and not field_of(value, "traceId"):
        return "trace"
    is_trace = (
        "timestamp" in value
        and "name" in value
        and ({"input", "output"} & set(value))
        and (OF_A_TRACE & set(value))
    )
    return "trace" if is_trace and "type" not in value else None
