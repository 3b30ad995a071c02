"""What people said about problems, read as a whole: the newest word on each pair counts, for good."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from attribution.near_text import nearly_same
from attribution.text import exemplar_texts, normalised
from knowledge.cases import Problem
from knowledge.causes import Exemplar, Label


@dataclass(frozen=True)
class Answers:
    """Labels, arranged to be asked. `settled` holds the newest confirm or reassign of each fingerprint that no later
    reject took back; `refused` the pairs (fingerprint, cause) whose newest answer is a reject."""

    settled: Mapping[str, Label] = field(default_factory=dict)
    refused: Mapping[tuple[str, str], Label] = field(default_factory=dict)

    def refuses(self, problem: Problem) -> frozenset[str]:
        """Causes that a person rejected for this problem, or for one with nearly the same text (unless this very
        problem was settled on that cause)."""
        settled = self.settled.get(problem.fingerprint)
        text = normalised(problem.error_pattern)
        near = {
            label.root_cause or ""
            for label, refused in self._refused_texts.get(problem.error_code, ())
            if label.fingerprint == problem.fingerprint or nearly_same(refused, text)
        }
        return frozenset(near - {settled.root_cause if settled else None, ""})

    def exemplars_of(self, cause_id: str) -> tuple[Exemplar, ...]:
        """The confirmed problems of a cause as exemplars, the newest first."""
        labels = sorted(self._by_cause.get(cause_id, ()), key=_age, reverse=True)
        return tuple(
            Exemplar(
                error_pattern=label.error_pattern,
                user_intent=label.user_intent,
                step_context=label.step_context,
                origin=f"confirmed:{label.fingerprint}",
            )
            for label in labels
        )

    @cached_property
    def _by_cause(self) -> Mapping[str, list[Label]]:
        grouped: dict[str, list[Label]] = defaultdict(list)
        for label in self.settled.values():
            if label.root_cause:
                grouped[label.root_cause].append(label)
        return grouped

    @cached_property
    def _refused_texts(self) -> Mapping[str, list[tuple[Label, str]]]:
        grouped: dict[str, list[tuple[Label, str]]] = defaultdict(list)
        for label in sorted(self.refused.values(), key=_age):
            grouped[label.error_code].append((label, _text(label)))
        return grouped


def read_answers(labels: Iterable[Label]) -> Answers:
    """Labels in any order, brought into the order of time, and the newest word on each pair kept."""
    settled: dict[str, Label] = {}
    refused: dict[tuple[str, str], Label] = {}
    for label in sorted(labels, key=_age):
        pair = (label.fingerprint, label.root_cause or "")
        if label.answer == "reject":
            refused[pair] = label
            if settled.get(label.fingerprint) and settled[label.fingerprint].root_cause == label.root_cause:
                del settled[label.fingerprint]
        else:
            settled[label.fingerprint] = label
            refused.pop(pair, None)
    return Answers(settled, refused)


def _age(label: Label) -> tuple[float, str]:
    return label.at.timestamp(), label.label_id


def _text(label: Label) -> str:
    return exemplar_texts(label)["error_pattern"]
