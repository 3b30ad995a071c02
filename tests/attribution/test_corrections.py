from __future__ import annotations

import pytest

from attribution.corrections import record_label
from attribution.encoders.port import Encoder
from attribution.parameters import default_parameters
from attribution.stages import attribute
from knowledge.errors import BadInputError, NotFoundError
from knowledge.kinds import AUDIT, LABELS
from knowledge.stage import Shift
from knowledge.store import Query
from tests.attribution.making import cause, keep, problem

ASKED = problem("parcel is lost")


@pytest.fixture
def decided(shift: Shift, fake: tuple[Encoder, ...]) -> Shift:
    keep(shift, cause("RC-A", "parcel is lost"), cause("RC-B", "the van broke down"), ASKED)
    attribute(shift, fake, default_parameters())
    return shift


def labels(shift: Shift) -> list[tuple[str, str | None]]:
    stored = shift.store.collection(shift.project, LABELS).scan(Query())
    return sorted((one.item.answer, one.item.root_cause) for one in stored)


def test_an_answer_keeps_the_texts_that_it_was_given_on(decided: Shift) -> None:
    label = record_label(decided, ASKED.fingerprint, "confirm", None, "mei", "checked the tracking page")
    assert (label.root_cause, label.error_pattern, label.at) == ("RC-A", "parcel is lost", decided.now)
    (entry,) = decided.store.collection(decided.project, AUDIT).scan(Query())
    assert (entry.item.actor, entry.item.action, entry.item.target) == (
        "mei",
        "problem.confirm",
        ASKED.fingerprint,
    )


def test_reassigning_rejects_the_cause_that_the_problem_had(decided: Shift) -> None:
    record_label(decided, ASKED.fingerprint, "reassign", "RC-B", "mei", "it was the van")
    assert labels(decided) == [("reassign", "RC-B"), ("reject", "RC-A")]


def test_the_same_answer_sent_twice_is_kept_once(decided: Shift) -> None:
    for _ in range(2):
        record_label(decided, ASKED.fingerprint, "confirm", "RC-A", "mei", "sure")
    assert labels(decided) == [("confirm", "RC-A")]


def test_answers_about_nothing_are_refused(decided: Shift) -> None:
    with pytest.raises(NotFoundError, match="no problem nowhere"):
        record_label(decided, "nowhere", "confirm", "RC-A", "mei", "sure")
    with pytest.raises(NotFoundError, match="no root cause RC-X"):
        record_label(decided, ASKED.fingerprint, "confirm", "RC-X", "mei", "sure")
    with pytest.raises(BadInputError, match="reason"):
        record_label(decided, ASKED.fingerprint, "confirm", "RC-A", "mei", "  ")
    assert labels(decided) == []


def test_there_must_be_a_cause_to_confirm(shift: Shift) -> None:
    keep(shift, ASKED)
    with pytest.raises(BadInputError, match="has no root cause yet"):
        record_label(shift, ASKED.fingerprint, "confirm", None, "mei", "sure")
