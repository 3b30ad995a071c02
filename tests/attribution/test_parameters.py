from __future__ import annotations

import pytest

from attribution.encoders.hashing import HashingEncoder
from attribution.encoders.registry import ENCODERS, make_encoder
from attribution.parameters import Parameters, check_parameters, default_parameters
from knowledge.errors import SettingsError
from tests.attribution.making import plain_parameters


def test_the_defaults_know_every_encoder_of_the_registry() -> None:
    check_parameters(default_parameters(), [make_encoder(name) for name in ENCODERS])


def test_by_default_only_the_error_text_informs() -> None:
    parameters = default_parameters()
    for name in ENCODERS:
        assert parameters.informative_fields(make_encoder(name).id) == ("error_pattern",)


def test_an_encoder_without_a_calibration_is_an_error_at_the_start() -> None:
    with pytest.raises(SettingsError, match="no calibration for the encoder hash-512"):
        check_parameters(plain_parameters("another"), [HashingEncoder()])


def test_the_same_encoder_twice_is_refused() -> None:
    with pytest.raises(SettingsError, match="not all different"):
        check_parameters(plain_parameters("hash-512"), [HashingEncoder(), HashingEncoder()])


def test_no_encoder_at_all_is_refused() -> None:
    with pytest.raises(SettingsError, match="needs an encoder"):
        check_parameters(plain_parameters("hash-512"), [])


def test_parameters_survive_being_written_and_read() -> None:
    parameters = default_parameters()
    assert Parameters.model_validate_json(parameters.model_dump_json()) == parameters
    assert parameters.threshold == 0.85
    assert (parameters.weights.user_intent, parameters.weights.error_pattern) == (0.4, 0.3)
