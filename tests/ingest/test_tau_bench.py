from __future__ import annotations

from pathlib import Path

import pytest

from tests.ingest.making import a_loan, calls, read, reply, says, system, tau, user, written


def test_a_record_becomes_a_run_with_its_calls_words_and_outcome(tmp_path: Path) -> None:
    (run,), left_out = read(written(tmp_path / "runs.json.gz", [tau(a_loan(), task=7)]))
    call_step, last = run.steps
    assert not left_out
    assert (run.task_id, run.user_intent, run.prompt) == (
        "7",
        "Please lend me B-1001.",
        "You are the desk of a library.",
    )
    assert call_step.tool_call is not None
    assert (call_step.tool_call.tool, call_step.tool_call.arguments) == ("lend", {"book_id": "B-1001"})
    assert (call_step.user_input, call_step.observation, call_step.error) == (
        "Please lend me B-1001.",
        "lent",
        None,
    )
    assert last.raw_output == "There you are."


@pytest.mark.parametrize(
    ("reward", "status"),
    [
        (1.0, "success"),
        (1, "success"),
        (0.0, "failure"),
        (0, "failure"),
        (0.93, "unknown"),
        (None, "unknown"),
    ],
)
def test_reward_one_is_success_zero_is_failure_and_anything_else_is_unknown(
    tmp_path: Path, reward: object, status: str
) -> None:
    (run,), _ = read(written(tmp_path / "runs.json", [tau(a_loan(), reward=reward)]))
    assert run.outcome.status == status
    assert run.outcome.reward == reward


def test_the_hidden_answers_are_in_no_run(tmp_path: Path) -> None:
    (run,), _ = read(written(tmp_path / "runs.json", [tau(a_loan())]))
    assert "SECRET-ANSWER" not in run.model_dump_json()


@pytest.mark.parametrize(
    ("answer", "is_error"),
    [
        ("Error: book not found", True),
        ("Error 12: book not found", True),
        ("", False),
        ("lent", False),
        ("Errors and omissions, by N. N.", False),
        ("no Error: all well", False),
        ('{"error": "the title of a book"}', False),
    ],
)
def test_a_reply_is_an_error_if_it_begins_as_tau_bench_writes_errors(
    tmp_path: Path, answer: str, is_error: bool
) -> None:
    (run,), _ = read(written(tmp_path / "runs.json", [tau(a_loan(answer))]))
    assert (run.steps[0].error is not None) is is_error
    assert run.steps[0].observation == answer


def test_runs_of_one_task_and_trial_have_ids_of_their_own(tmp_path: Path) -> None:
    first, second = (written(tmp_path / f"{book}.json", [tau(a_loan(book=book))]) for book in ("B-1", "B-2"))
    assert read(first)[0][0].run_id != read(second)[0][0].run_id
    assert read(first)[0][0].run_id == read(first)[0][0].run_id


def test_the_same_conversation_in_another_record_shape_is_the_same_run(tmp_path: Path) -> None:
    plain = tau(a_loan())
    marked = {
        **plain,
        "records": {},
        "traj": [{**m, "index": n, "annotations": []} for n, m in enumerate(plain["traj"])],
    }
    one, other = (read(written(tmp_path / f"{n}.json", [r]))[0][0] for n, r in enumerate((plain, marked)))
    assert one.run_id == other.run_id


def test_arguments_that_are_a_python_dict_are_recovered_and_kept_as_they_were(tmp_path: Path) -> None:
    messages = [user("hello"), calls(("c1", "think", "{'thought': \"it's late\"}")), reply("c1", "")]
    (run,), _ = read(written(tmp_path / "runs.json", [tau(messages)]))
    call = run.steps[0].tool_call
    assert call is not None
    assert (call.arguments, call.arguments_recovered) == ({"thought": "it's late"}, True)
    assert call.raw_arguments == "{'thought': \"it's late\"}"


def test_calls_of_one_message_are_one_batch_and_find_their_replies_by_id(tmp_path: Path) -> None:
    messages = [
        user("both please"),
        calls(("c1", "lend", {"book_id": "B-1"}), ("c2", "lend", {"book_id": "B-2"})),
        reply("c2", "second"),
        reply("c1", "first"),
    ]
    (run,), _ = read(written(tmp_path / "runs.json", [tau(messages)]))
    assert [step.observation for step in run.steps] == ["first", "second"]
    assert len({step.batch for step in run.steps}) == 1
    assert run.steps[0].batch is not None


