"""Intervals of shares, differences and ratios, against published figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies.intervals import compared, difference, wilson

COUNTS = st.integers(1, 400).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


def test_wilsons_interval_is_that_of_newcombes_paper() -> None:
    # Newcombe 1998a, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    for count, of, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)):
        found = wilson(count, of)
        assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_newcombes_difference_is_that_of_his_paper() -> None:
    # Newcombe 1998b, table II, method 10: 56/70 - 48/80, 9/10 - 3/10, 0/10 - 0/10.
    for one, other, low, high in (
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((0, 10), (0, 10), -0.2775, 0.2775),
    ):
        found = difference(wilson(*one), wilson(*other))
        assert (round(found[0], 4), round(found[1], 4)) == (low, high)


def test_nothing_against_something_is_all_gone_and_the_interval_says_how_surely() -> None:
    found = compared((0, 200), (40, 200))
    assert found.change == -1.0
    assert found.change_low == -1.0
    assert found.change_high is not None
    assert -0.95 < found.change_high < -0.85


def test_without_a_run_to_compare_with_there_is_no_ratio() -> None:
    assert compared((3, 50), (0, 50)).change is None
    assert wilson(0, 0).high == 1.0


@given(COUNTS, COUNTS)
def test_intervals_hold_what_they_are_of(one: tuple[int, int], other: tuple[int, int]) -> None:
    found = compared(one, other)
    assert found.treated.low <= found.treated.rate <= found.treated.high
    assert found.difference_low <= found.difference <= found.difference_high
    if found.change is not None:
        assert found.change_low is not None
        assert found.change_high is not None
        assert found.change_low <= found.change + 1e-9
        assert found.change_high >= found.change - 1e-9


@given(COUNTS, COUNTS)
def test_a_ratio_says_no_change_exactly_where_a_difference_does(
    one: tuple[int, int], other: tuple[int, int]
) -> None:
    found = compared(one, other)
    if found.change_low is None or found.change_high is None:
        return
    apart = found.difference_low > 1e-6 or found.difference_high < -1e-6
    changed = found.change_low > 1e-6 or found.change_high < -1e-6
    close = min(abs(found.difference_low), abs(found.difference_high)) < 1e-3
    assert apart == changed or close


def test_a_share_of_all_runs_is_certain_only_as_far_as_its_runs_go() -> None:
    assert wilson(5, 5).high == 1.0
    assert wilson(5, 5).low == pytest.approx(0.5655, abs=1e-4)
