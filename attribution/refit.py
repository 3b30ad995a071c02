"""A refit and what it is worth: on labels that it had not seen, beside what decides now. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attribution.evaluation import (
    THRESHOLDS,
    CauseFigures,
    Figures,
    Labelled,
    Mistake,
    by_cause,
    figures,
    mistakes,
    reliability,
    twins,
)
from attribution.fitting import FOLDS, Fitting, at
from attribution.held_out import Asked, each_held_out
from attribution.parameters import Parameters
from attribution.text import exemplar_texts, problem_texts
from knowledge.causes import Attribution

TARGET = 0.012
Pairs = tuple[list[Labelled], list[Attribution]]
Held = Sequence[tuple[Asked, Parameters]]


@dataclass(frozen=True)
class Refit:
    """Fitted parameters with the figures of their kind: each fold of the labels was decided by parameters, exemplars and
    answers of the other folds alone. `now` is what the parameters in force reach on the same folds."""

    parameters: Parameters
    found: Figures
    now: Figures
    thresholds: dict[float, Figures]
    causes: dict[float, dict[str, CauseFigures]]
    reliability: list[dict[str, float | int]]
    twins: list[dict[str, object]]
    mistakes: list[Mistake]
    target: float

    @property
    def obstacle(self) -> str | None:
        """Why it may not be accepted; None if it may."""
        upper = self.found.false_match_upper
        if upper is None:
            return "it matched none of the labels that it had not seen"
        if upper > self.target:
            return (
                f"of {self.found.matched} matches {self.found.wrong} were false: up to {upper:.2%} may be, "
                f"more than {self.target:.2%}"
            )
        held = self.now.false_match_upper is not None and self.now.false_match_upper <= self.target
        if held and (self.found.coverage or 0.0) < (self.now.coverage or 0.0):
            return f"it covers {self.found.coverage:.1%}, what decides now covers {self.now.coverage:.1%}"
        return None


def refit(fitting: Fitting, labels: Sequence[Labelled], in_force: Parameters) -> Refit:
    """Fit to the labels, and find what such a fit is worth on labels that it has not seen."""
    new = each_held_out(fitting.bench, labels, FOLDS, fitting.fit)
    old = each_held_out(fitting.bench, labels, FOLDS, lambda _: in_force)
    decided = _decided(new)
    moved = {threshold: _decided(new, threshold) for threshold in THRESHOLDS}
    return Refit(
        parameters=fitting.fit(labels),
        found=figures(*decided),
        now=figures(*_decided(old)),
        thresholds={threshold: figures(*pairs) for threshold, pairs in moved.items()},
        causes={threshold: by_cause(*pairs) for threshold, pairs in moved.items()},
        reliability=reliability(*decided),
        twins=twins(_known_texts(fitting, labels)),
        mistakes=mistakes(*decided),
        target=fitting.target,
    )


def _decided(held: Held, threshold: float | None = None) -> Pairs:
    """The labels and their decisions; under another threshold where one is given."""
    pairs = [
        pair
        for asked, parameters in held
        for pair in asked.under(parameters if threshold is None else at(parameters, threshold))
    ]
    return [label for label, _ in pairs], [one for _, one in pairs]


def _known_texts(fitting: Fitting, labels: Sequence[Labelled]) -> dict[str, list[str]]:
    """The error texts that stand for each cause: its template's and its labels'."""
    found = {
        cause.cause_id: [exemplar_texts(one)["error_pattern"] for one in cause.exemplars]
        for cause in fitting.bench.causes
    }
    for label in labels:
        if label.root_cause in found:
            found[label.root_cause].append(problem_texts(label.problem)["error_pattern"])
    return found
