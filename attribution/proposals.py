"""From unmatched problems to work orders: which clusters are proposed, under which number. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attribution.clusters import Cluster, Similar, cluster_id, group
from attribution.drafts import draft_order
from attribution.features import Surroundings
from attribution.parameters import Parameters
from attribution.terms import term_counts
from attribution.text import normalised
from knowledge.cases import Problem
from knowledge.causes import WorkOrder

SYSTEM_ACTOR = "errata"


@dataclass(frozen=True)
class Proposals:
    """What a night proposes: `new` orders, `changed` open ones, and `settled`: open ones whose problems are all
    explained by now. The rest stays as it was."""

    new: tuple[WorkOrder, ...] = ()
    changed: tuple[WorkOrder, ...] = ()
    settled: tuple[WorkOrder, ...] = ()


def propose(
    unmatched: Sequence[Problem],
    problems: Mapping[str, Problem],
    orders: Sequence[WorkOrder],
    similar: Similar,
    parameters: Parameters,
    around: Surroundings | None = None,
) -> Proposals:
    """Cluster the unmatched problems and say what becomes of the orders. `problems` are all of them by fingerprint;
    `around` is what drafts are told apart from.

    A decided order is never opened again: problems near a rejected one stay with it, those of an approved or merged
    one that come back unmatched make a new cluster. Numbers are given in the order of first occurrence.
    """
    kept = _kept(orders, problems)
    clusters = group(unmatched, kept, similar, parameters.threshold)
    everywhere = term_counts(normalised(problem.error_pattern) for problem in problems.values())
    by_cluster = {order.cluster_id: order for order in orders}
    changed, fresh = [], []
    for cluster in clusters:
        order = by_cluster.get(cluster.cluster_id)
        if order is not None and order.state == "open" and cluster.members:
            changed.append(draft_order(order.order_id, cluster, everywhere, around))
        elif order is None or order.state in {"approved", "merged"}:
            fresh.append(_renewed(cluster, by_cluster))
    worthy = [cluster for cluster in fresh if cluster.members and cluster.cases >= parameters.min_support]
    numbered = enumerate(sorted(worthy, key=_age), start=_last_number(orders) + 1)
    new = [draft_order(f"WO-{number:04d}", cluster, everywhere, around) for number, cluster in numbered]
    held = {order.order_id for order in changed}
    settled = [_settle(order) for order in orders if order.state == "open" and order.order_id not in held]
    return Proposals(tuple(new), tuple(order for order in changed if order not in orders), tuple(settled))


def _kept(orders: Sequence[WorkOrder], problems: Mapping[str, Problem]) -> list[tuple[str, Problem]]:
    """Clusters of open and rejected orders with their leaders, in the order of their numbers."""
    ordered = sorted((order for order in orders if order.state in {"open", "rejected"}), key=_number)
    leaders = [
        (order, next((problems[f] for f in order.fingerprints if f in problems), None)) for order in ordered
    ]
    return [(order.cluster_id, leader) for order, leader in leaders if leader is not None]


def _renewed(cluster: Cluster, taken: Mapping[str, WorkOrder]) -> Cluster:
    """The cluster under an id that no decided order bears."""
    generation, identity = 0, cluster.cluster_id
    while identity in taken:
        generation += 1
        identity = cluster_id(cluster.leader.fingerprint, generation)
    return Cluster(identity, cluster.leader, cluster.members)


def _settle(order: WorkOrder) -> WorkOrder:
    reason = "its problems have a root cause by now, or a person decides them"
    return order.model_copy(update={"state": "merged", "actor": SYSTEM_ACTOR, "reason": reason})


def _age(cluster: Cluster) -> tuple[float, str]:
    return min(problem.first_seen for problem in cluster.members).timestamp(), cluster.cluster_id


def _number(order: WorkOrder) -> int:
    return int(order.order_id.removeprefix("WO-"))


def _last_number(orders: Sequence[WorkOrder]) -> int:
    return max((_number(order) for order in orders), default=0)
