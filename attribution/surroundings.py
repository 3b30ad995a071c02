"""Reading what work orders are told apart from: tonight's decisions, and a bounded number of cases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from attribution.features import Surroundings, nearest_causes
from knowledge.batches import batches
from knowledge.cases import FailureCase, Problem
from knowledge.causes import Attribution, RootCause
from knowledge.kinds import ATTRIBUTIONS, CASES, ROOT_CAUSES
from knowledge.stage import Shift
from knowledge.store import Query

MAX_PROBLEMS = 500
"""Unmatched problems, and problems of one near cause, that clusters are compared with: the most frequent."""
MAX_CASES = 20
"""Cases of one problem that are looked at: the newest."""
READ_AT_ONCE = 50


def surroundings(shift: Shift, problems: Sequence[Problem], unmatched: Sequence[Problem]) -> Surroundings:
    """What there is around the unmatched problems. Nothing is read where none is."""
    if not unmatched:
        return Surroundings()
    attributions = _attributions(shift)
    enabled = shift.store.collection(shift.project, ROOT_CAUSES).scan(Query(where={"enabled": True}))
    causes: dict[str, RootCause] = {stored.item.cause_id: stored.item for stored in enabled}
    near = {cause for problem in unmatched for cause in nearest_causes([problem], attributions, causes)}
    matched: dict[str, list[Problem]] = defaultdict(list)
    for problem in _frequent(problems):
        found = attributions.get(problem.fingerprint)
        if found and found.root_cause in near and len(matched[found.root_cause]) < MAX_PROBLEMS:
            matched[found.root_cause].append(problem)
    compared = [*_frequent(unmatched)[:MAX_PROBLEMS], *(one for some in matched.values() for one in some)]
    return Surroundings(
        unmatched=_frequent(unmatched)[:MAX_PROBLEMS],
        matched=matched,
        attributions=attributions,
        cases=_cases(shift, {problem.fingerprint for problem in compared}),
        causes=causes,
    )


def _attributions(shift: Shift) -> Mapping[str, Attribution]:
    found = shift.store.collection(shift.project, ATTRIBUTIONS).scan(Query())
    return {stored.item.fingerprint: stored.item for stored in found}


def _frequent(problems: Iterable[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: (-problem.count, problem.fingerprint))


def _cases(shift: Shift, fingerprints: Iterable[str]) -> Mapping[str, Sequence[FailureCase]]:
    """The newest cases of each problem, at most MAX_CASES of one and on average of all."""
    found: dict[str, list[FailureCase]] = defaultdict(list)
    cases = shift.store.collection(shift.project, CASES)
    for batch in batches(sorted(fingerprints), READ_AT_ONCE):
        query = Query(where={"fingerprint": batch}, sort="occurred_at", descending=True)
        for stored in islice(cases.scan(query), MAX_CASES * READ_AT_ONCE):
            if len(found[stored.item.fingerprint]) < MAX_CASES:
                found[stored.item.fingerprint].append(stored.item)
    return found
