"""How a failing call was repaired later in the same run."""

from __future__ import annotations

from collections.abc import Iterable

from errata_client.model import JsonValue
from errata_client.pointer import leaves
from errata_client.run import Step
from knowledge.cases import Repair


def find_repair(step: Step, later: Iterable[Step]) -> Repair | None:
    """The first later call of the same tool by the same side that succeeded, and what it changed; None without one."""
    if step.tool_call is None or not step.paired:
        return None
    for candidate in later:
        if _repairs(step, candidate) and candidate.tool_call is not None:
            return _difference(candidate.index, step.tool_call.arguments, candidate.tool_call.arguments)
    return None


def succeeded(step: Step) -> bool:
    """Whether the step is a call that was answered, and not by an error."""
    return step.tool_call is not None and step.error is None and step.answered


def _repairs(step: Step, candidate: Step) -> bool:
    if not succeeded(candidate) or not candidate.paired or candidate.requestor != step.requestor:
        return False
    call, failed = candidate.tool_call, step.tool_call
    return call is not None and failed is not None and call.tool == failed.tool


def _difference(index: int, failing: dict[str, JsonValue], working: dict[str, JsonValue]) -> Repair:
    before, after = dict(leaves(failing)), dict(leaves(working))
    places = [*before, *(place for place in after if place not in before)]
    changed: dict[str, tuple[JsonValue, JsonValue]] = {
        place: (before.get(place), after.get(place))
        for place in places
        if place not in before or place not in after or not _same(before[place], after[place])
    }
    return Repair(
        index=index,
        arguments=working,
        changed=changed,
        added=tuple(place for place in after if place not in before),
        removed=tuple(place for place in before if place not in after),
    )


def _same(one: JsonValue, other: JsonValue) -> bool:
    """Equal and of one type: true is not 1, and "1" is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)
