from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attribution.calibration import Calibration
from attribution.exemplars import Known
from attribution.parameters import FieldCalibrations, Parameters
from attribution.ranking import Ranking
from attribution.rows import Rows
from attribution.scoring import DECIMALS, FEW, NOTHING, TILE, Channel, best_of_causes, mean_of, score_pairs
from attribution.text import FIELDS, Field
from knowledge.causes import Exemplar
from tests.attribution.making import angle, plain_parameters

BENT = Calibration(knots=((-0.2, 0.1), (0.3, 0.5), (0.9, 1.0)))
WEIGHTS: Mapping[Field, float] = {"user_intent": 0.4, "error_pattern": 0.3, "step_context": 0.3}
CHANNELS = tuple(Channel("e", field, WEIGHTS[field], BENT) for field in FIELDS)


def some_rows(random: np.random.Generator, count: int, share: float) -> Rows:
    vectors = random.standard_normal((count, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    present = random.random(count) < share
    vectors[~present] = 0.0
    return Rows(vectors, present)


def by_the_formula(
    exemplars: Mapping[Channel, Rows], problems: Mapping[Channel, Rows], x: int, p: int
) -> float:
    weighted = total = 0.0
    for channel in CHANNELS:
        if exemplars[channel].present[x] and problems[channel].present[p]:
            cosine = float(exemplars[channel].vectors[x] @ problems[channel].vectors[p])
            weighted += channel.weight * float(np.interp(cosine, *zip(*BENT.knots, strict=True)))
            total += channel.weight
    return weighted / total if total else float(NOTHING)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.3, 0.8, 1.0]))
def test_blocked_scores_are_the_weighted_formula_over_the_fields_that_both_have(
    seed: int, share: float
) -> None:
    random = np.random.default_rng(seed)
    exemplars = {channel: some_rows(random, 7, share) for channel in CHANNELS}
    problems = {channel: some_rows(random, 5, share) for channel in CHANNELS}
    scores = score_pairs(CHANNELS, exemplars, problems)
    expected = [[by_the_formula(exemplars, problems, x, p) for p in range(5)] for x in range(7)]
    assert np.allclose(scores, expected, atol=1e-5)


def test_tiles_and_blocks_do_not_change_a_score() -> None:
    random = np.random.default_rng(1)
    exemplars = {channel: some_rows(random, TILE + 3, 1.0) for channel in CHANNELS}
    problems = {channel: some_rows(random, 4, 1.0) for channel in CHANNELS}
    last = {channel: Rows(rows.vectors[TILE:], rows.present[TILE:]) for channel, rows in exemplars.items()}
    whole = score_pairs(CHANNELS, exemplars, problems)
    assert np.allclose(whole[TILE:], score_pairs(CHANNELS, last, problems), atol=1e-6)


def test_an_exemplar_that_one_of_the_readers_cannot_read_is_not_scored_by_the_other_alone() -> None:
    scores = [np.array([[0.9], [NOTHING]], dtype=np.float32), np.array([[0.7], [0.8]], dtype=np.float32)]
    both = mean_of(scores, [np.array([True]), np.array([True])])
    assert both[:, 0] == pytest.approx([0.8, -1.0])
    alone = mean_of(scores, [np.array([False]), np.array([True])])
    assert alone[:, 0] == pytest.approx([0.7, 0.8])


def known(cause_id: str, text: str) -> Known:
    texts: dict[Field, str] = {"user_intent": "", "error_pattern": text, "step_context": ""}
    return Known(cause_id, Exemplar(error_pattern=text), texts)


def ask(text: str) -> dict[Field, str]:
    return {"user_intent": "", "error_pattern": text, "step_context": ""}


