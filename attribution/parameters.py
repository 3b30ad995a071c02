"""The parameters of attribution: weights, threshold, margin, band and calibrations, as data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import Annotated

import yaml
from pydantic import Field as Setting

from attribution.calibration import FLAT, Calibration
from attribution.encoders.port import Encoder
from attribution.text import FIELDS, Field
from errata_client.model import Model
from knowledge.errors import SettingsError

Positive = Annotated[float, Setting(ge=0.0, le=1.0)]


class FieldCalibrations(Model):
    """One encoder's calibration of each field; a field that is not named does not inform."""

    user_intent: Calibration = FLAT
    error_pattern: Calibration = FLAT
    step_context: Calibration = FLAT

    def of(self, field: Field) -> Calibration:
        """The calibration of `field`."""
        calibration: Calibration = getattr(self, field)
        return calibration


class Weights(Model):
    """What each field counts, before those that do not inform are left out and the others renormalised."""

    user_intent: Positive = 0.4
    error_pattern: Positive = 0.3
    step_context: Positive = 0.3

    def of(self, field: Field) -> float:
        """The weight of `field`."""
        weight: float = getattr(self, field)
        return weight


class Parameters(Model):
    """Everything that a decision depends on besides texts and answers. `calibrations` is keyed by encoder id.

    A cause is matched at `threshold` or above, `margin` ahead of the next cause; between `threshold` - `band` and
    `threshold` a person decides. Where only one of several running encoders reads the text, nobody can disagree with it,
    and `lone_threshold` takes the threshold's place unless the template sets its own. `thresholds` are those that a fit
    found for single causes; one that a person wrote into the template goes before. Where the wordings settle nothing, a problem is
    matched whose text speaks of one kind of mistake with a cause's by a chance of `sense_threshold`, and of no other cause's by
    more than `sense_rival`. `min_support` is how many cases a cluster of unmatched problems needs to become a work order.
    """

    weights: Weights = Weights()
    threshold: float = Setting(0.85, ge=0.5, le=1.0)
    lone_threshold: float = Setting(0.9, ge=0.5, le=1.0)
    margin: float = Setting(0.08, ge=0.0, le=0.5)
    band: float = Setting(0.1, ge=0.0, le=0.5)
    sense_threshold: float = Setting(0.85, ge=0.5, le=1.0)
    sense_rival: float = Setting(0.2, ge=0.0, le=0.5)
    min_support: int = Setting(3, ge=1)
    thresholds: dict[str, float] = Setting(default_factory=dict)
    calibrations: dict[str, FieldCalibrations]

    def informative_fields(self, encoder: str) -> tuple[Field, ...]:
        """The fields that tell causes apart for this encoder; none for an unknown one."""
        known = self.calibrations.get(encoder, FieldCalibrations())
        return tuple(field for field in FIELDS if known.of(field).informative and self.weights.of(field) > 0)


@lru_cache(maxsize=1)
def default_parameters() -> Parameters:
    """The packaged parameters: measured for the packaged encoders, see docs/attribution.md."""
    text = resources.files("attribution").joinpath("defaults.yaml").read_text(encoding="utf-8")
    return Parameters.model_validate(yaml.safe_load(text))


def check_parameters(parameters: Parameters, encoders: Sequence[Encoder]) -> None:
    """SettingsError where an encoder has no calibration of its own, or two have one id: a score would mean nothing."""
    ids = [encoder.id for encoder in encoders]
    if not ids:
        raise SettingsError("attribution needs an encoder: name one in ERRATA_ENCODERS, such as minilm")
    if len(set(ids)) < len(ids):
        raise SettingsError(f"the encoders {', '.join(ids)} are not all different: name each once")
    missing = sorted(set(ids) - set(parameters.calibrations))
    if missing:
        known = ", ".join(sorted(parameters.calibrations)) or "none"
        raise SettingsError(
            f"no calibration for the encoder {', '.join(missing)}: the parameters were fitted for {known}. Run those "
            "encoders, and put this one in force for a project: `errata encoders try NAME…` measures what it would change, "
            "`errata encoders accept NAME…` does it"
        )
