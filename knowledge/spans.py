"""Spans of traces that are coming in, kept until their trace is a run, and for a while after it."""

from __future__ import annotations

from typing import Literal

from errata_client.model import JsonValue, Model, UtcDatetime


class KeptSpan(Model):
    """One span, masked. `span_key` is trace and span id, so that what is sent again is kept once."""

    span_key: str
    trace_id: str
    arrived_at: UtcDatetime
    body: list[JsonValue]


class KeptTrace(Model):
    """A trace whose spans are kept. It is "open" while spans came that no run holds yet, then "settled"; `run_ids` are the
    runs that were made of it so far, `spans` how many came."""

    trace_id: str
    state: Literal["open", "settled"] = "open"
    last_at: UtcDatetime
    spans: int = 0
    run_ids: tuple[str, ...] = ()
