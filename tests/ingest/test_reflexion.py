"""Reflexion: attempts with their reflections, in records of many forms and in the text logs of trials."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from errata_client.run import Run
from ingest.adapters.port import NotAnalysed
from knowledge.errors import BadInputError
from tests.ingest.making import read, says, user, written, written_lines

TEXT = "Thought: I lend it.\nAction: lend[B-1]\nObservation: Error: book is lent\n"


def one(tmp_path: Path, record: Any) -> Run:
    (run,), left_out = read(written(tmp_path / "run.json", [record]))
    assert not left_out
    return run


def read_text(tmp_path: Path, text: str) -> tuple[list[Run], list[NotAnalysed]]:
    path = tmp_path / "trial.log"
    path.write_text(text)
    return read(path)


def episodes(run: Run) -> list[tuple[int, str | None, float | None, bool | None]]:
    return [(each.first_step, each.reflection, each.score, each.success) for each in run.episodes]


def called(run: Run) -> list[str]:
    return [step.tool_call.tool for step in run.steps if step.tool_call]


def test_the_trials_of_a_record_are_the_episodes_of_one_run(tmp_path: Path) -> None:
    trials = [
        {"trajectory": TEXT, "reflection": "I should ask first.", "success": False, "score": 0.25},
        {"trajectory": TEXT.replace("Error: book is lent", "lent"), "success": True},
    ]
    run = one(tmp_path, {"task": "Lend B-1.", "trials": trials})
    assert (run.agent.kind, run.user_intent, run.outcome.status) == ("reflexion", "Lend B-1.", "success")
    assert episodes(run) == [(0, "I should ask first.", 0.25, False), (1, None, None, True)]
    assert [(step.index, step.error is not None) for step in run.steps] == [(0, True), (1, False)]
    assert run.steps[0].user_input == "Lend B-1."


@pytest.mark.parametrize(
    "trajectory",
    [
        TEXT,
        TEXT.splitlines(),
        "> think: I lend it.\nOK.\n> lend B-1\nError: book is lent\n",
        [{"thought": "I lend it.", "action": "lend[B-1]", "observation": "Error: book is lent"}],
        [
            {
                "thought": "I lend it.",
                "tool": "lend",
                "args": {"input": "B-1"},
                "observation": "x",
                "error": "book is lent",
            }
        ],
        [
            {
                "thought": "I lend it.",
                "action": {"tool": "lend", "args": {"input": "B-1"}},
                "observation": "Error: lent",
            }
        ],
        [["I lend it.", "lend[B-1]", "Error: book is lent"]],
        [["lend[B-1]", "Error: book is lent"]],
        [
            user("Lend B-1."),
            {
                "role": "assistant",
                "content": "I lend it.",
                "tool_calls": [{"id": "c", "function": {"name": "lend", "arguments": '{"input": "B-1"}'}}],
            },
            {"role": "tool", "tool_call_id": "c", "content": "Error: book is lent"},
            says("No."),
        ],
        "问题：借书\n思考：借\n行动：lend[B-1]\n观察：错误：已借出\n",
    ],
)
def test_a_trajectory_may_be_text_pairs_objects_or_messages(tmp_path: Path, trajectory: Any) -> None:
    run = one(tmp_path, {"episodes": [{"trajectory": trajectory, "reflection": "r"}]})
    call = run.steps[0].tool_call
    assert call is not None
    assert (call.tool, call.arguments) == ("lend", {"input": "B-1"})
    assert run.steps[0].error is not None


def test_a_score_may_be_a_reward_a_status_or_what_the_environment_said(tmp_path: Path) -> None:
    said = TEXT + "Thought: so\nAction: Finish[no]\nObservation: Answer is INCORRECT\n"
    trials = [
        {"trajectory": said, "reflection": "a"},
        {"trajectory": TEXT, "reflection": "b", "reward": 0.5},
        {"trajectory": TEXT, "reflection": "c", "status": "FAIL"},
        {"trajectory": TEXT, "is_success": 1},
    ]
    run = one(tmp_path, {"question": "q", "attempts": trials})
    assert [(each.score, each.success) for each in run.episodes] == [
        (None, False),
        (0.5, None),
        (None, False),
        (None, True),
    ]


def test_reflections_may_stand_beside_the_trials(tmp_path: Path) -> None:
    trials = [
        {"steps": [["lend[B-1]", "Error: lent"]], "success": False},
        {"steps": [["ask[Jo]", "yes"]], "success": True},
    ]
    run = one(tmp_path, {"task": "t", "trials": trials, "reflections": ["ask Jo"]})
    assert [each.reflection for each in run.episodes] == ["ask Jo", None]


def test_a_program_written_again_until_its_tests_pass_is_an_episode_each(tmp_path: Path) -> None:
    record = {
        "name": "add",
        "prompt": "def add(a, b):",
        "implementations": ["return a", "return a + b"],
        "test_feedback": ["Tests failed: add(1, 2) == 3", "Tests passed"],
        "reflections": ["I forgot b."],
        "is_solved": True,
        "test": "SECRET-ANSWER",
        "canonical_solution": "SECRET-ANSWER",
    }
    run = one(tmp_path, record)
    assert episodes(run) == [(0, "I forgot b.", None, False), (1, None, None, True)]
    assert called(run) == ["run_tests", "run_tests"]
    assert (run.outcome.status, "SECRET-ANSWER" in run.model_dump_json()) == ("success", False)


def test_the_memory_of_an_environment_is_episodes_without_steps(tmp_path: Path) -> None:
    records = [
        {"name": "env_0", "memory": [" I went in circles."], "is_success": True},
        {"name": "env_1", "memory": [" a", " b"], "is_success": False},
    ]
    runs, _ = read(written(tmp_path / "env_results.json", records))
    assert [episodes(run) for run in runs] == [
        [(0, "I went in circles.", None, False), (0, None, None, True)],
        [(0, "a", None, False), (0, "b", None, False)],
    ]
    assert [run.task_id for run in runs] == ["env_0", "env_1"]


CONSOLE = """
#####

