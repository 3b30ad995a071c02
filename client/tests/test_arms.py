"""Shares of runs."""

from __future__ import annotations

from errata_client.arms import arm_of, in_share

RUNS = [f"run-{number}" for number in range(2_000)]


def test_a_share_holds_about_that_part_of_the_runs_and_always_the_same() -> None:
    chosen = [run for run in RUNS if in_share(run, "salt", 0.2)]
    assert 320 < len(chosen) < 480
    assert chosen == [run for run in RUNS if in_share(run, "salt", 0.2)]


def test_a_larger_share_holds_the_smaller_one() -> None:
    small = {run for run in RUNS if in_share(run, "salt", 0.1)}
    assert small < {run for run in RUNS if in_share(run, "salt", 0.3)}


def test_nothing_and_everything_are_shares_too() -> None:
    assert not any(in_share(run, "salt", 0.0) for run in RUNS)
    assert all(in_share(run, "salt", 1.0) for run in RUNS)


def test_shares_with_different_salts_are_independent() -> None:
    both = [run for run in RUNS if in_share(run, "a", 0.5) and in_share(run, "b", 0.5)]
    assert 400 < len(both) < 600


def test_the_arm_follows_the_project_and_its_holdout() -> None:
    arms = {project: [arm_of(run, project, 0.5) for run in RUNS] for project in ("a", "b")}
    assert arms["a"] != arms["b"]
    assert set(arms["a"]) == {"treated", "holdout"}
    assert {arm_of(run, "a", 0.0) for run in RUNS} == {"treated"}


def test_this_exact_split_is_what_every_client_and_the_service_agree_on() -> None:
    """Written down, since a client of another version must not split otherwise."""
    assert [run for run in RUNS[:40] if in_share(run, "holdout:shop", 0.1)] == [
        "run-0",
        "run-2",
        "run-17",
        "run-32",
        "run-36",
    ]
