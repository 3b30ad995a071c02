"""Small sources for the tests of ingest: messages, records and files, all invented here."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from errata_client.replay import StepView, replay
from errata_client.run import Run, Step, StepError, ToolCall
from ingest.adapters.port import NotAnalysed
from ingest.adapters.records import open_source
from ingest.adapters.registry import AUTO, recognise
from ingest.detectors.port import Detector, Finding
from knowledge.kinds import CASES, PROBLEMS, REFERENCE_CALLS, RUN_RECORDS
from knowledge.stage import Shift
from knowledge.store import Query, Store

NOW = datetime(2026, 3, 1, 2, 0, tzinfo=UTC)
KEY = b"a key for tests, 32 bytes long.."
DATA = Path(__file__).resolve().parents[2] / "../shared/data"
"""Real runs, where a checkout has them beside it."""

Json = Any


def system(text: str = "You are the desk of a library.") -> Json:
    return {"role": "system", "content": text}


def user(text: str) -> Json:
    return {"role": "user", "content": text}


def says(text: str) -> Json:
    return {"role": "assistant", "content": text}


def calls(*asked: tuple[str, str, Json]) -> Json:
    """An assistant message with calls: (id, tool, arguments as an object or as text)."""
    listed = [
        {
            "id": call_id,
            "type": "function",
            "function": {
                "name": tool,
                "arguments": given if isinstance(given, str) else json.dumps(given),
            },
        }
        for call_id, tool, given in asked
    ]
    return {"role": "assistant", "content": None, "tool_calls": listed}


def reply(call_id: str, content: Json, name: str = "lend") -> Json:
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": content}


def tau(messages: list[Json], task: Json = 0, trial: int = 0, reward: Json = 1.0) -> Json:
    """A record of tau-bench, with the hidden answers that such records hold."""
    answers = {"actions": [{"name": "lend", "kwargs": {"book_id": "SECRET-ANSWER"}}], "outputs": []}
    return {"task_id": task, "trial": trial, "reward": reward, "info": {"task": answers}, "traj": messages}


def a_loan(answer: str = "lent", book: str = "B-1001", call_id: str = "c1") -> list[Json]:
    """A short conversation with one call, answered by `answer`."""
    return [
        system(),
        user(f"Please lend me {book}."),
        calls((call_id, "lend", {"book_id": book})),
        reply(call_id, answer),
        says("There you are."),
    ]


def simulation(messages: list[Json], number: int = 0, **changes: Json) -> Json:
    """A simulation of tau2-bench."""
    made = {
        "id": f"sim-{number}",
        "task_id": str(number),
        "trial": 0,
        "start_time": "2026-02-01T10:00:00",
        "end_time": "2026-02-01T10:05:00",
        "termination_reason": "user_stop",
        "reward_info": {"reward": 1.0, "nl_assertions": "SECRET-ANSWER"},
        "messages": messages,
    }
    return {**made, **changes}


def tau2(simulations: list[Json]) -> Json:
    """A result file of tau2-bench."""
    return {
        "timestamp": "2026-02-01T10:00:00",
        "info": {
            "agent_info": {
                "implementation": "desk_agent",
                "llm": "some-model",
                "llm_args": {"api_key": "SECRET-KEY"},
            },
            "environment_info": {"policy": "Lend books. Example: B-0000.", "tool_defs": None},
        },
        "tasks": [{"id": "0", "evaluation_criteria": "SECRET-ANSWER"}],
        "simulations": simulations,
    }


def tau2_call(call_id: str, tool: str, arguments: Json, requestor: str = "assistant") -> Json:
    """A message of tau2 with one call, by the agent or by the person's side."""
    role = "user" if requestor == "user" else "assistant"
    listed = [{"id": call_id, "name": tool, "arguments": arguments, "requestor": requestor}]
    return {"role": role, "content": None, "tool_calls": listed}


def tau2_reply(call_id: str, content: str, *, error: bool, requestor: str = "assistant") -> Json:
    return {"role": "tool", "id": call_id, "content": content, "requestor": requestor, "error": error}


def written(path: Path, value: Json) -> Path:
    """`value` as JSON in a file; compressed where its name says so."""
    data = json.dumps(value, ensure_ascii=False).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def written_lines(path: Path, values: Iterable[Json]) -> Path:
    """One value a line."""
    path.write_text("".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values))
    return path


def read(path: Path, source: str = AUTO, limit: int | None = None) -> tuple[list[Run], list[NotAnalysed]]:
    """The runs of a file, and what was left out of it."""
    opening = open_source(path) if limit is None else open_source(path, limit)
    items = list(recognise(opening, source).adapter.read(opening))
    runs = [item for item in items if isinstance(item, Run)]
    return runs, [item for item in items if isinstance(item, NotAnalysed)]


def step(index: int, tool: str, arguments: Json = None, **fields: Json) -> Step:
    """A step with a call."""
    call = ToolCall(tool=tool, arguments=arguments or {})
    return Step(**{"index": index, "tool_call": call, "observation": "ok", **fields})


def failing(index: int, tool: str, message: str, arguments: Json = None, **fields: Json) -> Step:
    """A step whose call got an error."""
    return step(
        index, tool, arguments, **{"observation": message, "error": StepError(message=message), **fields}
    )


def a_run(*steps: Step, **fields: Json) -> Run:
    """A run of these steps."""
    return Run(**{"run_id": "run-1", "user_intent": "Lend me a book.", "steps": steps, **fields})


def found(detector: Detector, run: Run) -> list[Finding]:
    """What a detector finds in a run."""
    views: list[StepView] = list(replay(run))
    return list(detector.detect(run, views))


def a_shift(store: Store, project: str = "library") -> Shift:
    return Shift(store, project, "", NOW)


def state(store: Store, project: str = "library") -> dict[str, list[Json]]:
    """All that an ingest leaves in the store."""
    return {
        kind.name: [
            stored.item.model_dump(mode="json") for stored in store.collection(project, kind).scan(Query())
        ]
        for kind in (CASES, PROBLEMS, RUN_RECORDS, REFERENCE_CALLS)
    }