Environment #3:
Interact with a household to solve a task. Here is an example.
Your task is to: wash a cup
> go to sink 9
A sink.
Here is the task:
You are in a library.
Your task is to: put a book on desk 1.
> think: first I need a book
OK.
> go to shelf 1
On the shelf 1, you see a book 1.
> take book 1
Error: too high

STATUS: FAIL

#####

Environment #3 Trial #1: FAIL
Reflection: I should fetch the ladder first.
Then the book.

Environment #4 Trial #1: SUCCESS
> sit down
Done.

Environment #3 Trial #2
> take ladder
Taken.
STATUS: OK

-----
SUCCESS: 2
"""


def test_a_log_of_environments_groups_its_trials_by_environment(tmp_path: Path) -> None:
    runs, left_out = read_text(tmp_path, CONSOLE)
    assert not left_out
    third, fourth = runs
    assert (third.task_id, third.user_intent) == ("environment 3", "put a book on desk 1.")
    assert episodes(third) == [
        (0, "I should fetch the ladder first.\nThen the book.", None, False),
        (2, None, None, True),
    ]
    assert called(third) == ["go", "take", "take"]
    assert third.steps[0].thought == "first I need a book"
    assert third.steps[1].error is not None
    assert third.steps[2].observation == "Taken."
    assert (called(fourth), fourth.outcome.status) == (["sit"], "success")


def section(question: str, reflections: str, book: str, said: str) -> str:
    return (
        f"Question: {question}{reflections}\nThought 1: I look.\nAction 1: Search[{book}]\nObservation 1: seen\n"
        f"Thought 2: so\nAction 2: Finish[yes]\nObservation 2: Answer is {said}\nCorrect answer: SECRET-ANSWER\n\n"
    )


def test_a_log_of_questions_groups_its_trials_by_question(tmp_path: Path) -> None:
    begin = (
        "\n########################################\nBEGIN TRIAL {}\nTrial summary: Correct: 1\n###########\n"
    )
    told = (
        "You have attempted to answer following question before and failed. The following reflection(s) give a plan.\n"
        "Reflections:\n- I looked for the wrong book."
    )
    log = (
        begin.format(1)
        + "------------- BEGIN CORRECT AGENTS -------------\n\n"
        + section("Is B-1 free?", "", "B-1", "CORRECT")
        + "------------- BEGIN INCORRECT AGENTS -----------\n\n"
        + section("Is B-2 free?", "", "B-3", "INCORRECT")
        + begin.format(2)
        + "------------- BEGIN CORRECT AGENTS -------------\n\n"
        + section("Is B-1 free?", "", "B-1", "CORRECT")
        + section("Is B-2 free?", told, "B-2", "CORRECT")
    )
    first, second = read_text(tmp_path, log)[0]
    assert episodes(first) == [(0, None, None, True)]
    assert (second.user_intent, second.outcome.status) == ("Is B-2 free?", "success")
    assert episodes(second) == [(0, "I looked for the wrong book.", None, False), (2, None, None, True)]
    assert "SECRET-ANSWER" not in first.model_dump_json() + second.model_dump_json()


def test_a_chinese_log_is_read_alike(tmp_path: Path) -> None:
    log = "环境 3 第1次尝试：失败\n思考：借\n行动：借书[B-1]\n观察：错误：已借出\n反思：先问一下\n\n环境 3 第2次尝试：成功\n行动：询问[读者]\n观察：好\n"
    (run,), _ = read_text(tmp_path, log)
    assert episodes(run) == [(0, "先问一下", None, False), (1, None, None, True)]
    assert called(run) == ["借书", "询问"]


def test_a_wrong_trial_is_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    record = {"trials": [7, {"trajectory": TEXT, "reflection": "r"}]}
    (run,), left_out = read(written_lines(tmp_path / "runs.jsonl", [record, {"trials": [8]}]))
    assert len(run.episodes) == 1
    assert [item.position for item in left_out] == ["line 1, trial 1", "line 2"]


@pytest.mark.parametrize(
    "record", [{"trials": [1, 2]}, {"attempts": 3, "success": True}, {"episodes": [{"title": "Pilot"}]}]
)
def test_records_that_count_their_trials_are_none(tmp_path: Path, record: Any) -> None:
    with pytest.raises(BadInputError, match="no known kind of source"):
        read(written(tmp_path / "run.json", [record]))
