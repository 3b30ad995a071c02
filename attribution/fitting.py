"""Fitting the parameters to labels: calibrations by pairs, weights and thresholds by labels held out. Pure.

Nothing is chosen by how well it does on labels that taught it, and a threshold only where the upper limit of the
interval of its false matches stays under the target; else the packaged value stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attribution.calibration import Calibration, fitted
from attribution.evaluation import THRESHOLDS, Labelled, figures
from attribution.held_out import Asked, Bench, Decided, each_held_out
from attribution.parameters import FieldCalibrations, Parameters, Weights
from attribution.text import FIELDS, Field, exemplar_texts, problem_texts
from knowledge.causes import Attribution

FOLDS = 5
INNER_FOLDS = 3
ENOUGH_OTHER = 10_000
"""Pairs of different causes that it takes to know what one in ten thousand of them scores."""
ENOUGH_SAME = 100
MAX_TEXTS = 1_500
"""Texts of a field that are paired, of all there are: evenly spread over them."""
WEIGHTS = (Weights(), Weights(user_intent=0.1, error_pattern=0.8, step_context=0.1))
ABOVE = 0.0001
"""A cause's own threshold lies this much over the best wrong match that it made."""


@dataclass(frozen=True)
class Fitting:
    """Fits `base` to labels. `target` is the greatest share of false matches that is borne."""

    bench: Bench
    base: Parameters
    target: float

    def fit(self, labels: Sequence[Labelled]) -> Parameters:
        """Parameters fitted to `labels`."""
        calibrated = self.base.model_copy(update={"calibrations": self._calibrations(labels)})
        options = [self._best(labels, one) for one in self._weighted(calibrated)]
        return max(options, key=lambda option: option[0])[1]

    def _weighted(self, parameters: Parameters) -> list[Parameters]:
        """With each choice of weights, where more than one field informs."""
        several = any(len(parameters.informative_fields(encoder)) > 1 for encoder in self.bench.encoders)
        choices = WEIGHTS if several else (parameters.weights,)
        return [parameters.model_copy(update={"weights": weights}) for weights in choices]

    def _best(self, labels: Sequence[Labelled], parameters: Parameters) -> tuple[float, Parameters]:
        """The thresholds that cover most while the bound holds, and the share of labels that they cover."""
        held = [asked for asked, _ in each_held_out(self.bench, labels, INNER_FOLDS, lambda _: parameters)]
        choices = [at(parameters, threshold) for threshold in THRESHOLDS]
        tried = [(one, _together(held, one)) for one in (*choices, parameters)]
        borne = [(_coverage(decided), one) for one, decided in tried if self._holds(decided)]
        covered, chosen = max(borne, key=lambda pair: pair[0]) if borne else (0.0, parameters)
        return covered, chosen.model_copy(update={"thresholds": _own_thresholds(_together(held, chosen))})

    def _holds(self, decided: Decided) -> bool:
        found = figures(*_sides(decided))
        return found.false_match_upper is not None and found.false_match_upper <= self.target

    def _calibrations(self, labels: Sequence[Labelled]) -> dict[str, FieldCalibrations]:
        return {
            encoder: FieldCalibrations(**{name: self._calibration(encoder, name, labels) for name in FIELDS})
            for encoder in self.bench.encoders
        }

    def _calibration(self, encoder: str, field: Field, labels: Sequence[Labelled]) -> Calibration:
        """Measured on the pairs of texts that there are; the one of `base` where they are too few."""
        before = self.base.calibrations.get(encoder, FieldCalibrations()).of(field)
        owners, texts = self._texts(field, labels)
        vectors = self.bench.vectors(encoder, texts)
        kept = [number for number, text in enumerate(texts) if text in vectors]
        if len(kept) < 2:
            return before
        rows = np.asarray([vectors[texts[number]] for number in kept], dtype=np.float32)
        same, other = _pairs(rows, [owners[number] for number in kept])
        if len(same) < ENOUGH_SAME or len(other) < ENOUGH_OTHER:
            return before
        return fitted(same.tolist(), other.tolist())

    def _texts(self, field: Field, labels: Sequence[Labelled]) -> tuple[list[str | None], list[str]]:
        """Each distinct text of each cause (None: of no cause) and whose it is."""
        told = {
            (cause.cause_id, exemplar_texts(exemplar)[field])
            for cause in self.bench.causes
            if cause.enabled
            for exemplar in cause.exemplars
        }
        said = {(label.root_cause, problem_texts(label.problem)[field]) for label in labels}
        found = sorted((pair for pair in told | said if pair[1]), key=lambda pair: (pair[1], pair[0] or ""))
        step = max(1, -(-len(found) // MAX_TEXTS))
        return [owner for owner, _ in found[::step]], [text for _, text in found[::step]]


def at(parameters: Parameters, threshold: float) -> Parameters:
    """The parameters with another threshold: that of a lone encoder moves along, a cause's own only up."""
    lone = min(1.0, threshold + max(0.0, parameters.lone_threshold - parameters.threshold))
    own = {cause: max(threshold, value) for cause, value in parameters.thresholds.items()}
    return parameters.model_copy(update={"threshold": threshold, "lone_threshold": lone, "thresholds": own})


def _pairs(
    rows: NDArray[np.float32], owners: Sequence[str | None]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Cosines of pairs of one cause, and of pairs of two; two texts of no cause are no pair."""
    codes = {owner: number for number, owner in enumerate(sorted(set(owners), key=str))}
    whose = np.array([codes[owner] if owner else -1 for owner in owners])
    left, right = np.triu_indices(len(rows), 1)
    cosines = (rows @ rows.T)[left, right]
    known = (whose[left] >= 0) | (whose[right] >= 0)
    same = whose[left] == whose[right]
    return cosines[known & same], cosines[known & ~same]


def _own_thresholds(decided: Decided) -> dict[str, float]:
    """For each cause that took a case wrongly by its score: just over the best of those."""
    worst: dict[str, float] = {}
    for label, one in decided:
        if one.rung == "score" and one.root_cause and one.root_cause != label.root_cause:
            worst[one.root_cause] = max(worst.get(one.root_cause, 0.0), one.score or 0.0)
    return {cause: min(1.0, round(score + ABOVE, 4)) for cause, score in sorted(worst.items())}


def _together(held: Sequence[Asked], parameters: Parameters) -> Decided:
    return [pair for asked in held for pair in asked.under(parameters)]


def _coverage(decided: Decided) -> float:
    return figures(*_sides(decided)).coverage or 0.0


def _sides(decided: Decided) -> tuple[list[Labelled], list[Attribution]]:
    return [label for label, _ in decided], [one for _, one in decided]
