"""Other encoders for a project: measured before they decide, refused where they see less, and people's answers outlive them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from attribution.corrections import record_label
from attribution.encoder_change import Running, accept_encoders, measured_for, try_encoders
from attribution.encoders.hashing import HashingEncoder
from attribution.encoders.port import Encoder, Vectors
from attribution.fits import fit_in_force, parameters_in_force, roll_back
from attribution.parameters import default_parameters
from attribution.refit import TARGET
from attribution.stages import attribute, embed
from knowledge.causes import Attribution
from knowledge.errors import ConflictError, SettingsError
from knowledge.fits import EncoderSpec
from knowledge.kinds import ATTRIBUTIONS
from knowledge.stage import Shift
from knowledge.store import Query, Store
from tests.attribution.making import a_shift, cause, keep, problem

PACKAGED = default_parameters()
LOST, BROKEN = problem("parcel of the van is lost"), problem("parcel of the van is broken", count=8)
ODD = problem("the depot is closed today")


class Counting(HashingEncoder):
    """Another encoder than the packaged fake, which counts what it encodes."""

    def __init__(self) -> None:
        super().__init__(256)
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.encoded += texts
        return super().encode(texts)


class Blind(HashingEncoder):
    """Gives every text one vector."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        return np.tile(np.eye(1, self.dimension, dtype=np.float32), (len(texts), 1))


@pytest.fixture
def desk(shift: Shift) -> Shift:
    keep(
        shift,
        cause("RC-A", "parcel of the van is lost"),
        cause("RC-B", "parcel of the van is broken"),
        LOST,
        BROKEN,
        ODD,
    )
    return shift


def running() -> Running:
    return Running((HashingEncoder(),), PACKAGED)


def decisions(shift: Shift) -> dict[str, Attribution]:
    stored = shift.store.collection(shift.project, ATTRIBUTIONS).scan(Query())
    return {one.item.fingerprint: one.item for one in stored}


def test_an_encoder_without_a_calibration_gets_one_measured_as_the_packaged_ones_were() -> None:
    found = measured_for([Counting(), HashingEncoder()], PACKAGED)
    assert found.calibrations["hash-512"] == PACKAGED.calibrations["hash-512"]
    assert found.informative_fields("hash-256") == ("error_pattern",)
    assert found.threshold == PACKAGED.threshold


def test_an_encoder_that_runs_alone_takes_the_threshold_of_a_lone_one() -> None:
    assert measured_for([Counting()], PACKAGED).threshold == PACKAGED.lone_threshold
    assert measured_for([HashingEncoder()], PACKAGED).threshold == PACKAGED.threshold, "it runs so already"


def test_a_trial_tells_which_problems_would_be_decided_otherwise_and_decides_nothing(desk: Shift) -> None:
    keep(desk, cause("RC-C", "depot closed today, come again"))
    trial = try_encoders(desk, [HashingEncoder(128)], running(), PACKAGED, TARGET)
    before = {one.fingerprint: (one.was, one.was_cause) for one in trial.moved}
    assert trial.problems == 3
    assert sum(trial.moves.values()) == len(trial.moved)
    assert LOST.fingerprint not in before, "it says what an exemplar says, whatever the encoder"
    assert decisions(desk) == {}
    assert fit_in_force(desk) is None


def test_trying_twice_encodes_each_text_once_and_leaves_the_vectors_that_are_in_use(desk: Shift) -> None:
    embed(desk, [HashingEncoder()])
    encoder = Counting()
    try_encoders(desk, [encoder], running(), PACKAGED, TARGET)
    first = [text for text in encoder.encoded if "parcel" in text or "depot" in text]
    assert len(first) == len(set(first))
    encoder.encoded.clear()
    try_encoders(desk, [encoder], running(), PACKAGED, TARGET)
    assert not [text for text in encoder.encoded if "depot" in text]
    assert embed(desk, [HashingEncoder()]).counts["encoded"] == 0


def test_an_encoder_that_tells_nothing_apart_is_refused(desk: Shift) -> None:
    trial = try_encoders(desk, [Blind(64)], running(), PACKAGED, TARGET)
    assert trial.obstacle is not None
    assert "hash-64 does not tell the errors of different causes apart" in trial.obstacle
    with pytest.raises(ConflictError, match="what ran before goes on"):
        accept_encoders(desk, trial, [EncoderSpec(name="blind")], "mei", "hope")
    assert fit_in_force(desk) is None


def test_what_is_accepted_is_a_fit_that_can_be_rolled_back(desk: Shift) -> None:
    encoder = Counting()
    trial = try_encoders(desk, [encoder], running(), PACKAGED, TARGET)
    fit = accept_encoders(desk, trial, [EncoderSpec(name="counting")], "mei", "it reads more")
    assert (fit.encoders, fit.specs) == (("hash-256",), (EncoderSpec(name="counting"),))
    assert parameters_in_force(desk, [encoder], PACKAGED) == trial.parameters
    with pytest.raises(SettingsError, match="what is found there now is hash-64"):
        parameters_in_force(desk, [HashingEncoder(64)], PACKAGED)
    roll_back(desk, "mei", "it reads less")
    assert parameters_in_force(desk, [HashingEncoder()], PACKAGED) == PACKAGED


def test_what_people_said_outlives_a_change_of_encoder(store: Store) -> None:
    first, later = a_shift(store), a_shift(store, 1)
    keep(
        first,
        cause("RC-A", "parcel of the van is lost"),
        cause("RC-B", "parcel of the van is broken"),
        LOST,
        BROKEN,
        ODD,
    )
    old: tuple[Encoder, ...] = (HashingEncoder(),)
    attribute(first, old, PACKAGED)
    record_label(first, ODD.fingerprint, "confirm", "RC-B", "mei", "the depot broke it")
    record_label(first, LOST.fingerprint, "reject", "RC-A", "mei", "it was stolen")
    record_label(first, BROKEN.fingerprint, "reassign", None, "mei", "no template fits")

    encoder = Counting()
    trial = try_encoders(later, [encoder], running(), PACKAGED, TARGET)
    assert not [one for one in trial.moved if one.fingerprint in {ODD.fingerprint, BROKEN.fingerprint}]
    accept_encoders(later, trial, [EncoderSpec(name="counting")], "mei", "it reads more")
    attribute(later, (encoder,), parameters_in_force(later, (encoder,), PACKAGED))

    found = decisions(later)
    assert (found[ODD.fingerprint].root_cause, found[ODD.fingerprint].rung) == ("RC-B", "confirmed")
    assert found[LOST.fingerprint].root_cause != "RC-A"
    assert (found[BROKEN.fingerprint].verdict, found[BROKEN.fingerprint].rung) == ("unmatched", "person")


def test_where_what_ran_cannot_be_loaded_the_last_decisions_are_compared_with(desk: Shift) -> None:
    attribute(desk, (HashingEncoder(),), PACKAGED)
    keep(desk, cause("RC-C", "the depot is closed today"))
    trial = try_encoders(desk, [Counting()], None, PACKAGED, TARGET)
    assert [(one.fingerprint, one.becomes_cause) for one in trial.moved] == [(ODD.fingerprint, "RC-C")]
