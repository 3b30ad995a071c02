"""The night stage `contrast`: a failed run that nothing explains gets cases for what successful runs did otherwise.

The bare outcome.low_reward that ingest gave such a run goes once a difference is named, and stays otherwise. Idempotent:
ids derive from content, a run whose difference is named stays as it is, and one killed half-way is looked at again, for
successful runs may have arrived since.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from errata_client.model import JsonValue
from ingest.contrast.actions import actions
from ingest.contrast.cases import contrast_cases
from ingest.contrast.effects import Effects, learn
from ingest.contrast.intents import Check, Encode, Intents, check
from ingest.contrast.verdict import Contrast, contrast_of, explained, outranked, settled, superseded
from ingest.problems import refresh_problems
from knowledge.batches import batches
from knowledge.cases import FailureCase
from knowledge.kinds import CASES, RUN_RECORDS
from knowledge.runs import RunRecord
from knowledge.stage import Shift, StageReport
from knowledge.store import Query

BATCH = 100
MAX_PEERS = {"success": 48, "failure": 16}
"""Runs of one task id that are read, by outcome, the latest first."""
MAX_LEARNT_FROM = 20_000
"""Runs that the effects of tools are learnt from, the latest first."""
MAX_INTENTS = 5_000
"""Successful runs whose intents are compared with, the latest first."""
MAX_CHECKS = 500
MAX_UNTOLD = 5_000
"""Runs without siblings that are compared by intent in one night."""


def contrast(shift: Shift, encode: Encode, declared: Mapping[str, bool] | None = None) -> StageReport:
    """Look at every failed run that no failure of its own explains. `declared` says of tools whether they change
    anything; what it does not say is learnt. `skipped` says what was not compared, and why."""
    return _Night(shift, learn(latest(shift, None, MAX_LEARNT_FROM), declared), encode).work()


def latest(shift: Shift, status: str | None, limit: int, task_id: str | None = None) -> Iterator[RunRecord]:
    """The records of the latest runs, of one outcome or of one task where they are given; at most `limit`."""
    where = {"outcome.status": status, "task_id": task_id}
    query = Query(
        where={name: value for name, value in where.items() if value is not None},
        sort="occurred_at",
        descending=True,
    )
    found = shift.store.collection(shift.project, RUN_RECORDS).scan(query)
    return islice((stored.item for stored in found), limit)


class _Night:
    """One night's state: what was counted, and the runs that wait for the comparison by intent."""

    def __init__(self, shift: Shift, effects: Effects, encode: Encode) -> None:
        self._shift, self._effects, self._encode = shift, effects, encode
        self._cases = shift.store.collection(shift.project, CASES)
        self._peers = lru_cache(maxsize=256)(self._read_peers)
        self._untold: list[RunRecord] = []
        self._told: list[Contrast] = []
        self._counts: Counter[str] = Counter()

    def work(self) -> StageReport:
        query = Query(where={"outcome.status": "failure"}, sort="task_id")
        failed = self._shift.store.collection(self._shift.project, RUN_RECORDS).scan(query)
        for batch in batches((stored.item for stored in failed), BATCH):
            self._same_task(batch)
            self._shift.progress(self._counts["failed"], None)
        shown = self._by_intent()
        names = ("failed", "explained", "named_before", "named", "named_by_intent", "alike", "untold")
        counts = {name: self._counts[name] for name in names}
        return StageReport(
            counts | {"intents_checked": shown.named, "intents_right": shown.right}, self._not_told(shown)
        )

    def _same_task(self, batch: Sequence[RunRecord]) -> None:
        self._counts["failed"] += len(batch)
        own = self._own_cases(batch)
        named: list[Contrast] = []
        for record in batch:
            cases = own[record.run_id]
            if settled(cases):
                self._counts["named_before"] += 1
                self._told_by_task(record)
            elif explained(cases):
                self._counts["explained"] += 1
            elif (found := self._told_by_task(record)).found:
                named.append(found)
            elif found.siblings:
                self._counts["alike"] += 1
            elif len(self._untold) < MAX_UNTOLD:
                self._untold.append(record)
            else:
                self._counts["beyond"] += 1
        self._write(named)
        before = [cases for cases in own.values() if settled(cases)]
        self._put_behind(before)
        self._remove(case for cases in before for case in superseded(cases))

    def _told_by_task(self, record: RunRecord) -> Contrast:
        """The comparison with the run's own task; what it tells, the nearest intents will be tried on."""
        found = contrast_of(record, self._peers(record.task_id), self._effects)
        if found.siblings and len(self._told) < MAX_CHECKS:
            self._told.append(found)
        return found

    def _by_intent(self) -> Check:
        """Compare what is left by intent, as far as that has shown itself right here."""
        idle = [one for one in self._untold if not actions(one, self._effects)]
        if not idle:
            self._counts["untold"] = len(self._untold)
            return Check()
        intents = Intents(list(latest(self._shift, "success", MAX_INTENTS)), self._effects, self._encode)
        shown = check(intents, [(one.record, one.found) for one in self._told])
        if shown.trusted:
            compared = (
                Contrast(record, near, found, "nearest_intents")
                for record in idle
                for found, near in [intents.missing(record)]
            )
            self._write([one for one in compared if one.found])
        self._counts["untold"] = len(self._untold) - self._counts["named_by_intent"]
        return shown

    def _write(self, named: Sequence[Contrast]) -> None:
        """Write what was named, then take away the bare cases that it supersedes."""
        by_intent = sum(one.basis == "nearest_intents" for one in named)
        self._counts.update(named=len(named) - by_intent, named_by_intent=by_intent)
        project = self._shift.project
        for batch in batches(named, BATCH):
            self._shift.guard()
            self._cases.add_many(
                case
                for one in batch
                for case in contrast_cases(project, one.record, one.found, one.siblings, one.basis)
            )
            own = self._own_cases([one.record for one in batch])
            self._put_behind(own.values())
            self._remove(case for cases in own.values() for case in superseded(cases))

    def _put_behind(self, runs: Iterable[Sequence[FailureCase]]) -> None:
        """What was decisive as far as the run itself told is so no longer."""
        outdone = [case for cases in runs for case in outranked(cases)]
        if outdone:
            self._cases.put_many(
                case.model_copy(update={"decisive": False, "decisive_reason": None}) for case in outdone
            )

    def _remove(self, cases: Iterable[FailureCase]) -> None:
        gone = list(cases)
        if gone:
            self._shift.guard()
            self._cases.remove_many([case.case_id for case in gone])
            refresh_problems(self._shift, {case.fingerprint for case in gone})

    def _own_cases(self, records: Iterable[RunRecord]) -> Mapping[str, list[FailureCase]]:
        own: defaultdict[str, list[FailureCase]] = defaultdict(list)
        for stored in self._cases.scan(Query(where={"run_id": [one.run_id for one in records]})):
            own[stored.item.run_id].append(stored.item)
        return own

    def _read_peers(self, task_id: str | None) -> tuple[RunRecord, ...]:
        if task_id is None:
            return ()
        found = (latest(self._shift, status, limit, task_id) for status, limit in MAX_PEERS.items())
        return tuple(record for records in found for record in records)

    def _not_told(self, shown: Check) -> tuple[dict[str, JsonValue], ...]:
        told: list[tuple[int, str]] = [
            (self._counts["alike"], "they did what the successful runs of their task did"),
            (self._counts["untold"], _why_not(shown)),
            (self._counts["beyond"], f"more than {MAX_UNTOLD:,} were to be compared by intent in one night"),
        ]
        return tuple(
            {"failed_runs": number, "reason": f"{number:,} failed runs: {reason}"}
            for number, reason in told
            if number
        )


def _why_not(shown: Check) -> str:
    if shown.trusted:
        return "no run of their task succeeded; they changed something, or the nearest successful runs do not agree"
    return (
        "no run of their task succeeded, and in this project the nearest intents have shown that they mislead: "
        f"right {shown.right} times of {shown.named}"
    )
