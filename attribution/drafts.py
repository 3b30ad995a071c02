"""The draft of a work order: what a cluster of problems would look like as a root cause. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from attribution.clusters import Cluster
from attribution.terms import key_terms
from attribution.text import normalised
from knowledge.cases import Problem
from knowledge.causes import Exemplar, RootCause, WorkOrder

MAX_EXEMPLARS = 20
MAX_NAME = 80


def draft_order(order_id: str, cluster: Cluster, everywhere: Mapping[str, int]) -> WorkOrder:
    """An open work order for the cluster. Its draft bears the order's id until it is approved; the name is the most
    frequent error text, the exemplars are the distinct ones. `everywhere` counts the terms of all problems."""
    members = cluster.members
    return WorkOrder(
        order_id=order_id,
        cluster_id=cluster.cluster_id,
        draft=_draft(order_id, members),
        key_terms=key_terms([normalised(problem.error_pattern) for problem in members], everywhere),
        fingerprints=tuple(problem.fingerprint for problem in members),
        cases=cluster.cases,
        first_seen=min(problem.first_seen for problem in members),
        last_seen=max(problem.last_seen for problem in members),
    )


def _draft(order_id: str, members: tuple[Problem, ...]) -> RootCause:
    texts = _by_frequency(members)
    tools = sorted({problem.tool for problem in members if problem.tool})
    where = f" of {', '.join(tools[:5])}" if tools else ""
    cases = sum(problem.count for problem in members)
    return RootCause(
        cause_id=order_id,
        name=(normalised(texts[0]) or members[0].error_code)[:MAX_NAME],
        statement=f"{cases} cases in {len(members)} problems{where} say, in one wording or another: {texts[0]}",
        error_codes=tuple(sorted({problem.error_code for problem in members})),
        error_kinds=tuple(sorted({problem.error_kind for problem in members})),
        exemplars=tuple(Exemplar(error_pattern=text, origin=order_id) for text in texts[:MAX_EXEMPLARS]),
        created_by=order_id,
    )


def _by_frequency(members: tuple[Problem, ...]) -> list[str]:
    """The distinct error patterns, the one with the most cases first; ties by text."""
    counted: Counter[str] = Counter()
    for problem in members:
        counted[problem.error_pattern] += problem.count
    return sorted(counted, key=lambda text: (-counted[text], text))
