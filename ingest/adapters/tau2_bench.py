"""tau2-bench result files: {timestamp, info, tasks, simulations}; the simulations are read one by one.

Of `info` the agent's name and model, the policy it was given and the declared tools are read; `tasks` and the
details of `reward_info` hold hidden answers and are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Agent, Outcome, Run, StepError, ToolDeclaration
from ingest.adapters.bytestream import CutOffError
from ingest.adapters.chat import Chat, moment
from ingest.adapters.chat_run import content_id, declared_tools, spoken
from ingest.adapters.jsonstream import JsonStream
from ingest.adapters.jsonvalue import NotJsonError, loads
from ingest.adapters.port import NotAnalysed, RecordError
from ingest.adapters.reading import converted
from ingest.adapters.records import Opening, numbered, stream
from ingest.adapters.replies import flagged_error
from ingest.adapters.tau_bench import outcome_of

SIMULATIONS = "simulations"
FAILED_ENDS = frozenset({"max_steps", "too_many_errors", "agent_error", "timeout"})
ABORTED_ENDS = frozenset({"user_error", "infrastructure_error"})


class Tau2Bench:
    """The adapter. Each tool message says by `error` whether it is one; calls of the person's side count too."""

    name = "tau2_bench"
    looks_for = "an object {info, simulations: [{task_id, messages}]}"

    def recognises(self, opening: Opening) -> str | None:
        """By the key `simulations` of the one object that the file is."""
        return "it is an object with simulations" if SIMULATIONS in opening.keys else None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a simulation."""
        reader, about = stream(opening), _About()
        try:
            for key in reader.members():
                if key == SIMULATIONS and reader.peek() == ord("["):
                    yield from self._simulations(reader, about)
                    if reader.peek() is None:
                        return
                    continue
                value = reader.value()
                if key == "info" and isinstance(value, bytes):
                    about = _about(loads(value))
        except (CutOffError, NotJsonError) as error:
            yield NotAnalysed(position="the file's outer object", reason=str(error))

    def _simulations(self, reader: JsonStream, about: _About) -> Iterator[Run | NotAnalysed]:
        items = numbered(reader.elements(), reader, "simulation", alone=False)
        return converted(items, about.run)


@dataclass(frozen=True)
class _About:
    """What the file says of all its simulations."""

    agent: Agent = field(default_factory=Agent)
    model: str | None = None
    policy: str | None = None
    tools: tuple[ToolDeclaration, ...] = ()

    def run(self, record: JsonValue, position: str) -> tuple[Run, list[NotAnalysed]]:
        """The run of one simulation."""
        messages = record.get("messages") if isinstance(record, dict) else None
        if not isinstance(record, dict) or not isinstance(messages, list):
            raise RecordError("a simulation is an object with a list of messages")
        chat = Chat(position, _reply_error)
        chat.read(messages)
        task, trial = record.get("task_id"), record.get("trial")
        run = Run(
            run_id=content_id("tau2", [record.get("id"), task, trial], messages),
            agent=self.agent,
            model_version=self.model,
            task_id=None if task is None else str(task),
            user_intent=spoken(chat.first_words or ""),
            prompt="\n".join([self.policy or "", *chat.prompts]).strip() or None,
            tools=self.tools,
            steps=tuple(chat.steps),
            outcome=_outcome(record),
            started_at=moment(record.get("start_time")),
            ended_at=moment(record.get("end_time")),
        )
        return run, chat.troubles


def _about(info: JsonValue) -> _About:
    if not isinstance(info, dict):
        return _About()
    agent, environment = _object(info, "agent_info"), _object(info, "environment_info")
    name, model, policy = agent.get("implementation"), agent.get("llm"), environment.get("policy")
    return _About(
        agent=Agent(name=name) if isinstance(name, str) and name else Agent(),
        model=model if isinstance(model, str) else None,
        policy=policy if isinstance(policy, str) else None,
        tools=declared_tools(environment.get("tool_defs")),
    )


def _object(value: dict[str, JsonValue], key: str) -> dict[str, JsonValue]:
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def _outcome(record: dict[str, JsonValue]) -> Outcome:
    """By the reward; a simulation that was broken off (`termination_reason`) failed, whatever else it has."""
    reward, end = _object(record, "reward_info").get("reward"), str(record.get("termination_reason"))
    told = f"ended by {end}" if end in FAILED_ENDS | ABORTED_ENDS else None
    outcome = outcome_of(reward, told)
    if end in FAILED_ENDS and outcome.status != "success":
        return outcome.model_copy(update={"status": "failure"})
    if end in ABORTED_ENDS:
        return outcome.model_copy(update={"status": "aborted"})
    return outcome


def _reply_error(content: JsonValue, message: dict[str, Any]) -> StepError | None:
    return flagged_error(content, message.get("error"))
