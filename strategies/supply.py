"""Where the night's material comes from: the store, read by scope, bounded and in a fixed order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from itertools import islice

from errata_client.model import JsonValue
from errata_client.rule import Scope
from knowledge.cases import FailureCase
from knowledge.kinds import ATTRIBUTIONS, CASES, PROBLEMS, REFERENCE_CALLS, ROOT_CAUSES, RUN_RECORDS
from knowledge.runs import FINAL_ANSWER, ReferenceCall
from knowledge.stage import Shift
from knowledge.store import Query, Range
from strategies.loops import Loops
from strategies.material import MAX_AGAIN, MAX_CASES, MAX_REFERENCES, Material
from strategies.reach import WINDOW, Volume
from strategies.sight import good_ends, seen, undue_calls
from strategies.synthesis.kindred import tells_by_fact
from strategies.synthesis.port import FULL

MAX_READ = 5_000
MAX_KIN = 8
MAX_KIN_REFERENCES = 500

ScopeKey = tuple[str, str]
"""step_id and tool."""


class Supply:
    """The material of one night. Only problems that are matched to a root cause give any."""

    def __init__(self, shift: Shift) -> None:
        self._shift = shift
        self._causes = {
            stored.item.cause_id: stored.item
            for stored in shift.store.collection(shift.project, ROOT_CAUSES).scan(Query())
        }
        self._cause_of = {
            stored.item.fingerprint: stored.item.root_cause
            for stored in shift.store.collection(shift.project, ATTRIBUTIONS).scan(
                Query(where={"verdict": "matched"})
            )
            if stored.item.root_cause in self._causes
        }
        self._cut: dict[ScopeKey, int] = {}
        self._volumes: dict[ScopeKey, Volume] | None = None

    def scopes(self) -> list[ScopeKey]:
        """The scopes with a matched problem, in order. A problem without a tool has no scope for a rule."""
        problems = self._shift.store.collection(self._shift.project, PROBLEMS).scan(Query())
        return sorted(
            {
                (stored.item.step_id, stored.item.tool)
                for stored in problems
                if stored.item.tool and stored.item.fingerprint in self._cause_of
            }
        )

    def materials(self, scope: ScopeKey) -> Iterator[Material]:
        """The material of each root cause of the scope, by its id, and of those by which kin of it fail."""
        cases, references = self._cases(scope), self._references(scope)
        by_cause = self._by_cause(cases)
        for cause_id in sorted({*by_cause, *self._kin}):
            kin = tuple(item for item in self._kin.get(cause_id, ()) if _key(item.scope) != scope)
            if cause_id in by_cause or kin:
                material = self._material(scope, cause_id, by_cause.get(cause_id, []), cases, references)
                yield replace(material, elsewhere=self._loops.elsewhere(scope)[:MAX_AGAIN], kin=kin)

    def _by_cause(self, cases: Iterable[FailureCase]) -> dict[str, list[FailureCase]]:
        found: dict[str, list[FailureCase]] = {}
        for case in cases:
            cause = self._cause_of.get(case.fingerprint)
            if cause is not None:
                found.setdefault(cause, []).append(case)
        return found

    def _material(
        self,
        scope: ScopeKey,
        cause_id: str,
        explained: Sequence[FailureCase],
        cases: Sequence[FailureCase],
        references: tuple[ReferenceCall, ...],
    ) -> Material:
        mine = {_call(case) for case in explained}
        mine_cases = explained[:MAX_CASES]
        undue = undue_calls(self._shift, mine_cases)
        return Material(
            scope=Scope(step_id=scope[0], tool=scope[1]),
            cause=self._causes[cause_id],
            cases=tuple(seen(self._shift, mine_cases)),
            others=self._others(case for case in cases if _call(case) not in mine),
            references=_good(references, undue),
            today=self._shift.now.date(),
        )

    @cached_property
    def _kin(self) -> Mapping[str, tuple[Material, ...]]:
        """By cause, the material of the scopes in which a fact tells its failures, bounded; each scope is read once for it."""
        found: dict[str, list[Material]] = {}
        for scope in self.scopes():
            cases = self._cases(scope)
            by_cause = {
                cause_id: explained
                for cause_id, explained in self._by_cause(cases).items()
                if len(explained) >= FULL.cases and len(found.get(cause_id, ())) < MAX_KIN
            }
            references = self._references(scope)[:MAX_KIN_REFERENCES] if by_cause else ()
            for cause_id, explained in by_cause.items():
                material = self._material(scope, cause_id, explained[:MAX_AGAIN], cases, references)
                if tells_by_fact(material):
                    found.setdefault(cause_id, []).append(replace(material, others=()))
        return {cause_id: tuple(materials) for cause_id, materials in found.items()}

    def _others(self, cases: Iterator[FailureCase]) -> tuple[FailureCase, ...]:
        """What other causes explain, or none yet. Calls that went through are left as they are: they are no failures of
        this cause."""
        found = list(islice(cases, MAX_CASES))
        ends = {case.case_id for case in found if case.trigger_step.tool == FINAL_ANSWER}
        return tuple(seen(self._shift, found)) if ends else tuple(found)

    def volume(self, scope: ScopeKey) -> Volume:
        """How many calls the runs of the last days made in the scope; read once for all scopes."""
        if self._volumes is None:
            self._volumes = self._counted()
        return self._volumes.get(scope, Volume())

    def _counted(self) -> dict[ScopeKey, Volume]:
        now = self._shift.now
        window = Range(since=now - WINDOW, until=now + timedelta(seconds=1))
        calls, failed = Counter[ScopeKey](), Counter[ScopeKey]()
        records = self._shift.store.collection(self._shift.project, RUN_RECORDS)
        for stored in records.scan(Query(ranges={"occurred_at": window})):
            for call in stored.item.calls:
                calls[call.step_id, call.tool] += 1
                failed[call.step_id, call.tool] += not call.ok
            calls[FINAL_ANSWER, FINAL_ANSWER] += 1
            failed[FINAL_ANSWER, FINAL_ANSWER] += stored.item.outcome.status == "failure"
        return {scope: Volume(count, failed[scope]) for scope, count in calls.items()}

    def skipped(self) -> tuple[dict[str, JsonValue], ...]:
        """The scopes with more cases than were looked at."""
        return tuple(
            {
                "step_id": step_id,
                "tool": tool,
                "reason": f"more than {MAX_READ} cases: the first by id were looked at",
            }
            for step_id, tool in sorted(self._cut)
        )

    @cached_property
    def _loops(self) -> Loops:
        """The calls of all scopes that were made again after an error; everything is read once for it."""
        store, project = self._shift.store, self._shift.project
        failures = store.collection(project, CASES).scan(Query(where={"requestor": "agent"}))
        successes = store.collection(project, REFERENCE_CALLS).scan(Query())
        return Loops.of((stored.item for stored in failures), (stored.item for stored in successes))

    def _cases(self, scope: ScopeKey) -> list[FailureCase]:
        """The failures of the scope that the agent itself made, by id."""
        query = Query(
            where={"trigger_step.step_id": scope[0], "trigger_step.tool": scope[1], "requestor": "agent"}
        )
        found = self._shift.store.collection(self._shift.project, CASES).scan(query)
        cases = [stored.item for stored in islice(found, MAX_READ + 1)]
        if len(cases) > MAX_READ:
            self._cut[scope] = len(cases)
        return cases[:MAX_READ]

    def _references(self, scope: ScopeKey) -> tuple[ReferenceCall, ...]:
        """The successful calls of the scope, lowest rank first, so that a bound still leaves a uniform sample; for the end of
        a run, the ends of successful ones."""
        if scope == (FINAL_ANSWER, FINAL_ANSWER):
            return good_ends(self._shift)
        query = Query(where={"step_id": scope[0], "tool": scope[1]}, sort="rank")
        found = self._shift.store.collection(self._shift.project, REFERENCE_CALLS).scan(query)
        return tuple(stored.item for stored in islice(found, MAX_REFERENCES))


def _key(scope: Scope) -> ScopeKey:
    return scope.step_id, scope.tool


def _good(
    references: tuple[ReferenceCall, ...], undue: Mapping[str, ReferenceCall]
) -> tuple[ReferenceCall, ...]:
    """The calls that worked, without those that should not have been made and whose run failed."""
    bad = {call.reference_id for call in undue.values() if call.succeeded_run is False}
    return tuple(call for call in references if call.reference_id not in bad) if bad else references


def _call(case: FailureCase) -> tuple[str, int]:
    """The call that failed; one call may be several cases, of several codes."""
    return case.run_id, case.trigger_step.index
