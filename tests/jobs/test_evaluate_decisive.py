"""`errata evaluate decisive`, on labelled runs of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.evaluation.decisive import evaluate
from jobs.evaluation.labelled_steps import labelled_runs
from knowledge.errors import BadInputError
from tests.ingest.making import Json, calls, reply, says, system, tau, user, written, written_lines

QUESTION = "How many loans of the northern library were renewed twice during the winter of 2019?"


def chat(label: int, number: int) -> Json:
    told = [
        ("Manager", f"Count the loans of the northern library renewed twice in winter 2019 (try {number})."),
        ("Counter", "Could somebody look it up?"),
        ("Reader", "There were 482 such loans."),
        ("Checker", "I agree with 482. TERMINATE"),
    ]
    history = [{"name": name, "role": "assistant", "content": text} for name, text in told]
    return {
        "question": f"{QUESTION} {number}",
        "is_correct": False,
        "history": history,
        "mistake_step": str(label),
        "mistake_agent": "x",
    }


def desk_run() -> Json:
    told = [
        system(),
        user("Renew my loan L-77."),
        calls(("c1", "find_loan", {"loan_id": "L-77"})),
        reply("c1", "an atlas", "find_loan"),
        calls(("c2", "renew_loan", {"loan_id": "L-77"})),
        reply("c2", "Error: fees are due", "renew_loan"),
        says("I cannot renew it."),
    ]
    return tau(told, task=5, reward=0.0)


def labels(number: int) -> Json:
    failure = {"failure_id": 1, "step_number": number, "failure_category": "Invalid Invocation"}
    return [
        {
            "trajectory_id": 5,
            "failures": [{"failure_id": 9, "step_number": 1}, failure],
            "root_cause": {"failure_id": 1},
        }
    ]


def figures(paths: list[Path]) -> Json:
    files = evaluate(labelled_runs(paths))["files"]
    assert isinstance(files, dict)
    return files


def test_chats_hold_their_labels_and_are_counted_beside_the_best_guesses(tmp_path: Path) -> None:
    path = written_lines(tmp_path / "chats.jsonl", [chat(2, 1), chat(2, 2), chat(3, 3), chat(0, 4)])
    found = figures([path])["chats.jsonl"]
    assert (found["rules"]["exact"], found["rules"]["within_one"], found["runs"]) == (2, 3, 4)
    assert found["best_constant"]["guess"] == "message 2"
    assert found["best_constant_from_the_end"]["guess"] == "1 before the last"
    assert found["random_guess"]["exact"] == 0.25
    assert sum(half["runs"] for half in found["halves"]) == 4
    assert found["confusion"] == {
        "claim_without_evidence": {"after by 1": 1, "before by 2 to 3": 1, "exact": 2}
    }


def test_steps_of_calls_are_counted_in_messages_as_their_labels_are(tmp_path: Path) -> None:
    runs, told = written(tmp_path / "runs.json", [desk_run()]), written(tmp_path / "labels.json", labels(5))
    found = figures([runs, told])["runs.json"]
    assert (found["rules"]["exact"], found["by_rule"]["refused_change"]["exact"]) == (1, 1)
    assert found["by_kind"]["Invalid Invocation"]["runs"] == 1


def test_chats_of_one_file_each_are_counted_together_and_a_label_means_that_the_run_failed(
    tmp_path: Path,
) -> None:
    paths = [written(tmp_path / f"{number}.json", chat(2, number)) for number in range(3)]
    silent = chat(2, 9)
    del silent["is_correct"]
    runs = labelled_runs([*paths, written(tmp_path / "9.json", silent)])
    together = evaluate(runs)["together"]
    assert isinstance(together, dict)
    assert (together["chats"]["rules"]["exact"], together["chats"]["runs"]) == (4, 4)


def test_no_rule_sees_a_label(tmp_path: Path) -> None:
    one, other = (
        labelled_runs([written_lines(tmp_path / f"{label}.jsonl", [chat(label, 1)])]) for label in (1, 3)
    )
    assert one[0].run == other[0].run
    assert "mistake" not in one[0].run.model_dump_json()


def test_files_without_labels_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no labelled run"):
        labelled_runs([written(tmp_path / "runs.json", [desk_run()])])
