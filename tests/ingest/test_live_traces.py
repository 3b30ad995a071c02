"""Spans kept in the store and made runs, on each store there is."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ingest.adapters.otlp import traces
from ingest.adapters.otlp.json_wire import spans_in
from ingest.live import keeping
from ingest.live.keeping import Kept, keep, open_traces
from ingest.live.settling import forget, settle, settle_quiet
from ingest.masking import Masker
from knowledge.kinds import CASES, KINDS, PROBLEMS, REFERENCE_CALLS, RUN_RECORDS, SPANS, TRACES, Kind
from knowledge.stage import Shift
from knowledge.store import Query, Store
from tests.ingest.making import KEY, a_shift
from tests.ingest.planting import plant
from tests.ingest.spans import LENT, TRACE, a_trace, agent, request, tool
from tests.ingest.specimens import found_in
from tests.ingest.test_nothing_private import in_files

Json = Any


def taken(shift: Shift, *spans: Json) -> Kept:
    return keep(spans_in(request(*spans)), shift, Masker(KEY))


def later(shift: Shift, seconds: float) -> Shift:
    return replace(shift, now=shift.now + timedelta(seconds=seconds))


def kept(shift: Shift, kind: Kind[Any]) -> list[Any]:
    return [stored.item for stored in shift.store.collection(shift.project, kind).scan(Query())]


def test_a_trace_in_pieces_is_kept_settled_told_again_and_forgotten(store: Store) -> None:
    shift = a_shift(store)
    other = "a" * 32
    taken(shift, *a_trace()[1:], tool(1, "lent", parent=8, trace=other))
    assert settle(shift, [TRACE, other]) == 0
    assert open_traces(shift) == 2
    taken(later(shift, 10), a_trace()[0])
    assert settle(later(shift, 10), [TRACE, other]) == 1
    assert [case.error_message for case in kept(shift, CASES)] == [LENT]
    assert open_traces(shift) == 1
    assert settle_quiet(later(shift, 29), 30) == 0
    assert settle_quiet(later(shift, 31), 30) == 1
    assert sorted(record.run_id for record in kept(shift, RUN_RECORDS)) == sorted([TRACE, other])
    assert len(kept(shift, REFERENCE_CALLS)) == 1

    taken(later(shift, 40), tool(5, "Error: no such reader", call="c0"))
    assert settle(later(shift, 40), [TRACE]) == 1
    told = sorted((case.trigger_step.index, case.error_message) for case in kept(shift, CASES))
    assert told == [(0, LENT), (2, "Error: no such reader")]
    assert sorted(problem.count for problem in kept(shift, PROBLEMS)) == [1, 1]

    assert forget(later(shift, 60), 3600) == 0
    assert forget(later(shift, 3700), 3600) == 2
    assert (kept(shift, SPANS), kept(shift, TRACES)) == ([], [])
    assert len(kept(shift, CASES)) == 2


def test_a_trace_has_room_for_as_many_spans_as_are_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "MAX_SPANS", 3)
    shift = a_shift(store)
    first = taken(shift, *(tool(number, "lent", call=f"c{number}") for number in range(2, 4)))
    second = taken(shift, *(tool(number, "lent", call=f"c{number}") for number in range(4, 9)))
    assert (first.spans, first.refused) == (2, 0)
    assert (second.spans, second.refused, second.reasons) == (1, 4, ("a trace of more than 3 spans",))
    assert traces.MAX_SPANS == 10_000


def test_a_span_that_comes_while_its_trace_is_settled_leaves_it_open(store: Store) -> None:
    shift = a_shift(store)
    taken(shift, agent(), tool(2, LENT))
    late = iter([tool(3, "Error: no such reader", call="c2")])

    def arrive() -> None:
        """Called before what was made of the trace is written."""
        taken(shift, *late)

    assert settle(replace(shift, guard=arrive), [TRACE]) == 1
    assert open_traces(shift) == 1
    assert len(kept(shift, CASES)) == 1
    assert settle(shift, [TRACE]) == 1
    assert open_traces(shift) == 0
    assert len(kept(shift, CASES)) == 2


def test_secrets_planted_in_any_place_of_a_request_are_not_kept(store: Store, tmp_path: Path) -> None:
    """Names, attributes, events, status messages and what the resource says: of the spans, and of what is made of them."""
    failed = tool(3, LENT, call="c9") | {
        "status": {"code": 2, "message": "refused"},
        "events": [{"name": "exception", "attributes": [attribute("exception.message", "refused")]}],
    }
    sent = request(*a_trace(), failed)
    sent["resourceSpans"][0]["resource"] = {"attributes": [attribute("host.owner", "desk")]}
    leaks, masked = [], 0
    for number, document in enumerate(list(plant(sent))[::3]):
        shift = a_shift(store, f"p{number}")
        masker = Masker(KEY)
        keep(spans_in(json.loads(document.text)), shift, masker)
        masked += bool(masker.counts)
        settle(shift, [TRACE])
        held = (
            stored.item for kind in KINDS for stored in store.collection(shift.project, kind).scan(Query())
        )
        leaks += [
            (document.place, needle)
            for needle in found_in("\n".join(item.model_dump_json() for item in held))
        ]
    assert not leaks
    assert masked >= 10, "most of the places were not read: little was shown"
    assert not found_in(in_files(tmp_path))


def attribute(key: str, value: str) -> Json:
    return {"key": key, "value": {"stringValue": value}}
