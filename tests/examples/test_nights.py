"""A few nights of a lending desk: the reviewer's rules, the dealing of runs, and the curve that they come to."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from benchmarks.nights.curve import meanings, pure, purity, said_by
from benchmarks.nights.dealing import deal
from benchmarks.nights.reading import one_meaning, read
from benchmarks.nights.replay import Replay, play
from errata_client.run import Outcome, Run, Step, StepError, ToolCall

FIRST = datetime(2026, 3, 2, tzinfo=UTC)
ERRORS = ("book 'B-17' is lent out until 2026-03-04", "the shelf 12 is locked for the night")


def a_run(task: int, trial: int) -> Run:
    message = ERRORS[task % 2].replace("17", str(task)).replace("12", str(task))
    step = Step(
        index=0,
        user_input=f"Please lend me book {task}.",
        tool_call=ToolCall(tool=f"lend_{task % 3}", arguments={"book": f"B-{task}"}),
        error=StepError(message=message),
    )
    return Run(
        run_id=f"r{task}-{trial}",
        task_id=str(task),
        steps=(step,),
        outcome=Outcome(status="failure", reward=0.0),
    )


RUNS = [a_run(task, trial) for task in range(6) for trial in range(8)]


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Replay:
    days, folder = deal(RUNS, 4, 7, FIRST), tmp_path_factory.mktemp("nights")
    return play(days, folder, ["hash"], reviewed=2, starters=False, say=lambda _: None)


def test_problems_that_come_again_are_matched_once_their_work_orders_are_approved(replay: Replay) -> None:
    first, *_, last = replay.evenings
    assert first.share == 0.0
    assert first.acts["approved"] == 2
    assert last.share == 1.0
    assert {cause.created_by for cause in replay.causes} == {"WO-0001", "WO-0002"}


def test_each_approved_cause_holds_one_meaning_and_says_so(replay: Replay) -> None:
    told = [line for line in purity(replay.problems, replay.attributions, replay.causes) if "RC-" in line]
    assert len(told) == 2
    assert all("1 wordings" in line for line in told)
    assert pure(replay.problems, replay.attributions) == (2, 2)


def test_what_tools_said_is_counted_apart_from_what_detectors_say(replay: Replay) -> None:
    assert said_by(replay.problems, replay.attributions) == {"tools": (6, 6), "detectors": (0, 0)}


def test_the_reviewer_acts_on_the_first_mornings_only(replay: Replay) -> None:
    assert [sum(evening.acts.values()) > 0 for evening in replay.evenings[2:]] == [False, False]


def test_runs_of_one_task_are_dealt_to_days_far_from_each_other() -> None:
    days = deal(RUNS, 8, 7, FIRST)
    assert sorted(run.run_id for day in days for run in day) == sorted(run.run_id for run in RUNS)
    for task in {run.task_id for run in RUNS}:
        places = [place for place, day in enumerate(days) for run in day if run.task_id == task]
        assert {(after - before) % 8 for before, after in pairwise(places)} == {1}
    assert all(
        run.started_at and run.started_at.day == 2 + place for place, day in enumerate(days) for run in day
    )
    assert deal(RUNS, 8, 7, FIRST) == days
    assert deal(RUNS, 8, 8, FIRST) != days


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Error: order <id> not found", "the order W-17 was not found", True),
        ("order <id> not found", "order <id> found", False),
        ("not enough seats on flight <id>", "flight <id> not available on date <date>", False),
        ("订单 <id> 不存在", "订单不存在", True),
        ("订单 <id> 不存在", "订单 <id> 已存在", False),
        ("<id>", "<num>", False),
    ],
)
def test_a_reviewer_reads_words_and_negations_and_passes_over_values(
    one: str, other: str, same: bool
) -> None:
    assert read(one).says_what(read(other)) is same


def test_an_order_with_a_text_of_another_meaning_has_more_than_one() -> None:
    texts = ["user not found", "no user was found: not found", "the flight is full"]
    assert one_meaning(texts[:1])
    assert not one_meaning(texts)
    assert meanings(texts) == 2
