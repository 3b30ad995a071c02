"""Reflexion: attempts at one task with what the agent wrote after each, as records or as the published code's text logs.

A record has its attempts under `trials`, `episodes` or `attempts`; the published code's results are `implementations` with
`test_feedback` and `reflections`, or the `memory` of an environment. `reflexion_log` reads its text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from errata_client.deliberation import Episode
from errata_client.model import JsonValue
from errata_client.run import Agent, Outcome, Run, Step, ToolCall
from ingest.adapters import reflexion_log
from ingest.adapters.jsonvalue import clean_text, json_kind
from ingest.adapters.plain_text import TextLines, head_lines
from ingest.adapters.port import NotAnalysed, RecordError
from ingest.adapters.reading import read_records
from ingest.adapters.record_fields import about_run, flag_at, number_at, outcome_in, text_at, texts_at
from ingest.adapters.records import Opening
from ingest.adapters.replies import chat_error
from ingest.adapters.trajectory import TRAJECTORIES, steps_of
from knowledge.ids import digest

ATTEMPTS = ("trials", "episodes", "attempts", "试验", "回合")
REFLECTIONS = ("reflection", "self_reflection", "reflections", "verbal_feedback", "lesson", "反思")
TASKS = (
    "task",
    "question",
    "prompt",
    "input",
    "goal",
    "instruction",
    "env",
    "environment",
    "name",
    "任务",
    "问题",
)
MAX_EPISODES = 1_000
RUN_TESTS = "run_tests"
"""The tool of an attempt at a program: its tests were run, and what they said is the answer."""


class Reflexion:
    """The adapter. A failed episode is one of the run, which ends as its last episode did."""

    name = "reflexion"
    looks_for = "records {trials | episodes: [{trajectory, reflection, reward | success}]}, or logs of Environment … Trial …"

    def recognises(self, opening: Opening) -> str | None:
        """By attempts with a trajectory or a reflection, or by the marks of the published logs."""
        if opening.head and reflexion_log.is_log(head_lines(opening)):
            return "it is a log of trials with their environments or questions"
        for sample in opening.samples:
            if not isinstance(sample, dict):
                continue
            if _attempts(sample) is not None:
                return "its records have trials with trajectories or reflections"
            if _is_program(sample) or _is_memory(sample):
                return "its records have reflections and whether the task was solved"
        return None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a task, all its attempts in it."""
        if opening.head and opening.layout == "text":
            source = TextLines(opening)
            for task in reflexion_log.tasks(source):
                yield task if isinstance(task, NotAnalysed) else _of_log(task)
            yield from source.troubles
        else:
            yield from read_records(opening, reflexion_run)


@dataclass
class _Episodes:
    """The run being built, episode by episode."""

    steps: list[Step] = field(default_factory=list)
    episodes: list[Episode] = field(default_factory=list)
    outcome: Outcome = field(default_factory=Outcome)

    def add(
        self,
        steps: list[Step],
        told: Outcome,
        reflection: str | None,
        score: float | None,
        success: bool | None,
    ) -> None:
        """One episode more. What the environment said in its text counts where the record says nothing."""
        if success is None and told.status in {"success", "failure"}:
            success = told.status == "success"
        first = len(self.steps)
        self.episodes.append(
            Episode(
                first_step=first,
                reflection=reflection or None,
                score=score if score is not None else told.reward,
                success=success,
            )
        )
        self.steps += [step.model_copy(update={"index": first + at}) for at, step in enumerate(steps)]
        self.outcome = (
            Outcome()
            if success is None
            else Outcome(status="success" if success else "failure", reward=score)
        )

    def run(self, asked: str | None, record: dict[str, JsonValue]) -> Run:
        """The run of all of them."""
        if self.steps and asked and self.steps[0].user_input is None:
            self.steps[0] = self.steps[0].model_copy(update={"user_input": asked})
        made = [step.model_dump(mode="json") for step in self.steps]
        fields = {
            "run_id": f"reflexion-{digest(asked, made, [episode.model_dump(mode='json') for episode in self.episodes])}",
            "agent": Agent(kind="reflexion"),
            "user_intent": asked,
            "complete": asked is not None,
            "steps": tuple(self.steps),
            "episodes": tuple(self.episodes),
            "outcome": self.outcome,
        }
        return Run(**{**fields, **about_run(record)})


def reflexion_run(record: JsonValue, position: str) -> tuple[Run, list[NotAnalysed]]:
    """The run of one record. RecordError where it has no attempts."""
    if not isinstance(record, dict):
        raise RecordError(f"a record is an object with trials, this is {json_kind(record)}")
    attempts = _attempts(record)
    if attempts is not None:
        return _of_attempts(record, attempts, position)
    if _is_program(record):
        return _of_program(record), []
    if _is_memory(record):
        return _of_memory(record), []
    raise RecordError("no trials, episodes or attempts with a trajectory or a reflection")


