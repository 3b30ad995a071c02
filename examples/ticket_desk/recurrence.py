"""Whether the causes that rules remedy came back: counted by the service's own cases, per group of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from knowledge.cases import FailureCase
from knowledge.kinds import ATTRIBUTIONS, CASES, ROOT_CAUSES, RUN_RECORDS
from knowledge.store import Query, Store
from knowledge.strategies import Strategy

Key = tuple[str, str, str]
"""A root cause in a scope: cause id, step_id, tool."""


@dataclass(frozen=True)
class Recurrence:
    """Per remedied cause and scope, how many runs of each group had a case of it; `names` are the causes' names."""

    control: Counter[Key]
    treated: Counter[Key]
    names: dict[str, str]

    @property
    def change(self) -> float | None:
        """The change over all of them, -1.0 for "all gone"; None where the control group had none."""
        before, after = self.control.total(), self.treated.total()
        return None if before == 0 else after / before - 1.0


def recurrence(store: Store, project: str, strategies: Iterable[Strategy]) -> Recurrence:
    """Count what came back. A run counts once per cause and scope, however many cases it has; not at all for a
    call that failed and worked when it was made again as it was."""
    remedied = {(s.rule.root_cause, s.rule.scope.step_id, s.rule.scope.tool) for s in strategies}
    causes = _causes(store, project)
    groups: dict[str, set[tuple[Key, str]]] = {"holdout": set(), "treated": set()}
    arms = {
        found.item.run_id: found.item.arm for found in store.collection(project, RUN_RECORDS).scan(Query())
    }
    for found in store.collection(project, CASES).scan(Query()):
        key, arm = _key(found.item, causes), arms.get(found.item.run_id)
        if key in remedied and arm is not None and not _overcome(found.item):
            groups[arm].add((key, found.item.run_id))
    names = {
        found.item.cause_id: found.item.name for found in store.collection(project, ROOT_CAUSES).scan(Query())
    }
    return Recurrence(
        Counter(key for key, _ in groups["holdout"]), Counter(key for key, _ in groups["treated"]), names
    )


def _causes(store: Store, project: str) -> dict[str, str]:
    """Fingerprint to root cause, for the problems that have one."""
    found = (stored.item for stored in store.collection(project, ATTRIBUTIONS).scan(Query()))
    return {
        item.fingerprint: item.root_cause for item in found if item.root_cause and item.verdict == "matched"
    }


def _overcome(case: FailureCase) -> bool:
    """Whether the very same call worked later in the run."""
    repair = case.repair
    return repair is not None and not (repair.changed or repair.added or repair.removed)


def _key(case: FailureCase, causes: dict[str, str]) -> Key:
    return causes.get(case.fingerprint, ""), case.trigger_step.step_id, case.trigger_step.tool or ""