def test_the_best_exemplar_of_each_cause_counts_and_the_two_best_causes_are_named() -> None:
    table = {"p": angle(1.0), "far": angle(0.2), "near": angle(0.9), "second": angle(0.6)}
    vectors = {"e": {text: np.asarray(vector, dtype=np.float32) for text, vector in table.items()}}
    ranking = Ranking(
        [known("RC-A", "far"), known("RC-A", "near"), known("RC-B", "second")], vectors, plain_parameters("e")
    )
    (ranked,) = ranking.rank([ask("p")], [{"RC-A", "RC-B"}])
    assert ranked.winner is not None
    assert ranked.runner_up is not None
    assert (ranked.winner.cause_id, ranked.winner.score, ranked.winner.exemplar) == ("RC-A", 0.9, "near")
    assert ranked.winner.components.error_pattern == 0.9
    assert ranked.winner.components.user_intent is None
    assert (ranked.runner_up.cause_id, ranked.runner_up.score) == ("RC-B", 0.6)
    (gated,) = ranking.rank([ask("p")], [{"RC-B"}])
    assert gated.winner is not None
    assert gated.winner.cause_id == "RC-B"
    assert gated.runner_up is None


def test_encoders_that_like_different_causes_are_named() -> None:
    vectors = {
        "one": {
            t: np.asarray(v, dtype=np.float32)
            for t, v in {"p": angle(1.0), "a": angle(0.99), "b": angle(0.9)}.items()
        },
        "two": {
            t: np.asarray(v, dtype=np.float32)
            for t, v in {"p": angle(1.0), "a": angle(0.9), "b": angle(0.95)}.items()
        },
    }
    ranking = Ranking([known("RC-A", "a"), known("RC-B", "b")], vectors, plain_parameters("one", "two"))
    (ranked,) = ranking.rank([ask("p")], [{"RC-A", "RC-B"}])
    assert ranked.winner is not None
    assert ranked.winner.cause_id == "RC-A"
    assert dict(ranked.dissent) == {"two": "RC-B"}
    assert ranked.winner.by_encoder == {"one": 0.99, "two": 0.9}


def test_a_field_that_does_not_inform_drops_out_and_the_rest_is_renormalised() -> None:
    table = {"p": angle(1.0), "x": angle(0.9), "intent": angle(1.0), "other intent": angle(0.0)}
    vectors = {"e": {text: np.asarray(vector, dtype=np.float32) for text, vector in table.items()}}
    texts: dict[Field, str] = {"user_intent": "other intent", "error_pattern": "x", "step_context": ""}
    exemplar = Known("RC-A", Exemplar(error_pattern="x", user_intent="other intent"), texts)
    asked: dict[Field, str] = {"user_intent": "intent", "error_pattern": "p", "step_context": ""}
    (ranked,) = Ranking([exemplar], vectors, plain_parameters("e")).rank([asked], [{"RC-A"}])
    plain = plain_parameters("e").calibrations["e"].error_pattern
    informing = Parameters(calibrations={"e": FieldCalibrations(user_intent=plain, error_pattern=plain)})
    (mixed,) = Ranking([exemplar], vectors, informing).rank([asked], [{"RC-A"}])
    assert ranked.winner is not None
    assert mixed.winner is not None
    assert ranked.winner.score == 0.9
    assert mixed.winner.score == pytest.approx((0.3 * 0.9 + 0.4 * 0.0) / 0.7, abs=1e-4)


def test_a_problem_that_no_encoder_reads_has_no_readers() -> None:
    vectors = {"e": {"x": np.asarray(angle(1.0), dtype=np.float32)}}
    (ranked,) = Ranking([known("RC-A", "x")], vectors, plain_parameters("e")).rank([ask("?")], [{"RC-A"}])
    assert ranked.readers == ()
    assert ranked.winner is None


def test_a_few_problems_get_the_best_scores_that_they_get_among_many() -> None:
    rng = np.random.default_rng(3)
    scores = rng.random((30, FEW + 40), dtype=np.float32)
    spans = [(0, 1), (1, 8), (8, 30)]
    allowed = rng.random((3, FEW + 40)) < 0.7
    among_many = best_of_causes(scores, spans, allowed)
    few = best_of_causes(scores[:, :5], spans, allowed[:, :5])
    assert np.array_equal(few, among_many[:, :5])
    assert few[2, 0] in {NOTHING, np.round(scores[8:30, 0].max(), DECIMALS)}