def _of_attempts(
    record: dict[str, JsonValue], attempts: list[Any], position: str
) -> tuple[Run, list[NotAnalysed]]:
    built, troubles = _Episodes(), []
    beside = texts_at(record, "reflections", "memory", "反思")
    for number, attempt in enumerate(attempts[:MAX_EPISODES], 1):
        if not isinstance(attempt, dict):
            troubles.append(
                NotAnalysed(position=f"{position}, trial {number}", reason="a trial is an object")
            )
            continue
        value = next((attempt[key] for key in TRAJECTORIES if attempt.get(key)), None)
        steps, told = steps_of(value, f"{position}, trial {number}")
        said = texts_at(attempt, *REFLECTIONS)
        reflection = said[-1] if said else beside[number - 1] if number <= len(beside) else None
        built.add(steps, told, reflection, number_at(attempt, "score", "reward", "得分"), _success(attempt))
    if len(attempts) > MAX_EPISODES:
        troubles.append(
            NotAnalysed(position=position, reason=f"more than {MAX_EPISODES} trials; the rest was left out")
        )
    if not built.episodes:
        raise RecordError("none of its trials is an object")
    return built.run(text_at(record, *TASKS), record), troubles


def _of_program(record: dict[str, JsonValue]) -> Run:
    """A program written again until its tests pass. The record's own tests and solution are not read."""
    built = _Episodes()
    written, said = texts_at(record, "implementations"), texts_at(record, "reflections")
    answers, solved = texts_at(record, "test_feedback"), flag_at(record, "is_solved", "solved")
    for at, code in enumerate(written[:MAX_EPISODES]):
        call = ToolCall(tool=RUN_TESTS, arguments={"code": code})
        answer = answers[at] if at < len(answers) else None
        step = Step(
            index=0, tool_call=call, observation=answer, answered=answer is not None, error=chat_error(answer)
        )
        last = at == len(written) - 1
        built.add([step], Outcome(), said[at] if at < len(said) else None, None, solved if last else False)
    return built.run(
        text_at(record, "prompt", "task", "name"), {key: record[key] for key in record if key != "is_solved"}
    )


def _of_memory(record: dict[str, JsonValue]) -> Run:
    """What an environment's results keep: a reflection for each failed trial, and whether the last one succeeded."""
    built = _Episodes()
    for text in texts_at(record, "memory")[:MAX_EPISODES]:
        built.add([], Outcome(), text.strip(), None, success=False)
    if flag_at(record, "is_success"):
        built.add([], Outcome(), None, None, success=True)
    run = built.run(text_at(record, "task", "name"), {})
    return run.model_copy(update={"task_id": text_at(record, "task_id", "name")})


def _of_log(task: reflexion_log.LoggedTask) -> Run:
    built = _Episodes()
    for trial in task.trials:
        steps, told = trial.read()
        built.add(steps, told, trial.reflection, None, trial.success)
    run = built.run(task.asked or task.name, {})
    return run.model_copy(update={"task_id": task.name})


def _attempts(record: dict[str, Any]) -> list[Any] | None:
    """The attempts of a record, if one of them has a trajectory or a reflection."""
    for key in ATTEMPTS:
        listed = record.get(key)
        if isinstance(listed, dict):
            listed = list(listed.values())
        if isinstance(listed, list) and any(
            isinstance(attempt, dict) and _is_attempt(attempt) for attempt in listed
        ):
            return listed
    return None


def _is_attempt(attempt: dict[str, Any]) -> bool:
    judged = any(
        key in attempt
        for key in (
            "score",
            "reward",
            "success",
            "is_success",
            "passed",
            "is_correct",
            "status",
            "得分",
            "成功",
        )
    )
    tried = any(attempt.get(key) for key in TRAJECTORIES)
    return any(key in attempt for key in REFLECTIONS) or (judged and tried)


def _is_program(record: dict[str, Any]) -> bool:
    return isinstance(record.get("implementations"), list) and isinstance(record.get("reflections"), list)


def _is_memory(record: dict[str, Any]) -> bool:
    return isinstance(record.get("memory"), list) and isinstance(record.get("is_success"), bool)


def _success(attempt: dict[str, JsonValue]) -> bool | None:
    told = flag_at(attempt, "success", "is_success", "passed", "is_correct", "solved", "成功")
    if told is not None:
        return told
    stated = outcome_in({key: attempt[key] for key in attempt if key not in {"reward", "final_reward"}})
    if stated is None:
        word = clean_text(str(attempt.get("status", ""))).strip().lower()
        words = {
            "ok": True,
            "success": True,
            "passed": True,
            "solved": True,
            "成功": True,
            "fail": False,
            "failed": False,
            "失败": False,
        }
        return words.get(word)
    return {"success": True, "failure": False}.get(stated.status)
