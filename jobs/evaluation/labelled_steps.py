"""Labels of the decisive step: chats that hold their own, and tau-bench runs with a file of labels beside them."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errata_client.run import Run
from ingest.adapters.jsonvalue import NotJsonError, loads
from ingest.adapters.multi_agent_chat import group_run
from ingest.adapters.records import Record, open_source, records
from ingest.adapters.tau_bench import tau_run
from knowledge.errors import BadInputError

CHAT = "chat"
"""The kind of a chat's label, which says what went wrong in words only."""


@dataclass(frozen=True)
class Labelled:
    """A failed run and the place that people named as decisive. `places` maps the index of a step to its place: the number of
    its message, which is what the label counts. `length` is how many messages there are, `kind` what they say went wrong."""

    file: str
    run: Run
    label: int
    places: Sequence[int]
    length: int
    first: int
    kind: str

    def place(self, index: int) -> int:
        """The message of a step; the last one for a step that stands for words which nobody answered."""
        return self.places[index] if index < len(self.places) else self.first + self.length - 1


def labelled_runs(paths: Sequence[Path]) -> list[Labelled]:
    """The labelled runs in these files. A chat says `mistake_step` (from 0) itself; a tau-bench file needs one of labels
    among the files: `{trajectory_id, failures: [{failure_id, step_number}], root_cause}` (from 1).

    BadInputError where there is no label at all.
    """
    labels = {key: found for path in paths for key, found in _labels(path)}
    runs = [one for path in paths for one in _runs(path, labels)]
    if not runs:
        raise BadInputError(
            f"no labelled run in {', '.join(str(path) for path in paths)}: chats with a mistake_step are read, and "
            "tau-bench files beside one of labels (trajectory_id, failures, root_cause)"
        )
    return runs


def _labels(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for value in _values(path):
        if isinstance(value, dict) and "trajectory_id" in value and isinstance(value.get("root_cause"), dict):
            wanted = value["root_cause"].get("failure_id")
            for failure in value.get("failures") or ():
                if failure.get("failure_id") == wanted and isinstance(failure.get("step_number"), int):
                    yield str(value["trajectory_id"]), failure


def _runs(path: Path, labels: dict[str, dict[str, Any]]) -> Iterator[Labelled]:
    """A labelled mistake means that the run failed, whether or not it says so."""
    for number, value in enumerate(_values(path), 1):
        if not isinstance(value, dict):
            continue
        if isinstance(value.get("traj"), list):
            if label := labels.get(str(value.get("task_id"))):
                run, _ = tau_run(value, f"record {number}")
                yield _of_calls(path, _failed(run), value["traj"], label)
        elif isinstance(value.get("history"), list) and str(value.get("mistake_step", "")).strip().isdigit():
            run, _ = group_run(value, f"record {number}")
            yield _of_chat(path, _failed(run), value)


def _failed(run: Run) -> Run:
    return run.model_copy(update={"outcome": run.outcome.model_copy(update={"status": "failure"})})


def _of_chat(path: Path, run: Run, value: dict[str, Any]) -> Labelled:
    length = len(value["history"])
    return Labelled(path.name, run, int(value["mistake_step"]), range(length), length, 0, CHAT)


def _of_calls(path: Path, run: Run, messages: Sequence[Any], label: dict[str, Any]) -> Labelled:
    spoken = [
        number
        for number, message in enumerate(messages, 1)
        if message.get("role") == "assistant"
        for _ in range(max(1, len(message.get("tool_calls") or ())))
    ]
    kind = str(label.get("failure_category") or "unknown")
    return Labelled(path.name, run, label["step_number"], spoken, len(messages), 1, kind)


def _values(path: Path) -> list[Any]:
    data = path.read_bytes()
    try:
        text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        if path.name.removesuffix(".gz").endswith(".jsonl"):
            return [item.value for item in records(open_source(path)) if isinstance(item, Record)]
        value = loads(text)
    except (NotJsonError, OSError, EOFError) as error:
        raise BadInputError(f"{path}: cannot be read whole, as judging needs: {error}") from error
    return value if isinstance(value, list) else [value]
