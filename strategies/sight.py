"""What the client would have known where a case does not hold it: at calls that contrast names, and at the end of a run.

Contrast reads run records, which hold no views; a call that went through is kept among the successful ones, and the end of a run
is seen from its record: which tools it had called, and how these calls ended.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import islice

from errata_client.context import LATEST_CALLS
from errata_client.view import CallView, PriorCall
from knowledge.cases import FailureCase
from knowledge.ids import digest
from knowledge.kinds import REFERENCE_CALLS, RUN_RECORDS
from knowledge.runs import FINAL_ANSWER, ReferenceCall, RunRecord, reference_id
from knowledge.stage import Shift
from knowledge.store import Query
from strategies.material import MAX_REFERENCES, UNDUE


def seen(shift: Shift, cases: Sequence[FailureCase]) -> list[FailureCase]:
    """The cases, each with the view of its call as far as it can be known."""
    calls = undue_calls(shift, cases)
    ends = _ends(shift, cases)
    return [case if case.view is not None else _with_view(case, calls, ends) for case in cases]


def undue_calls(shift: Shift, cases: Sequence[FailureCase]) -> Mapping[str, ReferenceCall]:
    """By case, the successful call that should not have been made, as far as it was kept."""
    ids = {case.case_id: _call_of(shift.project, case) for case in cases if case.error_code in UNDUE}
    if not ids:
        return {}
    kept = shift.store.collection(shift.project, REFERENCE_CALLS).get_many(ids.values())
    return {case_id: kept[call].item for case_id, call in ids.items() if call in kept}


def good_ends(shift: Shift) -> tuple[ReferenceCall, ...]:
    """The ends of the latest successful runs, as if each were a successful call without arguments."""
    query = Query(where={"outcome.status": "success"}, sort="occurred_at", descending=True)
    found = shift.store.collection(shift.project, RUN_RECORDS).scan(query)
    return tuple(_good_end(stored.item) for stored in islice(found, MAX_REFERENCES))


def view_of_end(record: RunRecord) -> CallView:
    """What the client knows of its calls as the run is about to end, bounded as in its run context; what was last said, and
    what errors said, is not in the record."""
    latest = deque(record.calls, maxlen=LATEST_CALLS)
    older = list(record.calls)[: len(record.calls) - len(latest)]
    first = {call.tool: call for call in reversed(older) if call.ok}
    calls = [*sorted(first.values(), key=lambda call: call.index), *latest]
    before = tuple(PriorCall(tool=call.tool, ok=call.ok, error=None if call.ok else "") for call in calls)
    return CallView(run_id=record.run_id, step_id=FINAL_ANSWER, tool=FINAL_ANSWER, calls_before=before)


def _with_view(
    case: FailureCase, calls: Mapping[str, ReferenceCall], ends: Mapping[str, CallView]
) -> FailureCase:
    call = calls.get(case.case_id)
    view = call.view if call else ends.get(case.run_id) if _is_end(case) else None
    return case if view is None else case.model_copy(update={"view": view})


def _ends(shift: Shift, cases: Sequence[FailureCase]) -> Mapping[str, CallView]:
    runs = {case.run_id for case in cases if case.view is None and _is_end(case)}
    found = shift.store.collection(shift.project, RUN_RECORDS).get_many(sorted(runs)) if runs else {}
    return {run_id: view_of_end(stored.item) for run_id, stored in found.items()}


def _is_end(case: FailureCase) -> bool:
    return case.trigger_step.tool == FINAL_ANSWER and case.trigger_step.step_id == FINAL_ANSWER


def _call_of(project: str, case: FailureCase) -> str:
    step = case.trigger_step
    return reference_id(project, case.run_id, step.index, step.step_id, step.tool or "")


def _good_end(record: RunRecord) -> ReferenceCall:
    return ReferenceCall(
        reference_id=digest("end", record.run_id),
        run_id=record.run_id,
        task_id=record.task_id,
        step_id=FINAL_ANSWER,
        tool=FINAL_ANSWER,
        occurred_at=record.occurred_at,
        rank=0,
        arguments={},
        view=view_of_end(record),
        succeeded_run=True,
    )
