"""Labels held out: each is decided by what the others taught, never by one of its own group or text. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from attribution.answers import read_answers
from attribution.attributor import Attributor, VectorSource
from attribution.evaluation import Labelled
from attribution.parameters import Parameters
from attribution.text import normalised
from attribution.verdict import Question
from knowledge.causes import Attribution, Label, RootCause

Decided = list[tuple[Labelled, Attribution]]


@dataclass(frozen=True)
class Bench:
    """What decisions are made with: the causes, the running encoders' ids and where their vectors come from."""

    causes: Sequence[RootCause]
    encoders: tuple[str, ...]
    vectors: VectorSource
    now: datetime

    def asked(self, taught: Sequence[Labelled], held: Sequence[Labelled], parameters: Parameters) -> Asked:
        """`held` scored by what the causes' templates and `taught` know."""
        answers = read_answers(as_label(label, self.now) for label in taught)
        attributor = Attributor(self.causes, answers, parameters, self.encoders, self.vectors, self.now)
        by_problem = {label.problem.fingerprint: label for label in held}
        questions = list(attributor.questions([label.problem for label in by_problem.values()]))
        return Asked(attributor, by_problem, questions)


@dataclass(frozen=True)
class Asked:
    """Questions with their scores, to be decided under any thresholds."""

    attributor: Attributor
    labels: Mapping[str, Labelled]
    questions: Sequence[Question]

    def under(self, parameters: Parameters) -> Decided:
        """Each label with the decision that these parameters come to."""
        decided = self.attributor.under(parameters, self.questions)
        return [(self.labels[one.fingerprint], one) for one in decided]


def folds(labels: Sequence[Labelled], count: int) -> list[list[Labelled]]:
    """The labels in at most `count` parts of like size. Labels of one group, or with one masked text, are never in two
    parts; which part a group is in depends on the labels alone."""
    groups = _groups(labels)
    parts: list[list[Labelled]] = [[] for _ in range(count)]
    for group in sorted(groups, key=lambda some: (-len(some), some[0].label_id)):
        min(parts, key=len).extend(group)
    return [part for part in parts if part]


def each_held_out(
    bench: Bench,
    labels: Sequence[Labelled],
    count: int,
    parameters: Callable[[Sequence[Labelled]], Parameters],
) -> list[tuple[Asked, Parameters]]:
    """For each fold: its labels, asked with the parameters that the other folds led to."""
    found = []
    for part in folds(labels, count):
        held = {label.label_id for label in part}
        rest = [label for label in labels if label.label_id not in held]
        fitted = parameters(rest)
        found.append((bench.asked(rest, part, fitted), fitted))
    return found


def _groups(labels: Sequence[Labelled]) -> list[list[Labelled]]:
    """Labels that share a group or a text, also by way of others, together."""
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        while parent.setdefault(key, key) != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    def key_of(label: Labelled) -> str:
        return f"text:{normalised(label.problem.error_pattern) or label.label_id}"

    for label in labels:
        if label.group:
            parent[root(key_of(label))] = root(f"group:{label.group}")
    together: dict[str, list[Labelled]] = defaultdict(list)
    for label in sorted(labels, key=lambda one: one.label_id):
        together[root(key_of(label))].append(label)
    return list(together.values())


def as_label(label: Labelled, now: datetime) -> Label:
    problem = label.problem
    return Label(
        label_id=label.label_id,
        fingerprint=problem.fingerprint,
        answer="confirm" if label.root_cause else "reassign",
        root_cause=label.root_cause,
        error_code=problem.error_code,
        error_kind=problem.error_kind,
        error_pattern=problem.error_pattern,
        user_intent=problem.user_intent,
        step_context=problem.context_text,
        actor="labels",
        reason="labelled",
        at=now,
    )
