"""Problems: read off the cases that share a fingerprint, so they can always be made again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from ingest.step_context import context_text
from knowledge.cases import FailureCase, Problem
from knowledge.errors import StaleError
from knowledge.kinds import CASES, PROBLEMS
from knowledge.stage import Shift
from knowledge.store import Collection, Query, Stored

BATCH = 100
TRIES = 5
DECIDED = ("status", "state", "state_reason", "resolved_at", "resolved_in", "regressed_at")
"""What is not read off the cases."""


def refresh_problems(shift: Shift, fingerprints: Iterable[str] | None) -> int:
    """Make the problems of these fingerprints (None: of all cases) from their cases; how many there are of them.

    Idempotent. What people and nights said of a problem stays. One that a person edits meanwhile is read and made again.
    One that is named and has no case left is removed.
    """
    cases = shift.store.collection(shift.project, CASES)
    known = _all_fingerprints(cases) if fingerprints is None else sorted(set(fingerprints))
    done = 0
    for batch in _batches(known):
        shift.guard()
        done += _refresh(shift, cases, batch)
        shift.progress(done, len(known))
    return done


def make_problem(cases: Iterable[FailureCase]) -> Problem | None:
    """The problem that these cases of one fingerprint make; None without a case."""
    tally = _Tally()
    for case in cases:
        tally.add(case)
    return tally.problem()


class _Tally:
    """Counts and dates over cases that are seen one by one."""

    def __init__(self) -> None:
        self._exemplar: FailureCase | None = None
        self._count = 0
        self._last: FailureCase | None = None
        self._models: set[str] = set()
        self._agents: set[str] = set()

    def add(self, case: FailureCase) -> None:
        self._count += 1
        self._models |= {case.model_version} if case.model_version else set()
        self._agents.add(case.agent.name)
        if self._exemplar is None or _order(case) < _order(self._exemplar):
            self._exemplar = case
        if self._last is None or _order(case) > _order(self._last):
            self._last = case

    def problem(self) -> Problem | None:
        first, last = self._exemplar, self._last
        if first is None or last is None:
            return None
        return Problem(
            fingerprint=first.fingerprint,
            error_code=first.error_code,
            error_kind=first.error_kind,
            step_id=first.trigger_step.step_id,
            tool=first.trigger_step.tool,
            error_pattern=first.error_pattern,
            error_message=first.error_message,
            user_intent=first.user_intent,
            context_text=context_text(first),
            exemplar=first.case_id,
            count=self._count,
            first_seen=first.occurred_at,
            last_seen=last.occurred_at,
            model_versions=tuple(sorted(self._models)),
            agents=tuple(sorted(self._agents)),
        )


def _order(case: FailureCase) -> tuple[object, str]:
    return case.occurred_at, case.case_id


def _all_fingerprints(cases: Collection[FailureCase]) -> list[str]:
    return sorted(tally.value for tally in cases.tally(Query(), "fingerprint") if tally.value)


def _batches(fingerprints: list[str]) -> Iterator[list[str]]:
    remaining = iter(fingerprints)
    while batch := list(islice(remaining, BATCH)):
        yield batch


def _refresh(shift: Shift, cases: Collection[FailureCase], batch: list[str]) -> int:
    tallies: dict[str, _Tally] = {}
    for stored in cases.scan(Query(where={"fingerprint": batch})):
        tallies.setdefault(stored.item.fingerprint, _Tally()).add(stored.item)
    problems = shift.store.collection(shift.project, PROBLEMS)
    known = problems.get_many(batch)
    for fingerprint, tally in tallies.items():
        _write(problems, fingerprint, tally, known.get(fingerprint))
    if gone := known.keys() - tallies.keys():
        problems.remove_many(sorted(gone))
    return len(tallies)


def _as_decided(made: Problem, stored: Problem) -> Problem:
    """What people and nights said of it stays."""
    return made.model_copy(update={name: getattr(stored, name) for name in DECIDED})


def _write(
    problems: Collection[Problem], fingerprint: str, tally: _Tally, stored: Stored[Problem] | None
) -> None:
    for _ in range(TRIES):
        made = tally.problem()
        made = _as_decided(made, stored.item) if made and stored else made
        if made is None or (stored and stored.item == made):
            return
        if stored is None:
            if problems.add_many([made]).created:
                return
        else:
            try:
                problems.put(made, stored.version)
            except StaleError:
                pass
            else:
                return
        stored = problems.get(fingerprint)
    raise StaleError(f"problem {fingerprint} is being changed by others all the time; run this again")
