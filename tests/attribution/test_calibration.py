from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from attribution.calibration import FLAT, Calibration, fitted

BENT = Calibration(knots=((0.1, 0.0), (0.5, 0.5), (0.8, 0.85), (1.0, 1.0)))


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=50))
def test_the_hinges_are_the_piecewise_linear_map(cosines: list[float]) -> None:
    given_ = np.asarray(cosines, dtype=np.float32)
    expected = np.interp(given_, [knot for knot, _ in BENT.knots], [score for _, score in BENT.knots])
    assert np.allclose(BENT.apply(given_), expected, atol=2e-6)


@given(st.floats(-1, 1, width=32), st.floats(-1, 1, width=32))
def test_a_greater_cosine_never_scores_less(one: float, other: float) -> None:
    low, high = BENT.apply(np.asarray(sorted([one, other]), dtype=np.float32))
    assert low <= high + 1e-6


@pytest.mark.parametrize(
    "knots", [((0.5, 0.5), (0.4, 0.6)), ((0.1, 0.6), (0.5, 0.5)), ((0.1, 0.1), (0.1, 0.2)), ()]
)
def test_a_map_that_falls_or_stands_is_refused(knots: tuple[tuple[float, float], ...]) -> None:
    with pytest.raises(ValidationError):
        Calibration(knots=knots)


def test_a_flat_map_does_not_inform() -> None:
    assert not FLAT.informative
    assert BENT.informative


def test_fitting_puts_the_threshold_where_almost_no_other_cause_reaches() -> None:
    random = np.random.default_rng(7)
    other, same = random.normal(0.2, 0.1, 20_000), random.normal(0.5, 0.2, 2_000)
    calibration = fitted(list(same), list(other))
    scores = calibration.apply(np.asarray(other, dtype=np.float32))
    assert np.mean(scores >= 0.85) <= 2e-4
    assert np.mean(scores >= 0.5) == pytest.approx(0.01, abs=0.002)
    assert calibration.pairs == (2_000, 20_000)


def test_a_field_that_looks_alike_for_all_causes_calibrates_to_flat() -> None:
    random = np.random.default_rng(8)
    assert not fitted(list(random.normal(0.4, 0.1, 500)), list(random.normal(0.4, 0.1, 9_000))).informative


def test_few_pairs_are_no_evidence_that_a_field_informs() -> None:
    assert not fitted([0.1, 0.9], [0.1, 0.2, 0.3, 0.95]).informative
