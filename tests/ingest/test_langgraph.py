"""LangChain's messages and LangGraph's states: a thread is one run, however often its messages were kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from errata_client.run import Run
from tests.ingest.making import Json, read, written, written_lines

MESSAGES = [
    {"type": "human", "content": "Lend me B-1001.", "id": "m1"},
    {"type": "ai", "content": "One moment.", "id": "m2", "tool_calls": [{"name": "lend", "args": {"book_id": "B-1001"}, "id": "c1", "type": "tool_call"}], "response_metadata": {"model_name": "some-model"}},
    {"type": "tool", "content": "book is lent", "name": "lend", "id": "m3", "tool_call_id": "c1", "status": "error"},
    {"type": "ai", "content": "It is lent.", "id": "m4", "tool_calls": []},
]  # fmt: skip
THREAD = {"configurable": {"thread_id": "thread-1", "checkpoint_ns": ""}}
CHECKPOINT = {
    "v": 1,
    "id": "1ef",
    "ts": "2026-03-01T10:00:00+00:00",
    "channel_values": {"messages": MESSAGES},
}
CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}
SERIALISED = [
    {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", CLASSES[message["type"]]], "kwargs": message}
    for message in MESSAGES
]  # fmt: skip


def snapshot(length: int, **more: Json) -> Json:
    return {"values": {"messages": MESSAGES[:length]}, "next": [], "config": THREAD, **more}


def in_file(kept: str, folder: Path) -> Path:
    path = folder / "state"
    lines: dict[str, list[Json]] = {
        "messages one a line": MESSAGES,
        "a checkpoint with its config": [{"config": THREAD, "checkpoint": CHECKPOINT, "metadata": {}}],
        "history": [snapshot(length) for length in (1, 2, 3, 4)],
        "updates": [{"ask": {"messages": MESSAGES[:1]}}, {"agent": {"messages": MESSAGES[1:2]}}, {"__interrupt__": []}, {"tools": {"messages": MESSAGES[2:3]}}, {"agent": {"messages": MESSAGES[3]}}],
        "serialised": [{"messages": SERIALISED}],
    }  # fmt: skip
    if kept in lines:
        return written_lines(path, lines[kept])
    whole: dict[str, Json] = {
        "a list": MESSAGES,
        "a state": {"messages": MESSAGES},
        "a checkpoint": CHECKPOINT,
        "history, latest first": [snapshot(length) for length in (4, 3, 2, 1)],
    }
    return written(path, whole[kept])


def the_run(path: Path) -> Run:
    (run,), left_out = read(path)
    assert not left_out
    return run


@pytest.mark.parametrize("kept", [
    "a list", "a state", "a checkpoint", "history, latest first", "messages one a line", "a checkpoint with its config",
    "history", "updates", "serialised",
])  # fmt: skip
def test_a_thread_is_one_run_however_it_was_kept(tmp_path: Path, kept: str) -> None:
    run = the_run(in_file(kept, tmp_path))
    first, last = run.steps
    assert first.tool_call is not None
    assert (first.tool_call.tool, first.tool_call.arguments) == ("lend", {"book_id": "B-1001"})
    assert (first.user_input, first.thought, last.raw_output) == (
        "Lend me B-1001.",
        "One moment.",
        "It is lent.",
    )
    assert first.error is not None
    assert (first.error.message, run.model_version) == ("book is lent", "some-model")


def test_threads_are_told_apart_and_a_later_state_that_lost_messages_takes_none_away(tmp_path: Path) -> None:
    trimmed = {"values": {"messages": [*MESSAGES[3:], {"type": "human", "content": "Thanks.", "id": "m5"}]}, "config": THREAD}  # fmt: skip
    other = {**snapshot(2), "config": {"configurable": {"thread_id": "thread-2"}}}
    runs, _ = read(written_lines(tmp_path / "state", [snapshot(4), other, trimmed]))
    assert {run.run_id: len(run.steps) for run in runs} == {"thread-1": 3, "thread-2": 1}


def test_a_node_that_raised_ended_the_run_and_an_interrupt_did_not(tmp_path: Path) -> None:
    def tasks(error: str) -> Json:
        return [{"id": "t", "name": "plan", "error": error, "interrupts": []}]

    failed = the_run(written_lines(tmp_path / "failed", [snapshot(1, tasks=tasks("ValueError('no plan')"))]))
    assert (failed.outcome.status, failed.outcome.reason) == ("failure", "ValueError: no plan")
    assert failed.steps[-1].error is not None
    waits = the_run(written_lines(tmp_path / "waits", [snapshot(1, tasks=tasks("GraphInterrupt()"))]))
    assert waits.outcome.status == "unknown"


def test_updates_alone_do_not_say_what_a_person_gave(tmp_path: Path) -> None:
    updates = [{"agent": {"messages": MESSAGES[1:2]}}, {"tools": {"messages": MESSAGES[2:3]}}]
    assert not the_run(written_lines(tmp_path / "updates", updates)).complete
