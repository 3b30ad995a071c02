"""Reference calls: of each scope a bounded, uniform sample of the agent's successful calls."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from errata_client.replay import StepView
from errata_client.run import Run
from ingest.repair import succeeded
from ingest.step_context import excerpt
from knowledge.kinds import REFERENCE_CALLS
from knowledge.runs import ReferenceCall, reference_id
from knowledge.stage import Shift
from knowledge.store import BulkReport, Query

PER_SCOPE = 500
Scope = tuple[str, str]


Wanted = Callable[[Scope, int], bool]
"""Whether a call of this scope and rank may be kept."""


def every(_scope: Scope, _rank: int) -> bool:
    """All calls are wanted."""
    return True


def reference_calls(
    project: str, run: Run, calls: Iterable[StepView], now: object, wanted: Wanted = every
) -> list[ReferenceCall]:
    """The agent's successful calls of a masked run, each with the view before it, as far as they are `wanted`: a view costs
    more than all else, and most calls rank too high to be kept. `now` dates a run without times."""
    return [
        reference
        for call in calls
        if call.step.requestor == "agent" and call.step.paired and succeeded(call.step) and _is_readable(call)
        if (reference := _reference(project, run, call, now, wanted)) is not None
    ]


def _is_readable(call: StepView) -> bool:
    """Arguments that stayed as text are not known well enough to hold a rule against."""
    return call.step.tool_call is not None and call.step.tool_call.raw_arguments is None


def _reference(project: str, run: Run, call: StepView, now: object, wanted: Wanted) -> ReferenceCall | None:
    step, moment = call.step, call.moment
    identity = reference_id(project, run.run_id, step.index, moment.step_id, moment.tool)
    rank = rank_of(identity)
    if not wanted((moment.step_id, moment.tool), rank):
        return None
    view = call.before
    success = {"success": True, "failure": False}.get(run.outcome.status)
    return ReferenceCall.model_validate(
        {
            "reference_id": identity,
            "run_id": run.run_id,
            "task_id": run.task_id,
            "step_id": view.step_id,
            "tool": view.tool,
            "occurred_at": step.started_at or run.started_at or now,
            "rank": rank,
            "arguments": view.arguments,
            "view": view,
            "result_excerpt": excerpt(step),
            "succeeded_run": success,
        }
    )


def rank_of(identity: str) -> int:
    """Uniform over [0, 2^62): the first 62 bits of the id's SHA-256."""
    return int.from_bytes(hashlib.sha256(identity.encode()).digest()[:8], "big") >> 2


@dataclass
class Reservoirs:
    """The reservoirs of one project: the lowest `size` ranks of each scope stay, whatever the order of arrival, so
    they are a uniform sample, and the same one after any interruption."""

    shift: Shift
    size: int = PER_SCOPE
    _kept: dict[Scope, dict[str, int]] = field(default_factory=dict)
    _highest: dict[Scope, int] = field(default_factory=dict)
    """Of the scopes that were full at the last look, the highest rank that was kept: it only sinks."""

    def wants(self, scope: Scope, rank: int) -> bool:
        """Whether a call of this rank may still be kept."""
        self._ranks(scope)
        highest = self._highest.get(scope)
        return highest is None or rank <= highest

    def offer(self, calls: Iterable[ReferenceCall]) -> BulkReport:
        """Keep the ones that rank low enough; what they push out is removed."""
        collection = self.shift.store.collection(self.shift.project, REFERENCE_CALLS)
        wanted = [call for call in calls if self._takes(call)]
        evicted = self._evict()
        kept = [call for call in wanted if call.reference_id not in evicted]
        report = collection.add_many(kept)
        stored_before = evicted - {call.reference_id for call in wanted}
        if stored_before:
            collection.remove_many(sorted(stored_before))
        for refused in report.refused:
            self._forget(refused.key)
        return report

    def total(self) -> int:
        """How many are kept in the scopes that were offered anything."""
        return sum(len(ranks) for ranks in self._kept.values())

    def _takes(self, call: ReferenceCall) -> bool:
        ranks = self._ranks((call.step_id, call.tool))
        if call.reference_id in ranks:
            return False
        ranks[call.reference_id] = call.rank
        return True

    def _ranks(self, scope: Scope) -> dict[str, int]:
        if scope not in self._kept:
            where = {"step_id": scope[0], "tool": scope[1]}
            found = self.shift.store.collection(self.shift.project, REFERENCE_CALLS).scan(Query(where=where))
            self._kept[scope] = {stored.item.reference_id: stored.item.rank for stored in found}
        return self._kept[scope]

    def _evict(self) -> set[str]:
        evicted: set[str] = set()
        for scope, ranks in self._kept.items():
            if len(ranks) > self.size:
                lowest = sorted(ranks.items(), key=lambda item: (item[1], item[0]))
                self._kept[scope] = dict(lowest[: self.size])
                self._highest[scope] = lowest[self.size - 1][1]
                evicted |= {key for key, _ in lowest[self.size :]}
        return evicted

    def _forget(self, key: str) -> None:
        for ranks in self._kept.values():
            ranks.pop(key, None)
