from __future__ import annotations

from pathlib import Path

import pytest

from tests.ingest.making import read, says, simulation, tau2, tau2_call, tau2_reply, user, written

TALK = [
    says("Hello"),
    user("Lend me B-1."),
    tau2_call("c1", "lend", {"book_id": "B-1"}),
    tau2_reply("c1", "Error in the title, not in the call", error=False),
    tau2_call("c2", "check_card", {}, requestor="user"),
    tau2_reply("c2", "card expired", error=True, requestor="user"),
]


def test_a_simulation_becomes_a_run_of_the_agent_that_the_file_names(tmp_path: Path) -> None:
    (run,), left_out = read(written(tmp_path / "runs.json.gz", tau2([simulation(TALK, 3)])))
    assert not left_out
    assert (run.agent.name, run.model_version, run.task_id) == ("desk_agent", "some-model", "3")
    assert run.prompt == "Lend books. Example: B-0000."
    assert run.user_intent == "Lend me B-1."
    assert run.started_at is not None
    assert run.started_at.isoformat() == "2026-02-01T10:00:00+00:00"


def test_the_flag_decides_what_is_an_error_for_calls_of_both_sides(tmp_path: Path) -> None:
    (run,), _ = read(written(tmp_path / "runs.json", tau2([simulation(TALK)])))
    called = [step for step in run.steps if step.tool_call]
    assert [(step.requestor, step.error is not None) for step in called] == [("agent", False), ("user", True)]


def test_neither_hidden_answers_nor_settings_are_in_a_run(tmp_path: Path) -> None:
    (run,), _ = read(written(tmp_path / "runs.json", tau2([simulation(TALK)])))
    assert "SECRET" not in run.model_dump_json()


@pytest.mark.parametrize(
    ("changes", "status", "reason"),
    [
        ({}, "success", None),
        ({"reward_info": {"reward": 0.0}}, "failure", None),
        ({"reward_info": None}, "unknown", None),
        ({"reward_info": None, "termination_reason": "max_steps"}, "failure", "ended by max_steps"),
        (
            {"reward_info": {"reward": 0.0}, "termination_reason": "too_many_errors"},
            "failure",
            "ended by too_many_errors",
        ),
        ({"reward_info": None, "termination_reason": "user_error"}, "aborted", "ended by user_error"),
    ],
)
def test_the_outcome_is_the_reward_and_the_way_it_ended(
    tmp_path: Path, changes: dict[str, object], status: str, reason: str | None
) -> None:
    (run,), _ = read(written(tmp_path / "runs.json", tau2([simulation(TALK, **changes)])))
    assert (run.outcome.status, run.outcome.reason) == (status, reason)


def test_a_wrong_simulation_is_reported_at_its_place(tmp_path: Path) -> None:
    runs, left_out = read(
        written(tmp_path / "runs.json", tau2([simulation(TALK, 0), 7, simulation(TALK, 2)]))
    )
    assert [run.task_id for run in runs] == ["0", "2"]
    assert [item.position for item in left_out] == ["simulation 2"]


def test_what_stands_behind_the_simulations_does_no_harm(tmp_path: Path) -> None:
    whole = tau2([simulation(TALK)])
    reordered = {"simulations": whole["simulations"], "info": whole["info"], "more": [1]}
    runs, left_out = read(written(tmp_path / "runs.json", reordered))
    assert len(runs) == 1
    assert not left_out
