"""Spans kept in the store and made runs, on each store there is."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ingest.adapters.otlp import traces
from ingest.adapters.otlp.json_wire import spans_in
from ingest.live import keeping
from ingest.live.keeping import Kept, keep, open_traces
from ingest.live.settling import forget, settle, settle_quiet
from ingest.masking import Masker
from knowledge.kinds import CASES, PROBLEMS, REFERENCE_CALLS, RUN_RECORDS, SPANS, TRACES, Kind
from knowledge.stage import Shift
from knowledge.store import Query, Store
from tests.ingest.making import KEY, a_shift
from tests.ingest.spans import LENT, TRACE, a_trace, agent, request, tool

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
