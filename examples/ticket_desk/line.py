"""The agent's line to its tools and to the person: every call goes through the rules, every step is recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from errata_client.context import RunContext
from errata_client.decision import Decision
from errata_client.jsontext import as_text
from errata_client.model import JsonValue
from errata_client.run import Step, StepError, ToolCall
from errata_client.view import CallView
from examples.ticket_desk.tasks import Person
from examples.ticket_desk.tools import Arguments, ToolError, Tools

STOPS = frozenset({"block", "require_call", "confirm", "replan"})


class Rules(Protocol):
    """Whoever decides over a call: an `errata_client` RuleClient, an Engine behind a day, or nobody."""

    def decide(self, view: CallView) -> Decision:
        """What becomes of the call in `view`."""
        ...


class NoRules:
    """Every call passes."""

    def decide(self, view: CallView) -> Decision:
        """The call as it is."""
        return Decision.passing(view.arguments)


@dataclass(frozen=True)
class Reply:
    """What came of a call: an answer, an error, or a rule's stop. `advice` is what a rule has to say about it."""

    answer: JsonValue = None
    error: str | None = None
    stopped: bool = False
    advice: str | None = None
    arguments: dict[str, JsonValue] | None = None

    @property
    def ok(self) -> bool:
        """Whether the tool answered."""
        return self.error is None and not self.stopped


@dataclass(frozen=True)
class Wanted:
    """A call as the model put it: `raw` is the text of its arguments, which may not be JSON at all."""

    step_id: str
    tool: str
    raw: str
    thought: str

    @property
    def arguments(self) -> Arguments | None:
        """The arguments, or None where the text is not a JSON object."""
        try:
            value = json.loads(self.raw)
        except json.JSONDecodeError:
            return None
        return value if isinstance(value, dict) else None

    @property
    def fault(self) -> str:
        """What is wrong with the text, as the parser says it."""
        try:
            json.loads(self.raw)
        except json.JSONDecodeError as error:
            return f"the arguments are not valid JSON: {error}"
        return "the arguments are not a JSON object"


class Line:
    """One run's calls and words, in order. `steps` is the record of it."""

    def __init__(
        self, context: RunContext, tools: Tools, person: Person, rules: Rules, started: datetime
    ) -> None:
        self.steps: list[Step] = []
        self._context = context
        self._tools = tools
        self._person = person
        self._rules = rules
        self._times = _times(started)
        self._heard: str | None = None
        self._hear(person.opening)

    def ask(self, question: str, wanted: str) -> str:
        """Say `question` to the person; what they answer."""
        self._record(raw_output=question)
        answer = self._person.answer(wanted)
        self._hear(answer)
        return answer

    def say(self, answer: str) -> None:
        """The agent's last words."""
        self._record(raw_output=answer)

    def call(self, wanted: Wanted) -> Reply:
        """Ask the rules, make the call that they leave, and make it again where they say so."""
        view = self._context.view(
            wanted.tool,
            wanted.arguments or {},
            step_id=wanted.step_id,
            thought=wanted.thought,
            raw_output=wanted.raw,
        )
        decision = self._rules.decide(view)
        if decision.outcome in STOPS:
            self._record(thought=f"{wanted.thought} [stopped: {decision.text}]")
            return Reply(stopped=True, advice=decision.text)
        if wanted.arguments is None and not decision.arguments:
            return self._unreadable(wanted, view)
        call = view.model_copy(update={"arguments": decision.arguments})
        reply, after = self._made(call)
        if after.outcome == "retry":
            for _ in range(after.attempts):
                if reply.ok:
                    break
                reply, _ = self._made(call.model_copy(update={"arguments": after.arguments}))
        advice = "\n".join(text for text in (decision.text, after.text) if text)
        return Reply(reply.answer, reply.error, advice=advice or None, arguments=decision.arguments)

    def _made(self, call: CallView) -> tuple[Reply, Decision]:
        """The call goes out once; what came back, and what the rules say about that."""
        handle = self._context.start(call)
        try:
            answer = self._tools.call(call.tool, call.arguments)
        except ToolError as error:
            after = self._context.fail(handle, str(error))
            self._record(call, error=StepError(message=str(error), type=error.kind, status=error.status))
            return Reply(error=str(error)), self._rules.decide(after)
        after = self._context.finish(handle, as_text(answer))
        self._record(call, answer)
        return Reply(answer), self._rules.decide(after)

    def _unreadable(self, wanted: Wanted, view: CallView) -> Reply:
        """The framework could not read the call, so it never went out; the model sees that as an error."""
        self._context.fail(self._context.start(view), wanted.fault)
        error = StepError(message=wanted.fault, type="JSONDecodeError")
        self._record(view, error=error, raw=wanted.raw)
        return Reply(error=wanted.fault)

    def _hear(self, text: str) -> None:
        self._context.hear(text)
        self._heard = text

    def _record(
        self,
        call: CallView | None = None,
        observation: JsonValue = None,
        *,
        error: StepError | None = None,
        raw: str | None = None,
        thought: str | None = None,
        raw_output: str | None = None,
    ) -> None:
        made = ToolCall(tool=call.tool, arguments=call.arguments, raw_arguments=raw) if call else None
        step = Step(
            index=len(self.steps),
            step_id=call.step_id if call else None,
            user_input=self._heard,
            thought=call.thought if call else thought,
            raw_output=call.raw_output if call else raw_output,
            tool_call=made,
            observation=observation,
            error=error,
            started_at=next(self._times),
            ended_at=next(self._times),
        )
        self.steps.append(step)
        self._heard = None


def _times(started: datetime) -> Iterator[datetime]:
    """A second for each step and one between steps."""
    now = started
    while True:
        yield now
        now += timedelta(seconds=1)
