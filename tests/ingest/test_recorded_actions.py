"""Runs of which only the calls were kept: nothing is made up about what the tools answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.masking import Masker
from ingest.service import ingest_file
from knowledge.errors import BadInputError
from knowledge.store import Store
from tests.ingest.making import KEY, a_shift, read, written, written_lines

RECORD = {
    "config": "small_model",
    "task": "library:3",
    "trial": 0,
    "instruction": "You are mia and want B-1001 renewed.",
    "ground_truth_actions": [{"name": "renew", "kwargs": {"loan_id": "SECRET-ANSWER"}}],
    "agent_actions": [
        {"name": "find_loans", "arguments": {"reader": "mia"}},
        {"name": "renew", "arguments": {"loan_id": "L-40077"}},
    ],
    "classification": {"primary_category": "SECRET-LABEL"},
}


def test_calls_are_read_without_answers_and_labels_are_not(tmp_path: Path) -> None:
    (run,), left_out = read(written_lines(tmp_path / "runs.jsonl", [RECORD]))
    assert [step.tool_call.tool for step in run.steps if step.tool_call] == ["find_loans", "renew"]
    assert not any(step.answered for step in run.steps)
    assert (run.agent.name, run.task_id, run.outcome.status) == ("small_model", "library:3", "failure")
    assert "SECRET" not in run.model_dump_json()
    assert "no answers" in left_out[0].reason


def test_a_value_that_a_missing_answer_may_have_given_is_not_called_invented(
    tmp_path: Path, store: Store
) -> None:
    path = written_lines(tmp_path / "runs.jsonl", [RECORD])
    report = ingest_file(path, "auto", a_shift(store), Masker(KEY))
    assert (report.source, report.runs, report.calls) == ("recorded_actions", 1, 2)
    assert report.by_error_code == {"outcome.low_reward": 1}
    assert report.reference_calls == 0


def test_a_value_of_the_first_call_that_nobody_gave_is(tmp_path: Path, store: Store) -> None:
    record = {**RECORD, "agent_actions": RECORD["agent_actions"][1:]}  # type: ignore[index]
    report = ingest_file(
        written_lines(tmp_path / "runs.jsonl", [record]), "auto", a_shift(store), Masker(KEY)
    )
    assert report.by_error_code == {"args.fabricated": 1}


def test_a_file_of_labels_says_that_it_holds_no_runs(tmp_path: Path, store: Store) -> None:
    labels = [{"trajectory_id": 2, "failures": [{"step_number": 3}], "root_cause": {"failure_id": 1}}]
    path = written(tmp_path / "labels.json", labels)
    with pytest.raises(BadInputError, match=r"trajectory_id, failures.*not the runs"):
        ingest_file(path, "auto", a_shift(store), Masker(KEY))
