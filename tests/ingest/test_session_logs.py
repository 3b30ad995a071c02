"""Logs of coding agents: Claude Code's sessions and Codex's rollouts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errata_client.run import Run
from tests.ingest.making import Json, read, written_lines

AT = "2026-03-01T10:00:00.000Z"


def line(number: int, role: str, content: Json, **more: Json) -> Json:
    message = {"role": role, "content": content} | ({"id": more.pop("id")} if "id" in more else {})
    about = {"sessionId": "s-1", "version": "2.0.1", "isSidechain": False, "timestamp": AT}
    return {
        "type": role,
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}",
        **about,
        "message": message,
        **more,
    }


def use(number: int, command: str) -> Json:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {"command": command}}


def result(number: int, content: str, *, failed: bool = False) -> Json:
    return [{"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": content, "is_error": failed}]


def item(kind: str, **payload: Json) -> Json:
    return {"timestamp": AT, "type": kind, "payload": payload}


def runs(tmp_path: Path, lines: list[Json]) -> list[Run]:
    found, left_out = read(written_lines(tmp_path / "session.jsonl", lines))
    assert not left_out
    return found


def called(run: Run) -> list[tuple[Json, str | None]]:
    """Of each call its command and its error."""
    return [
        (step.tool_call.arguments.get("command"), step.error.message if step.error else None)
        for step in run.steps
        if step.tool_call
    ]


def test_a_session_that_begins_with_snapshots_is_known_and_its_split_messages_are_put_together(
    tmp_path: Path,
) -> None:
    lines = [
        *({"type": "file-history-snapshot", "messageId": str(n), "snapshot": {}} for n in range(5)),
        line(1, "user", "Run the tests."),
        line(2, "assistant", [{"type": "text", "text": "Both at once."}], id="msg_1"),
        line(3, "assistant", [use(1, "make test")], id="msg_1"),
        line(4, "user", result(1, "no rule to make target", failed=True)),
        line(5, "assistant", [use(2, "ls")], id="msg_1"),
        line(6, "user", result(2, "Makefile")),
        line(7, "assistant", [{"type": "text", "text": "There is no such target."}], id="msg_2"),
    ]
    (run,) = runs(tmp_path, lines)
    assert called(run) == [("make test", "no rule to make target"), ("ls", None)]
    assert [step.batch for step in run.steps] == [run.steps[0].batch] * 2 + [None]
    assert (run.run_id, run.agent.version, run.user_intent) == ("s-1", "2.0.1", "Run the tests.")
    assert run.steps[0].thought == "Both at once."


def test_a_subagent_is_a_run_of_its_own(tmp_path: Path) -> None:
    lines = [
        line(1, "user", "Ask another."),
        line(10, "user", "Look around.", isSidechain=True, parentUuid=None),
        line(11, "assistant", [use(3, "ls")], isSidechain=True),
        line(2, "assistant", [use(1, "pwd")]),
        line(12, "user", result(3, "x"), isSidechain=True),
        line(3, "user", result(1, "/")),
    ]
    found = {run.run_id: called(run) for run in runs(tmp_path, lines)}
    assert found == {"s-1": [("pwd", None)], "s-1:u10": [("ls", None)]}


def test_what_a_person_refused_or_broke_off_is_no_error(tmp_path: Path) -> None:
    refused = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    lines = [
        line(1, "user", "Delete it."),
        line(2, "assistant", [use(1, "rm x")]),
        line(3, "user", result(1, refused, failed=True)),
        line(4, "user", [{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
    ]
    (run,) = runs(tmp_path, lines)
    assert called(run) == [("rm x", None)]
    assert run.outcome.status == "aborted"


def test_an_error_of_the_model_is_a_step_without_a_call(tmp_path: Path) -> None:
    words = [{"type": "text", "text": "API Error: 529 overloaded"}]
    (run,) = runs(tmp_path, [line(1, "user", "Hi."), line(2, "assistant", words, isApiErrorMessage=True)])
    assert [(step.tool_call, step.error.message if step.error else None) for step in run.steps][-1] == (
        None,
        "API Error: 529 overloaded",
    )


@pytest.mark.parametrize(
    ("output", "error"),
    [
        (json.dumps({"output": "ls: no\n", "metadata": {"exit_code": 2}}), "ls: no"),
        (
            "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 127\nOutput:\nnot found\n",
            "not found",
        ),
        ("Exit code: 1\nWall time: 0 seconds\nOutput:\n", None),
        ("Exit code: 0\nOutput:\nError: is a word here\n", None),
        ("Error: unknown session", "Error: unknown session"),
    ],
)
def test_the_exit_code_of_a_command_says_whether_it_failed(
    tmp_path: Path, output: str, error: str | None
) -> None:
    context = [{"type": "input_text", "text": "<environment_context>x</environment_context>"}]
    lines = [
        item("session_meta", id="0199", originator="codex_cli", cli_version="0.1", instructions="Be kind."),
        item("turn_context", model="some-model"),
        item("response_item", type="message", role="user", content=context),
        item(
            "response_item",
            type="message",
            role="user",
            content=[{"type": "input_text", "text": "List them."}],
        ),
        item("event_msg", type="user_message", message="List them."),
        item(
            "response_item", type="function_call", name="shell", arguments='{"command": "ls"}', call_id="c1"
        ),
        item("response_item", type="function_call_output", call_id="c1", output=output),
    ]
    (run,) = runs(tmp_path, lines)
    assert called(run) == [("ls", error)]
    assert (run.run_id, run.user_intent, run.model_version) == ("0199", "List them.", "some-model")
    assert run.prompt is not None
    assert run.prompt.startswith("Be kind.")
