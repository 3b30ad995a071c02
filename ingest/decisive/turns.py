"""A run as the rules read it: who said what, what was called or run, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from errata_client.jsontext import as_text
from errata_client.run import Run, Step
from ingest.adapters.code_blocks import speaks_as_executor
from ingest.contrast.effects import by_name
from ingest.decisive.wording import is_closing, numbers, without_code
from ingest.error_kind import TRANSIENT, error_kind

MAX_TEXT = 20_000
CODE = "code"
"""The argument that a call of a machine that runs code has."""


@dataclass(frozen=True)
class Turn:
    """One step. `text` is what the agent said there, "" for a machine's answer and a mere farewell."""

    step: Step

    @property
    def index(self) -> int:
        return self.step.index

    @cached_property
    def text(self) -> str:
        said = (self.step.raw_output or self.step.thought or "")[:MAX_TEXT]
        return "" if speaks_as_executor(said) or is_closing(said) else said

    @cached_property
    def prose(self) -> str:
        """What was said, without the code in it."""
        return without_code(self.text)

    @property
    def has_code(self) -> bool:
        return "```" in self.text

    @property
    def call(self) -> str | None:
        """The tool that the agent called; None where it called none."""
        called = self.step.tool_call
        return called.tool if called and self.step.requestor == "agent" else None

    @property
    def ran_code(self) -> bool:
        called = self.step.tool_call
        return called is not None and CODE in called.arguments

    @property
    def answered(self) -> bool:
        return self.step.tool_call is not None and self.step.answered

    @property
    def failed(self) -> bool:
        """Whether the call got an error that is not the tool's being away."""
        error = self.step.error
        return error is not None and error_kind(error.message, error.status, error.type) not in TRANSIENT

    @property
    def changes(self) -> bool:
        """Whether it is a call that, by the tool's name, changes something, done or refused."""
        return self.call is not None and not self.ran_code and by_name(self.call) is True

    @property
    def changed(self) -> bool:
        """Whether it changed something: it was not refused, nor was the tool away."""
        return self.changes and self.step.error is None

    @property
    def heard(self) -> str:
        """What a person said just before."""
        return (self.step.user_input or "")[:MAX_TEXT]

    def told(self) -> Iterator[str]:
        """What this step adds to what is known: the words, the arguments, the answer."""
        call = self.step.tool_call
        yield self.text
        if call:
            yield as_text(call.arguments)[:MAX_TEXT]
        yield as_text(self.step.observation)[:MAX_TEXT]


@dataclass(frozen=True)
class Course:
    """A run's turns in order."""

    run: Run
    turns: Sequence[Turn]

    @cached_property
    def speaking(self) -> list[Turn]:
        """The turns in which an agent said something or called a tool."""
        return [turn for turn in self.turns if turn.text or turn.call]

    @cached_property
    def is_chat(self) -> bool:
        """Agents that talk, and at most run code: no tool with a name of its own was called."""
        return not any(turn.call and not turn.ran_code for turn in self.turns)

    @cached_property
    def briefing(self) -> Turn | None:
        """The first turn, where it tells the others what is to be done: an agent's words on the person's question."""
        first = self.turns[0] if self.turns else None
        return (
            first
            if first and self.is_chat and first.step.step_id and first.text and self.run.user_intent
            else None
        )

    def unfounded(self, found: Iterable[str], turn: Turn) -> list[str]:
        """Those of the numbers in a turn that stood nowhere before it: not in the question, nor in anything that was said,
        given or returned."""
        return [
            number
            for number in dict.fromkeys(found)
            if self._first_seen.get(number, turn.index) >= turn.index
        ]

    @cached_property
    def _first_seen(self) -> dict[str, float]:
        """The step in which each number came up; what a person said before a step comes before it."""
        seen: dict[str, float] = dict.fromkeys(numbers(self.run.user_intent or ""), -1.0)
        for turn in self.turns:
            for number in numbers(turn.heard):
                seen.setdefault(number, turn.index - 0.5)
            for text in turn.told():
                for number in numbers(text):
                    seen.setdefault(number, turn.index)
        return seen


def course_of(run: Run) -> Course:
    """The run's course."""
    return Course(run, [Turn(step) for step in run.steps])
