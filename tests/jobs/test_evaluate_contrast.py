"""`errata evaluate contrast`, on a small desk of our own whose right answers are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.contrast.differences import Difference
from ingest.contrast.effects import Effects
from jobs.evaluation.contrast import evaluate, is_true, judged
from jobs.evaluation.right_answers import answered_runs
from knowledge.errors import BadInputError
from tests.ingest.making import Json, calls, reply, says, system, tau, tau2, user, written

BOOKS = ("B-1001", "B-2002")


def conversation(*done: tuple[str, Json], trial: int = 0) -> list[Json]:
    made = [system(), user(f"Please renew B-1001, and lend me B-2002. This is attempt {trial}.")]
    for number, (tool, arguments) in enumerate(done):
        made += [calls((f"c{number}", tool, arguments)), reply(f"c{number}", "done", tool)]
    return [*made, says("That is all.")]


def a_record(*done: tuple[str, Json], trial: int, reward: float) -> Json:
    made = tau(conversation(*done, trial=trial), task=7, trial=trial, reward=reward)
    right = [
        ("find_book", {"book_id": BOOKS[1]}),
        ("renew_loan", {"book_id": BOOKS[0]}),
        ("lend_book", {"book_id": BOOKS[1], "days": 14}),
    ]
    made["info"]["task"]["actions"] = [{"name": tool, "kwargs": arguments} for tool, arguments in right]
    return made


LOOK = ("find_book", {"book_id": BOOKS[1]})
RENEW = ("renew_loan", {"book_id": BOOKS[0]})
LEND = ("lend_book", {"book_id": BOOKS[1], "days": 14})
LONG = ("lend_book", {"book_id": BOOKS[1], "days": 60})


def a_file(path: Path) -> Path:
    return written(
        path,
        [
            a_record(LOOK, RENEW, LEND, trial=0, reward=1.0),
            a_record(RENEW, LEND, trial=1, reward=1.0),
            a_record(LOOK, RENEW, trial=2, reward=0.0),
            a_record(LOOK, RENEW, LONG, trial=3, reward=0.0),
            a_record(LOOK, RENEW, LEND, trial=4, reward=0.0),
        ],
    )


def test_each_named_difference_is_judged_by_the_right_answer(tmp_path: Path) -> None:
    path = a_file(tmp_path / "desk.json")
    found = evaluate(judged(path.name, answered_runs(path)), lambda _: {})
    same = found["same_task"]
    assert isinstance(same, dict)
    assert (found["silent"], same["runs"], same["named"], same["true"]) == (3, 3, 2, 2)
    assert same["by_code"] == {
        "outcome.divergent_arguments": {"named": 1, "true": 1},
        "outcome.missing_action": {"named": 1, "true": 1},
    }


def test_a_difference_that_the_right_answer_does_not_bear_out_is_false(tmp_path: Path) -> None:
    path = a_file(tmp_path / "desk.json")
    failed = [one for one in judged(path.name, answered_runs(path)) if one.silent][1]
    index = next(
        step.index for step in failed.run.steps if step.tool_call and step.tool_call.tool == "lend_book"
    )
    differences = {
        Difference("outcome.missing_action", "lend_book"): False,
        Difference("outcome.extra_action", "lend_book"): False,
        Difference("outcome.divergent_arguments", "lend_book", ("/days",), index): True,
        Difference("outcome.divergent_arguments", "lend_book", ("/book_id", "/days"), index): False,
    }
    assert {one: is_true(one, failed, Effects()) for one in differences} == differences


def test_right_answers_of_tau2_are_those_of_the_agents_side(tmp_path: Path) -> None:
    document = tau2(
        [
            {
                "id": "s",
                "task_id": "0",
                "trial": 0,
                "reward_info": {"reward": 0.0},
                "messages": conversation(LOOK),
            }
        ]
    )
    wanted = [
        {"name": "lend_book", "arguments": {}, "requestor": "assistant"},
        {"name": "walk", "arguments": {}, "requestor": "user"},
    ]
    document["tasks"] = [{"id": "0", "evaluation_criteria": {"actions": wanted}}]
    (one,) = answered_runs(written(tmp_path / "desk.json", document))
    assert one.answer == (("lend_book", {}),)


def test_files_without_right_answers_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "chat.json", {"messages": conversation(LOOK)})
    with pytest.raises(BadInputError, match="openai_chat"):
        answered_runs(path)
