from __future__ import annotations

from pathlib import Path

import pytest

from tests.ingest.making import a_loan, calls, read, reply, user, written, written_lines


def test_chats_come_one_a_line_in_an_array_or_alone(tmp_path: Path) -> None:
    record, bare = {"messages": a_loan()}, a_loan()
    for path in (
        written_lines(tmp_path / "records.jsonl", [record, {"messages": a_loan(book="B-2")}]),
        written(tmp_path / "records.json", [record, {"messages": a_loan(book="B-2")}]),
        written_lines(tmp_path / "lists.jsonl", [bare, a_loan(book="B-2")]),
    ):
        runs, left_out = read(path)
        assert len(runs) == 2, path
        assert not left_out
    for path in (written(tmp_path / "one.json", record), written(tmp_path / "list.json", bare)):
        runs, left_out = read(path)
        assert len(runs) == 1, path
        assert not left_out


def test_a_record_over_several_lines_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "pretty.json"
    path.write_text(
        '{\n  "messages": [\n    {"role": "user", "content": "hi"}\n  ]\n}\n{\n "messages": [\n{"role": "user", "content": "ho"}]}'
    )
    assert [run.user_intent for run in read(path)[0]] == ["hi", "ho"]


def test_what_a_record_says_of_its_run_is_kept(tmp_path: Path) -> None:
    record = {
        "run_id": "r-1",
        "id": "conversation-1",
        "model": "some-model",
        "agent": {"name": "desk", "kind": "react"},
        "reward": 0,
        "tools": [{"type": "function", "function": {"name": "lend", "parameters": {"type": "object"}}}],
        "messages": a_loan(),
    }
    (run,), _ = read(written(tmp_path / "one.json", record))
    assert (run.run_id, run.conversation_id, run.model_version) == ("r-1", "conversation-1", "some-model")
    assert (run.agent.name, run.agent.kind, run.outcome.status) == ("desk", "react", "failure")
    assert [tool.name for tool in run.tools] == ["lend"]


def test_the_old_function_call_is_read(tmp_path: Path) -> None:
    messages = [
        user("hi"),
        {
            "role": "assistant",
            "content": None,
            "function_call": {"name": "lend", "arguments": '{"book_id": "B-1"}'},
        },
        {"role": "function", "name": "lend", "content": "lent"},
    ]
    (run,), left_out = read(written(tmp_path / "one.json", {"messages": messages}))
    assert run.steps[0].tool_call is not None
    assert run.steps[0].observation == "lent"
    assert not left_out


def test_blocks_of_tool_use_and_tool_result_are_calls_and_replies(tmp_path: Path) -> None:
    use = [
        {"type": "text", "text": "One moment."},
        {"type": "tool_use", "id": "u1", "name": "lend", "input": {"a": 1}},
    ]
    result = [{"type": "tool_result", "tool_use_id": "u1", "is_error": True, "content": "book is lent"}]
    messages = [user("hi"), {"role": "assistant", "content": use}, {"role": "user", "content": result}]
    (run,), left_out = read(written(tmp_path / "one.json", {"messages": messages}))
    (step,) = run.steps
    assert not left_out
    assert step.tool_call is not None
    assert (step.tool_call.arguments, step.thought) == ({"a": 1}, "One moment.")
    assert step.error is not None
    assert step.error.message == "book is lent"


def test_parts_of_text_are_joined(tmp_path: Path) -> None:
    message = {
        "role": "user",
        "content": [{"type": "text", "text": "Lend"}, {"type": "image_url"}, {"type": "text", "text": "B-1"}],
    }
    (run,), _ = read(written(tmp_path / "one.json", {"messages": [message]}))
    assert run.user_intent == "Lend\nB-1"


@pytest.mark.parametrize(
    ("answer", "is_error"),
    [
        ("Error: book not found", True),
        ("ERROR 503: desk closed", True),
        ("Error executing tool lend: no", True),
        ("Exception: no", True),
        ("requests.exceptions.ConnectionError: refused", True),
        ("KeyError('B-1')", True),
        ("Traceback (most recent call last):\n  …\nKeyError: 'B-1'", True),
        ("错误：没有这本书", True),
        ("失败", True),
        ("查询失败，请稍后再试", True),
        ('{"error": "book not found"}', True),
        ('{"error": {"code": 404, "message": "book not found"}}', True),
        ({"error": "book not found"}, True),
        ('{"status": "error", "message": "no"}', True),
        ('{"success": false, "message": "no"}', True),
        ('{"error": null, "book": "B-1"}', False),
        ('{"error": ""}', False),
        ('{"errors": [], "book": "B-1"}', False),
        ('{"book": "B-1", "status": "failed", "message": "the loan failed"}', False),
        ('[{"error": "the title of a book"}]', False),
        ("The error was fixed.", False),
        ("Errors and omissions", False),
        ("失败的英雄，第二版", False),
        ("no exception", False),
        ("", False),
        (None, False),
    ],
)  # fmt: skip
def test_a_reply_is_an_error_only_if_it_begins_like_one(
    tmp_path: Path, answer: object, is_error: bool
) -> None:
    messages = [user("hi"), calls(("c1", "lend", {})), reply("c1", answer)]
    (run,), _ = read(written(tmp_path / "one.json", {"messages": messages}))
    assert (run.steps[0].error is not None) is is_error


def test_the_native_format_says_itself_what_failed(tmp_path: Path) -> None:
    call = {"tool": "lend", "arguments": {"book_id": "B-1"}}
    steps = [
        {"tool_call": call, "observation": "Error: said by nobody else"},
        {"tool_call": call, "observation": "Error: is the title", "error": None},
        {"tool_call": call, "observation": None, "error": {"message": "no", "status": 404}, "mood": "bad"},
        {"thought": "done", "error": {"message": "the model gave up"}},
    ]
    record = {"run_id": "r-1", "steps": steps, "started_at": "2026-01-01T08:00:00", "shelf": 7}
    (run,), left_out = read(written_lines(tmp_path / "runs.jsonl", [record]))
    assert [step.error is not None for step in run.steps] == [True, False, True, True]
    assert run.steps[2].model_extra == {"mood": "bad"}
    assert run.model_extra == {"shelf": 7}
    assert run.started_at is not None
    assert [item.position for item in left_out] == ["line 1, step 3"]


def test_replies_in_any_order_find_their_calls_by_id_and_by_name(tmp_path: Path) -> None:
    def asked(*names: tuple[str | None, str]) -> dict[str, object]:
        return {
            "role": "assistant",
            "tool_calls": [
                {"id": call_id, "type": "function", "function": {"name": name, "arguments": "{}"}}
                for call_id, name in names
            ],
        }

    messages = [
        user("go"),
        asked(("c1", "one"), ("c2", "two"), ("c3", "one")),
        asked(("c1", "one"), ("c4", "two")),
        {"role": "tool", "tool_call_id": "c1", "content": "the later c1"},
        {"role": "tool", "tool_call_id": "c3", "content": "c3"},
        {"role": "tool", "tool_call_id": "c1", "content": "the earlier c1"},
        {"role": "tool", "name": "two", "content": "the later two"},
        {"role": "tool", "name": "two", "content": "the earlier two"},
    ]
    (run,), _ = read(written(tmp_path / "one.json", {"messages": messages}))
    found = [step.observation for step in run.steps if step.tool_call]
    assert found == ["the earlier c1", "the earlier two", "c3", "the later c1", "the later two"]