def test_an_id_used_again_belongs_to_the_latest_call(tmp_path: Path) -> None:
    messages = [
        calls(("c1", "lend", {"book_id": "B-1"})),
        reply("c1", "first"),
        calls(("c1", "lend", {"book_id": "B-2"})),
        reply("c1", "second"),
    ]
    (run,), left_out = read(written(tmp_path / "runs.json", [tau(messages)]))
    assert [step.observation for step in run.steps] == ["first", "second"]
    assert not left_out


def test_a_reply_without_its_call_is_a_step_of_its_own_and_told(tmp_path: Path) -> None:
    messages = [user("hello"), reply("c9", "Error: nobody asked"), says("sorry")]
    (run,), left_out = read(written(tmp_path / "runs.json", [tau(messages)]))
    assert run.steps[0].error is not None
    assert not run.steps[0].paired
    assert left_out[0].position == "record 1, message 2"


def test_a_call_without_a_reply_is_marked_unanswered(tmp_path: Path) -> None:
    (run,), _ = read(written(tmp_path / "runs.json", [tau([calls(("c1", "lend", {}))])]))
    assert not run.steps[0].answered


ACT_PROMPT = """Act.
#Available tools
[{"type": "function", "function": {"name": "lend", "description": "Lend.", "parameters": {"type": "object"}}}]
Answer with
Action:
{"name": …, "arguments": …}
"""


def act(text: str) -> dict[str, object]:
    return {"role": "assistant", "content": text}


def test_actions_written_as_text_are_calls_and_api_outputs_their_replies(tmp_path: Path) -> None:
    messages = [
        system(ACT_PROMPT),
        user("<think>I am the person</think>\nLend me B-1."),
        act('<think>hm</think>\nThought:\nok\nAction:\n{"name": "lend", "arguments": {"book_id": "B-1"}}'),
        user("API output: Error: no such book"),
        act('Action:\n{"name": "respond", "arguments": {"content": "Sorry."}}'),
        user("###STOP###"),
    ]
    (run,), left_out = read(written(tmp_path / "runs.json", [tau(messages)]))
    assert not left_out
    assert run.user_intent == "Lend me B-1."
    assert [step.tool_call.tool for step in run.steps if step.tool_call] == ["lend"]
    assert run.steps[0].error is not None
    assert run.steps[0].error.message == "Error: no such book"
    assert [tool.name for tool in run.tools] == ["lend"]


@pytest.mark.parametrize("text", ["Action:\n```json\n{}\n```", "<think>hm</think>\n{}"])
def test_an_action_that_was_answered_was_run_however_it_was_written(tmp_path: Path, text: str) -> None:
    action = '{"name": "lend", "arguments": {"book_id": "B-1"}}'
    messages = [system(ACT_PROMPT), user("Hi"), act(text.replace("{}", action)), user("API output: lent")]
    (run,), left_out = read(written(tmp_path / "runs.json", [tau(messages)]))
    assert [step.tool_call.arguments for step in run.steps if step.tool_call] == [{"book_id": "B-1"}]
    assert not left_out


def test_a_broken_action_is_a_call_with_raw_arguments_that_nobody_answered(tmp_path: Path) -> None:
    messages = [
        system(ACT_PROMPT),
        user("Lend me B-1."),
        act('Action:\n{"name": "lend", "arguments": {"book_id": "B-1"}'),
        user("What?"),
    ]
    (run,), _ = read(written(tmp_path / "runs.json", [tau(messages)]))
    call = run.steps[0].tool_call
    assert call is not None
    assert (call.tool, run.steps[0].answered) == ("lend", False)
    assert call.raw_arguments is not None
    assert call.raw_arguments.startswith('{"name"')


def test_an_unknown_action_is_no_error_but_is_not_a_success_either(tmp_path: Path) -> None:
    (run,), _ = read(written(tmp_path / "runs.json", [tau(a_loan("Unknown action lend"))]))
    assert run.steps[0].error is not None
    assert run.steps[0].error.type == "unknown_tool"
