"""What tells a cluster of problems from the causes nearest to it, and from other unmatched problems. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from attribution.terms import terms
from attribution.text import exemplar_texts, normalised
from knowledge.cases import FailureCase, Problem
from knowledge.causes import Attribution, Feature, FeatureKind, RootCause

MAX_NEAREST = 3
MAX_OF_A_KIND = 4
MOST = 0.5
"""More of the cluster than this share must have a feature."""
AHEAD = 0.3
"""By how much that share must exceed the share of the others."""
_FIRST = ("provenance", "word", "error_kind", "tool", "tool_before", "step_id", "agent", "model")

Traits = Mapping[tuple[FeatureKind, str], float]
"""For each feature, how much of a problem has it, 0 to 1."""


@dataclass(frozen=True)
class Surroundings:
    """What clusters are compared with. `unmatched` are tonight's unmatched problems, `matched` those of each cause;
    `cases` are some cases of each problem; `causes` are those that are enabled, by id."""

    unmatched: Sequence[Problem] = ()
    matched: Mapping[str, Sequence[Problem]] = field(default_factory=dict)
    attributions: Mapping[str, Attribution] = field(default_factory=dict)
    cases: Mapping[str, Sequence[FailureCase]] = field(default_factory=dict)
    causes: Mapping[str, RootCause] = field(default_factory=dict)

    def nearest(self, members: Sequence[Problem]) -> tuple[str, ...]:
        """The causes that scored best for the members' cases, at most MAX_NEAREST."""
        return nearest_causes(members, self.attributions, self.causes)

    def features(self, members: Sequence[Problem]) -> tuple[Feature, ...]:
        """What most of the members have and most of the others have not, the sharpest of each kind first."""
        inside = {member.fingerprint for member in members}
        near = [problem for cause in self.nearest(members) for problem in self.matched.get(cause, ())]
        others = [problem for problem in (*self.unmatched, *near) if problem.fingerprint not in inside]
        theirs = [self._traits(other) for other in others]
        spoken = [text for cause in self.nearest(members) for text in _texts(self.causes[cause])]
        theirs += [{("word", term): 1.0 for term in terms(text)} for text in spoken]
        return _sharpest([self._traits(member) for member in members], theirs)

    def _traits(self, problem: Problem) -> Traits:
        found: dict[tuple[FeatureKind, str], float] = dict(_of_problem(problem))
        cases = self.cases.get(problem.fingerprint, ())
        counted = Counter(trait for case in cases for trait in _of_case(case))
        found.update({trait: number / len(cases) for trait, number in counted.items()})
        return found


def nearest_causes(
    members: Sequence[Problem], attributions: Mapping[str, Attribution], known: Iterable[str]
) -> tuple[str, ...]:
    """The known causes that scored best for the members, each case counting; at most MAX_NEAREST."""
    causes, scored = set(known), Counter[str]()
    for member in members:
        found = attributions.get(member.fingerprint)
        for one in (found.winner, found.runner_up) if found else ():
            if one is not None and one.cause_id in causes and one.score > 0:
                scored[one.cause_id] += round(1000 * one.score) * member.count
    return tuple(sorted(scored, key=lambda cause: (-scored[cause], cause))[:MAX_NEAREST])


def _texts(cause: RootCause) -> Iterator[str]:
    yield from (exemplar_texts(one)["error_pattern"] for one in cause.exemplars)


def _of_problem(problem: Problem) -> Iterator[tuple[tuple[FeatureKind, str], float]]:
    yield from ((("word", term), 1.0) for term in terms(normalised(problem.error_pattern)))
    yield ("error_kind", problem.error_kind), 1.0
    if problem.tool:
        yield ("tool", problem.tool), 1.0
    if problem.step_id != problem.tool:
        yield ("step_id", problem.step_id), 1.0


def _of_case(case: FailureCase) -> set[tuple[FeatureKind, str]]:
    found: set[tuple[FeatureKind, str]] = {("tool_before", tool) for tool in case.step_context.tools_before}
    version = f" {case.agent.version}" if case.agent.version else ""
    found.add(("agent", f"{case.agent.name}{version}"))
    if case.model_version:
        found.add(("model", case.model_version))
    if case.view is not None and case.view.has_context:
        found |= {("provenance", f"{_field(at)}: {said}") for at, said in case.view.provenance.items()}
    return found


def _field(pointer: str) -> str:
    """The argument without places in lists: `/items/0/id` is `args.items.id`."""
    return "args." + ".".join(part for part in pointer.split("/") if part and not part.isdecimal())


def _sharpest(ours: Sequence[Traits], theirs: Sequence[Traits]) -> tuple[Feature, ...]:
    if not theirs:
        return ()
    inside, outside = _shares(ours), _shares(theirs)
    found = [
        Feature(kind=kind, value=value, inside=round(share, 2), outside=round(there, 2))
        for (kind, value), share in inside.items()
        if share > MOST and share - (there := outside.get((kind, value), 0.0)) >= AHEAD
    ]
    found.sort(key=lambda one: (_FIRST.index(one.kind), one.outside - one.inside, one.value))
    grouped = groupby(found, key=lambda one: one.kind)
    return tuple(one for _, some in grouped for one in list(some)[:MAX_OF_A_KIND])


def _shares(traits: Sequence[Traits]) -> Mapping[tuple[FeatureKind, str], float]:
    """How much of all of them together has each trait."""
    summed: Counter[tuple[FeatureKind, str]] = Counter()
    for one in traits:
        summed.update(one)
    return {trait: share / len(traits) for trait, share in summed.items()}
