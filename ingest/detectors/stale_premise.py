"""plan.stale_premise: a step was carried out though what it takes for granted had been seen not to hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from errata_client.deliberation import PlanStep
from errata_client.model import JsonValue
from errata_client.pointer import Scalar, leaves, parts_of
from errata_client.replay import StepView
from errata_client.run import Run, Step
from ingest.detectors.places import plan_at
from ingest.detectors.port import Detector, Finding
from ingest.detectors.schemas import as_value

_CONDITION = re.compile(
    r"^\s*([^\s=!<>]{1,80})\s*(==|!=|>=|<=|=|>|<|\bis not\b|\bis\b|不是|不等于|等于|为|是)\s*[\"'“]?([^\"'”]{1,80}?)[\"'”]?\s*$",
    re.IGNORECASE,
)
_NOT_EQUAL = frozenset({"!=", "is not", "不是", "不等于"})


@dataclass(frozen=True)
class _Premise:
    text: str
    path: tuple[str, ...]
    relation: str
    value: str


def detect(run: Run, calls: Sequence[StepView]) -> Iterator[Finding]:
    """A step of the plan in force (by its `step_id`) is carried out, one of its premises is a condition on a field
    (`order.status == pending`, `status is open`, `状态 为 待付款`), and the latest result that holds that field says
    otherwise. A path that begins with the name of a step looks at that step's result only.

    Not: premises in words, which no one can look up; a field of which one result holds several values; a premise
    that a later plan has dropped; what only the step itself brought to light. One finding for each premise.
    Evidence: the premise, what was seen, and at which step.
    """
    if not any(planned.premises for plan in run.plans for planned in plan.steps):
        return
    seen: list[StepView] = []
    for call in calls:
        plan = plan_at(run.plans, call.step.index) if call.step.step_id else None
        for planned in plan.steps if plan else ():
            if planned.step_id == call.step.step_id:
                yield from _findings(call.step, planned, seen)
        if call.step.error is None and call.step.observation is not None:
            seen.append(call)


def _findings(step: Step, planned: PlanStep, seen: Sequence[StepView]) -> Iterator[Finding]:
    for premise in filter(None, map(_read, planned.premises)):
        found = _observed(premise.path, seen)
        if found is not None and not _holds(premise, found[1]):
            yield _finding(step, premise, *found)


def _read(text: str) -> _Premise | None:
    match = _CONDITION.match(text)
    if match is None:
        return None
    path = tuple(part for part in re.split(r"[./]", match.group(1).strip("$")) if part)
    return _Premise(text, path, match.group(2).casefold(), match.group(3).strip()) if path else None


def _observed(path: tuple[str, ...], seen: Sequence[StepView]) -> tuple[int, Scalar] | None:
    """The index and the value of the latest result that holds the field, once."""
    named = {call.step.step_id for call in seen}
    source, rest = (path[0], path[1:]) if len(path) > 1 and path[0] in named else (None, path)
    for call in reversed(seen):
        if source is not None and call.step.step_id != source:
            continue
        values = _values(as_value(call.step.observation), rest[-1])
        if values:
            return (call.step.index, values[0]) if len(set(map(str, values))) == 1 else None
    return None


def _values(result: JsonValue, key: str) -> list[Scalar]:
    return [value for place, value in leaves(result) if parts_of(place)[-1:] == [key]]


def _holds(premise: _Premise, value: Scalar) -> bool:
    left, right = _number(value), _number(premise.value)
    if premise.relation in {">", "<", ">=", "<="}:
        if left is None or right is None:
            return True
        return {">": left > right, "<": left < right, ">=": left >= right, "<=": left <= right}[
            premise.relation
        ]
    if left is not None and right is not None:
        same = left == right
    else:
        same = _word(value) == premise.value.casefold()
    return same != (premise.relation in _NOT_EQUAL)


def _word(value: Scalar) -> str:
    return "null" if value is None else str(value).strip().casefold()


def _number(value: Scalar) -> float | None:
    try:
        return None if isinstance(value, bool) or value is None else float(value)
    except ValueError:
        return None


def _finding(step: Step, premise: _Premise, at: int, value: Scalar) -> Finding:
    return Finding(
        index=step.index,
        code="plan.stale_premise",
        message="a step was carried out though an earlier result says that its premise does not hold",
        kind="failed_precondition",
        detail=premise.text,
        evidence={"premise": premise.text, "seen": value, "seen_at": at, "step": step.step_id},
    )


DETECTOR = Detector("stale_premise", ("plan.stale_premise",), detect)
