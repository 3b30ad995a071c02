"""Groups of unmatched problems that one new root cause may explain, stable from night to night. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from attribution.gates import kind_tells
from knowledge.cases import Problem
from knowledge.ids import digest

Similar = Callable[[Problem, Sequence[Problem]], Sequence[float]]
"""How alike a problem is to each of others, on the calibrated scale, 0 to 1."""


@dataclass(frozen=True)
class Cluster:
    """A leader and the problems near it: itself first, if it is still unmatched, then in the order in which they first
    occurred."""

    cluster_id: str
    leader: Problem
    members: tuple[Problem, ...] = ()

    @property
    def cases(self) -> int:
        """Cases of all members."""
        return sum(problem.count for problem in self.members)


def cluster_id(leader: str, generation: int = 0) -> str:
    """The id of the cluster that a problem leads; `generation` counts the earlier ones that were decided."""
    return digest("cluster", leader, generation)


def group(
    problems: Iterable[Problem], kept: Sequence[tuple[str, Problem]], similar: Similar, threshold: float
) -> list[Cluster]:
    """Clusters around leaders that are unlike each other; each problem joins the leader that it is most like.

    `kept` are cluster ids and leaders of earlier nights: they lead on, so their clusters keep their ids. A problem that
    is near no leader (under `threshold`) leads a new cluster, in the order of first occurrence. Leaders are all found
    before anybody joins, so the clusters are the same whichever of them were kept already.
    """
    ordered = sorted(problems, key=lambda problem: (problem.first_seen, problem.fingerprint))
    leaders = list(kept)
    for problem in ordered:
        if _home(problem, leaders, similar, threshold) is None:
            leaders.append((cluster_id(problem.fingerprint), problem))
    members: dict[str, list[Problem]] = {identity: [] for identity, _ in leaders}
    for problem in ordered:
        home = _home(problem, leaders, similar, threshold)
        if home is not None:
            members[home].append(problem)
    return [Cluster(one, leader, _leader_first(leader, members[one])) for one, leader in leaders]


def _leader_first(leader: Problem, members: Sequence[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(members, key=lambda problem: problem.fingerprint != leader.fingerprint))


def gate_of(problem: Problem) -> tuple[str, str]:
    """Problems of one cluster share it: the code, and the kind where it tells; these are the gates of its draft. Not the tool:
    causes recur across tools, and a cause made from the cases of one tool would take those of the others too."""
    return problem.error_code, problem.error_kind if kind_tells(problem.error_code) else ""


def _home(
    problem: Problem, leaders: Sequence[tuple[str, Problem]], similar: Similar, threshold: float
) -> str | None:
    """The cluster of the leader that the problem is, or is most like, the oldest of equals; None if none is near."""
    near = [(identity, leader) for identity, leader in leaders if gate_of(leader) == gate_of(problem)]
    for identity, leader in near:
        if leader.fingerprint == problem.fingerprint:
            return identity
    scores = similar(problem, [leader for _, leader in near]) if near else []
    ranked = [
        (-score, leader.first_seen, leader.fingerprint, identity)
        for score, (identity, leader) in zip(scores, near, strict=True)
        if score >= threshold
    ]
    return min(ranked)[-1] if ranked else None
