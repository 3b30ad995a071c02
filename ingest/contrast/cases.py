"""The case of a difference. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from errata_client.model import JsonValue
from ingest.contrast.differences import Difference
from ingest.fingerprint import case_id, fingerprint
from knowledge.cases import ErrorCode, FailureCase, StepContext, TriggerStep
from knowledge.runs import FINAL_ANSWER, RecordedCall, RunRecord

CONTRAST_CODES: tuple[ErrorCode, ...] = (
    "outcome.missing_action",
    "outcome.extra_action",
    "outcome.divergent_arguments",
)
LOW_REWARD: ErrorCode = "outcome.low_reward"
TOLD_PLACES = 6
Basis = Literal["same_task", "nearest_run", "nearest_intents"]


def contrast_cases(
    project: str,
    record: RunRecord,
    found: Sequence[Difference],
    siblings: Sequence[RunRecord],
    basis: Basis,
) -> list[FailureCase]:
    """The cases of what differs between the run and its siblings; the first difference is the decisive one."""
    cases = [contrast_case(project, record, one, siblings, basis) for one in found]
    reason = "the first of its actions that differs from the successful runs"
    return (
        [cases[0].model_copy(update={"decisive": True, "decisive_reason": reason}), *cases[1:]]
        if cases
        else []
    )


def contrast_case(
    project: str, record: RunRecord, difference: Difference, siblings: Sequence[RunRecord], basis: Basis
) -> FailureCase:
    """The case of one difference between the run and its siblings. The message names tools and arguments, never a value."""
    call = _call(record, difference.index)
    evidence: dict[str, JsonValue] = {
        "basis": basis,
        "tool": difference.tool,
        "arguments": [*difference.places],
        "siblings": [one.run_id for one in siblings],
        "calls_of_siblings": [_indices(one, difference.tool) for one in siblings],
        "calls_of_run": _indices(record, difference.tool),
        "times": difference.calls,
        "times_in_siblings": [*difference.expected],
    }
    detail = ",".join([difference.tool, *difference.places])
    return _case(project, record, difference.code, _message(difference, basis), call, detail, evidence)


def _message(difference: Difference, basis: Basis) -> str:
    tool = difference.tool
    if basis == "nearest_run":
        return _message_of_one(difference, "the successful run of this task that did most alike")
    whose = (
        "successful runs of this task" if basis == "same_task" else "successful runs with the nearest intents"
    )
    if difference.code == "outcome.missing_action":
        again = "" if not difference.calls else " often enough"
        return f"{tool} was not called{again}; all {whose} called it"
    if difference.code == "outcome.extra_action":
        never = not any(difference.expected)
        return (
            f"{tool} was called; no {whose} did"
            if never
            else f"{tool} was called more often than in any of the {whose}"
        )
    return f"{tool} was called with another {_places(difference)} than in the {whose}"


def _message_of_one(difference: Difference, which: str) -> str:
    tool = difference.tool
    if difference.code == "outcome.missing_action":
        return f"{tool} was not called{' often enough' if difference.calls else ''}; {which} called it"
    if difference.code == "outcome.extra_action":
        more = " more often than" if any(difference.expected) else ";"
        return f"{tool} was called{more} {which}{'' if any(difference.expected) else ' did not call it'}"
    return f"{tool} was called with another {_places(difference)} than in {which}"


def _places(difference: Difference) -> str:
    named = [place.removeprefix("/").replace("/*", "") for place in difference.places]
    more = "" if len(named) <= TOLD_PLACES else f" and {len(named) - TOLD_PLACES} more"
    return ", ".join(named[:TOLD_PLACES]) + more


def _case(
    project: str,
    record: RunRecord,
    code: ErrorCode,
    message: str,
    call: RecordedCall | None,
    detail: str,
    evidence: dict[str, JsonValue],
) -> FailureCase:
    """`message` holds nothing that varies, so it is its own pattern."""
    index = call.index if call else max(record.last_step, 0)
    tool = call.tool if call else FINAL_ANSWER
    step_id = call.step_id if call else FINAL_ANSWER
    return FailureCase(
        case_id=case_id(project, record.run_id, index, code, detail),
        run_id=record.run_id,
        task_id=record.task_id,
        occurred_at=record.occurred_at,
        error_code=code,
        error_message=message,
        error_pattern=message,
        user_intent=record.user_intent,
        trigger_step=TriggerStep(index=index, step_id=step_id, tool=tool),
        step_context=_context(record, index),
        agent=record.agent,
        model_version=record.model_version,
        evidence=evidence,
        fingerprint=fingerprint(project, tool, step_id, code, message),
    )


def _context(record: RunRecord, index: int) -> StepContext:
    before = tuple(call.tool for call in record.calls if call.index < index)
    last = max(record.last_step, 1)
    return StepContext(tools_before=before[-8:], position=round(min(index / last, 1.0), 3))


def _call(record: RunRecord, index: int | None) -> RecordedCall | None:
    return next((call for call in record.calls if call.index == index), None)


def _indices(record: RunRecord, tool: str) -> JsonValue:
    return [*[call.index for call in record.calls if call.tool == tool and call.ok][:20]]
