"""Decisions by preselected causes are those by all causes, on every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from attribution.answers import read_answers
from attribution.attributor import Attributor
from attribution.calibration import Calibration
from attribution.encoders.hashing import HashingEncoder
from attribution.encoders.port import Encoder, Vectors
from attribution.parameters import FieldCalibrations, Parameters, default_parameters
from attribution.preselection import Preselection
from ingest.error_kind import error_kind
from ingest.text import error_pattern
from knowledge.cases import Problem
from knowledge.causes import Attribution, Exemplar, RootCause
from knowledge.store import Store
from tests.attribution.making import NOW, TableEncoder, cause, plain_parameters, problem
from tests.attribution.test_label_set import CAUSES, LABELS

THINGS = [
    "parcel",
    "van",
    "depot",
    "driver",
    "refund",
    "订单",
    "发票",
    "客户",
    "invoice",
    "seat",
    "ticket",
    "voucher",
]
FAULTS = [
    "was lost",
    "came late",
    "is not found",
    "was refused",
    "已过期",
    "找不到",
    "must be positive",
    "is locked",
]
PLACES = ["in transit", "at the gate", "by the bank", "on delivery", "在仓库", "for this user"]
BENT = Calibration(knots=((0.1, 0.0), (0.4, 0.5), (0.8, 0.85), (1.0, 1.0)))


def decided(
    causes: Sequence[RootCause],
    problems: Sequence[Problem],
    encoders: Sequence[Encoder],
    parameters: Parameters,
    preselection: Preselection | None = None,
) -> list[Attribution]:
    by_id = {encoder.id: encoder for encoder in encoders}

    def find(encoder: str, texts: Sequence[str]) -> Mapping[str, Vectors]:
        read = sorted({text for text in texts if text and by_id[encoder].reads(text)})
        return dict(zip(read, by_id[encoder].encode(read), strict=True)) if read else {}

    attributor = Attributor(causes, read_answers([]), parameters, tuple(by_id), find, NOW, preselection)
    return list(attributor.attribute(problems))


def assert_same(some: Sequence[Attribution], others: Sequence[Attribution]) -> None:
    for one, other in zip(some, others, strict=True):
        assert (one.fingerprint, one.verdict, one.root_cause) == (
            other.fingerprint,
            other.verdict,
            other.root_cause,
        )
        for mine, yours in ((one.winner, other.winner), (one.runner_up, other.runner_up)):
            assert (mine is None) == (yours is None)
            if mine and yours:
                assert (mine.cause_id, mine.exemplar) == (yours.cause_id, yours.exemplar)
                assert mine.score == pytest.approx(yours.score, abs=2e-4)


def sentences(random: np.random.Generator, count: int) -> list[str]:
    return [
        " ".join(str(random.choice(some)) for some in (THINGS, FAULTS, PLACES, THINGS)) for _ in range(count)
    ]


def made_up(random: np.random.Generator, count: int) -> list[str]:
    letters = list("abcdefghiklmnoprstuvw")
    return ["".join(random.choice(letters, 6)) for _ in range(count)]


def many_causes(seed: int, causes: int, each: int) -> list[RootCause]:
    """Causes with words of their own, each also told in words that they share."""
    random = np.random.default_rng(seed)
    told: list[RootCause] = []
    for n in range(causes):
        own = made_up(random, 5)
        texts = [" ".join([*random.permutation(own), str(random.choice(THINGS))]) for _ in range(each - 2)]
        told.append(cause(f"RC-{n:03}", *texts, *sentences(random, 2)))
    return told


def test_thousands_of_exemplars_give_the_same_decisions(store: Store) -> None:
    causes = many_causes(1, 300, 10)
    random = np.random.default_rng(2)
    known = [causes[int(n)].exemplars[0].error_pattern for n in random.choice(300, 50)]
    twisted = [" ".join([*text.split()[1:], "driver"]) for text in known]
    texts = [*known, *twisted, *sentences(random, 50), *(" ".join(made_up(random, 5)) for _ in range(30))]
    problems = [problem(text, tool=f"t{n}") for n, text in enumerate(texts)]
    by = Preselection(store.neighbours, "desk", above=100, count=20)
    encoders = (HashingEncoder(),)
    every = decided(causes, problems, encoders, default_parameters())
    assert_same(decided(causes, problems, encoders, default_parameters(), by), every)
    assert by.proofs.proved + by.proofs.exhaustive == len(problems)
    assert by.proofs.proved > by.proofs.exhaustive
    assert {one.verdict for one in every} == {"matched", "abstained", "unmatched"}


def test_several_fields_that_some_exemplars_lack_give_the_same_decisions(store: Store) -> None:
    random = np.random.default_rng(3)
    first, second = sentences(random, 600), sentences(random, 600)
    causes = [
        cause(f"RC-{n:03}").model_copy(
            update={
                "exemplars": tuple(
                    Exemplar(error_pattern=first[i] if i % 3 else "", user_intent=second[i] if i % 4 else "")
                    for i in range(n * 5, n * 5 + 5)
                    if i % 3 or i % 4
                )
            }
        )
        for n in range(120)
    ]
    problems = [
        problem(first[(n * 7) % 600], tool=f"t{n}", user_intent=second[n] if n % 2 else "") for n in range(80)
    ]
    encoder = HashingEncoder()
    fields = FieldCalibrations(error_pattern=BENT, user_intent=BENT)
    parameters = Parameters(calibrations={encoder.id: fields})
    by = Preselection(store.neighbours, "desk", above=0, count=30)
    assert_same(
        decided(causes, problems, [encoder], parameters, by), decided(causes, problems, [encoder], parameters)
    )
    assert by.proofs.proved > 0


def rivals(distance: float, count: int) -> dict[str, tuple[float, ...]]:
    """A problem, and exemplars whose cosines with it go down from 0.95 by `distance`."""
    table = {"asked": (1.0, 0.0, 0.0)}
    for n in range(count):
        cosine = 0.95 - n * distance
        rest = float(np.sqrt(1 - cosine * cosine))
        table[f"rival {chr(97 + n // 26)}{chr(97 + n % 26)}"] = (cosine, rest * np.cos(n), rest * np.sin(n))
    return table


@pytest.mark.parametrize("distance", [0.0, 1e-7, 2e-5, 5e-5, 1e-4, 1e-3])
def test_near_ties_of_many_causes_never_let_another_win(store: Store, distance: float) -> None:
    table = rivals(distance, 60)
    names = [name for name in table if name != "asked"]
    order = np.random.default_rng(5).permutation(len(names))
    causes = [cause(f"RC-{place:03}", names[row]) for place, row in enumerate(order)]
    encoders = [TableEncoder("one", table)]
    by = Preselection(store.neighbours, "desk", above=0, count=2)
    every = decided(causes, [problem("asked")], encoders, plain_parameters("one"))
    assert_same(decided(causes, [problem("asked")], encoders, plain_parameters("one"), by), every)
    assert by.proofs.proved + by.proofs.exhaustive == 1


def test_what_cannot_be_proved_is_said_and_all_causes_are_scored(store: Store) -> None:
    table = rivals(0.0, 60)
    causes = [cause(f"RC-{n:03}", name) for n, name in enumerate(table) if name != "asked"]
    by = Preselection(store.neighbours, "desk", above=0, count=2, rounds=2)
    decided(causes, [problem("asked")], [TableEncoder("one", table)], plain_parameters("one"), by)
    assert (by.proofs.proved, by.proofs.exhaustive) == (0, 1)


def test_an_encoder_with_a_favourite_of_its_own_is_heard(store: Store) -> None:
    """The second encoder prefers a cause that neither encoder finds near at first."""
    one, two = {"asked": (1.0, 0.0)}, {"asked": (1.0, 0.0)}
    for n in range(40):
        text = f"text {chr(97 + n // 26)}{chr(97 + n % 26)}"
        one[text] = (0.99 - n * 0.02, 0.3)
        two[text] = (0.5 + ((n * 17) % 40) * 0.012, 0.2)
    causes = [cause(f"RC-{n:03}", text) for n, text in enumerate(one) if text != "asked"]
    encoders = [TableEncoder("one", one), TableEncoder("two", two)]
    parameters = plain_parameters("one", "two")
    by = Preselection(store.neighbours, "desk", above=0, count=3)
    every = decided(causes, [problem("asked")], encoders, parameters)
    assert_same(decided(causes, [problem("asked")], encoders, parameters, by), every)


def test_a_cause_that_is_not_allowed_takes_no_place(store: Store) -> None:
    table = rivals(0.002, 50)
    causes = [
        cause(f"RC-{n:03}", name, error_kinds=("not_found",) if n < 40 else ())
        for n, name in enumerate(table)
        if name != "asked"
    ]
    by = Preselection(store.neighbours, "desk", above=0, count=3)
    (found,) = decided(causes, [problem("asked")], [TableEncoder("one", table)], plain_parameters("one"), by)
    assert found.winner is not None
    assert found.winner.cause_id == "RC-040"


class Remembering:
    """An encoder that encodes each text once for all tests."""

    def __init__(self, encoder: Encoder) -> None:
        self.id, self.dimension, self.reads = encoder.id, encoder.dimension, encoder.reads
        self._encoder, self._rows = encoder, dict[str, Vectors]()

    def encode(self, texts: Sequence[str]) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in self._rows]
        self._rows.update(zip(new, self._encoder.encode(new), strict=True) if new else ())
        return np.array([self._rows[text] for text in texts], dtype=np.float32)


@pytest.fixture(scope="module")
def remembering(default_encoders: tuple[Encoder, ...]) -> list[Encoder]:
    return [Remembering(encoder) for encoder in default_encoders]


def test_the_label_set_is_decided_the_same_with_the_default_encoders(
    store: Store, remembering: list[Encoder]
) -> None:
    problems = [
        problem(error_pattern(text), fingerprint=entry["id"], error_message=text, error_kind=error_kind(text))
        for entry in LABELS
        for text in [entry["case"]["error_message"]]
    ]
    by = Preselection(store.neighbours, "desk", above=0, count=20)
    every = decided(CAUSES, problems, remembering, default_parameters())
    assert_same(decided(CAUSES, problems, remembering, default_parameters(), by), every)
    assert by.proofs.proved > by.proofs.exhaustive
