"""The steps of one attempt, in whatever form a record has its trajectory: text, chat messages, pairs, or objects."""

from __future__ import annotations

import re
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Outcome, Step
from ingest.adapters.chat import Chat, moment, reply_content
from ingest.adapters.jsonvalue import clean_text
from ingest.adapters.plain_text import Line, lines_of
from ingest.adapters.plan_records import arguments_in, status_of, tool_in
from ingest.adapters.plan_run import judged
from ingest.adapters.react_run import Steps
from ingest.adapters.record_fields import text_at
from ingest.adapters.replies import chat_error
from ingest.adapters.transcript_blocks import blocks
from ingest.adapters.transcripts import transcripts
from ingest.adapters.written_call import is_nothing, with_input, written_calls

MAX_STEPS = 20_000
TRAJECTORIES = (
    "trajectory",
    "steps",
    "scratchpad",
    "history",
    "traj",
    "actions",
    "messages",
    "transcript",
    "log",
    "轨迹",
)
_PROMPTED = re.compile(r"> ?(.*)")
_THINKS = re.compile(r"(?i)think\s*[:：]\s*(.*)", re.DOTALL)


def steps_of(value: JsonValue, position: str = "") -> tuple[list[Step], Outcome]:
    """The steps, numbered from 0, and the outcome that an environment told in the text, if it did."""
    if isinstance(value, str):
        return steps_of_text(list(lines_of(value)))
    listed = value if isinstance(value, list) else []
    if any(isinstance(item, dict) and isinstance(item.get("role"), str) for item in listed):
        chat = Chat(position, lambda content, _message: chat_error(content))
        chat.read(listed)
        return chat.steps, Outcome()
    if listed and all(isinstance(item, str) for item in listed):
        return steps_of_text([line for item in listed for line in lines_of(str(item))])
    made = (fields for item in listed[:MAX_STEPS] if (fields := fields_of(item)) is not None)
    return [Step(index=index, **fields) for index, fields in enumerate(made)], Outcome()


def steps_of_text(lines: list[Line]) -> tuple[list[Step], Outcome]:
    """The steps of a ReAct transcript; or of a console: `> go to shelf 3`, and the lines that answer it."""
    found = [
        each
        for each in transcripts(blocks(lines), one=True)
        if any(block.kind == "action" for block in each.blocks)
    ]
    if found:
        built = Steps()
        built.read(found[-1].blocks)
        return built.steps, built.outcome
    return _console(lines), Outcome()


def _console(lines: list[Line]) -> list[Step]:
    """Steps of a text world. What stands before the first prompt is the task; `think:` is a thought of the next action."""
    turns: list[tuple[str, list[str]]] = []
    for line in lines:
        prompted = _PROMPTED.fullmatch(line.text)
        if prompted and len(turns) < MAX_STEPS:
            turns.append((prompted.group(1).strip(), []))
        elif turns:
            turns[-1][1].append(line.text)
    steps: list[Step] = []
    thoughts: list[str] = []
    for action, answer in turns:
        if thinks := _THINKS.fullmatch(action):
            thoughts.append(thinks.group(1))
            continue
        steps.append(
            _console_step(len(steps), action, "\n".join(answer).strip(), "\n".join(thoughts) or None)
        )
        thoughts = []
    return steps


def _console_step(index: int, action: str, answer: str, thought: str | None) -> Step:
    calls = written_calls(action, None)
    return Step(
        index=index,
        thought=thought,
        raw_output=action,
        tool_call=calls[0] if calls else None,
        observation=answer or None,
        error=chat_error(answer) if calls else None,
        answered=bool(answer),
    )


def fields_of(item: Any) -> dict[str, Any] | None:
    """A step as an object {thought, action | tool, observation, error}, or as a pair [action, observation]."""
    if isinstance(item, list) and len(item) in {2, 3} and isinstance(item[-2], str):
        thought = clean_text(item[0]) if len(item) == 3 and isinstance(item[0], str) else None
        return _acted(str(item[-2]), thought, reply_content(item[-1]))
    if not isinstance(item, dict):
        return None
    thought = text_at(item, "thought", "reasoning", "思考")
    observation = reply_content(
        next((item[key] for key in ("observation", "obs", "result", "output", "观察") if key in item), None)
    )
    action = next((item[key] for key in ("action", "行动", "动作") if isinstance(item.get(key), str)), None)
    arguments = arguments_in({key: below for key, below in item.items() if key != "action"})
    timed = {"started_at": moment(item.get("started_at")), "ended_at": moment(item.get("ended_at"))}
    if action is not None and not arguments:
        return {**_acted(action, thought, observation), **_failed(item, observation), **timed}
    tool = tool_in(item) or tool_in(_object(item.get("tool_call")))
    if tool is None:
        return {
            "thought": thought,
            "raw_output": text_at(item, "answer", "raw_output", "response"),
            "observation": observation,
        }
    given = (
        arguments or arguments_in(_object(item.get("tool_call"))) or arguments_in(_object(item.get("action")))
    )
    return {
        "thought": thought,
        "tool_call": with_input(tool, given),
        "observation": observation,
        **_failed(item, observation),
        **timed,
    }


def _acted(action: str, thought: str | None, observation: JsonValue) -> dict[str, Any]:
    fields = {"thought": thought, "raw_output": clean_text(action), "observation": observation}
    calls = [] if is_nothing(action) else written_calls(clean_text(action), None)
    return {**fields, "tool_call": calls[0], "error": chat_error(observation)} if calls else fields


def _failed(item: dict[str, Any], observation: JsonValue) -> dict[str, Any]:
    """What the step says of errors itself, if it does."""
    if "error" not in item and "status" not in item:
        return {"error": chat_error(observation)}
    return {"error": judged(observation, status_of(item.get("status")), item.get("error"))}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
