"""Rules pinned for the length of a run: a run ends with the revision that it began with."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Container
from dataclasses import dataclass
from threading import Lock
from typing import Final

from errata_client.arms import arm_of, in_share
from errata_client.bundle import Bundle
from errata_client.decision import Arm
from errata_client.sync import ActiveRules

MAX_RUNS = 10_000


class _Everything:
    """Holds whatever is asked for."""

    def __contains__(self, item: object) -> bool:
        return True


EVERYTHING: Final = _Everything()


@dataclass(frozen=True)
class Pinned:
    """What one run works with: its rules (None: there were none yet), its arm, and the rules it does not get."""

    rules: ActiveRules | None
    arm: Arm
    withheld: Container[str]


def pinned(run_id: str, rules: ActiveRules | None) -> Pinned:
    """The arm of the run and what is withheld from it: everything in the holdout, else rules by their share."""
    if rules is None:
        return Pinned(None, "treated", ())
    bundle = rules.bundle
    return Pinned(rules, arm_of(run_id, bundle.project, bundle.holdout), withheld_from(run_id, bundle))


def withheld_from(run_id: str, bundle: Bundle) -> Container[str]:
    """The ids of the rules that the run does not get: all in the holdout, else those whose share it is not in."""
    if arm_of(run_id, bundle.project, bundle.holdout) == "holdout":
        return EVERYTHING
    partial = (rule for rule in bundle.rules if rule.share < 1.0)
    return frozenset(rule.id for rule in partial if not in_share(run_id, f"share:{rule.id}", rule.share))


class Pins:
    """The pins of the latest runs; the run that was asked about longest ago goes first."""

    def __init__(self, active: Callable[[], ActiveRules | None], limit: int = MAX_RUNS) -> None:
        self._active, self._limit = active, limit
        self._runs: OrderedDict[str, Pinned] = OrderedDict()
        self._lock = Lock()

    def of(self, run_id: str) -> Pinned:
        """The run's pin; made of the rules in use where it has none."""
        with self._lock:
            found = self._runs.get(run_id)
            if found is None:
                found = self._runs[run_id] = pinned(run_id, self._active())
                if len(self._runs) > self._limit:
                    self._runs.popitem(last=False)
            else:
                self._runs.move_to_end(run_id)
            return found

    def release(self, run_id: str) -> None:
        """The run is over."""
        with self._lock:
            self._runs.pop(run_id, None)
