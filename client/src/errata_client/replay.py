"""Replay: the call views that a live client would have made, out of a recorded run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from errata_client.context import Moment, RunContext
from errata_client.jsontext import as_text
from errata_client.lazily import lazily
from errata_client.provenance import Sources
from errata_client.run import Run, Step, ToolCall
from errata_client.view import CallView

Called = tuple[Step, ToolCall]


class StepView:
    """A step with a tool call, as the client would have seen it: `moment` when it went out, `before` and `after`, its
    views before the call and after it, made when they are first asked for."""

    def __init__(self, step: Step, moment: Moment) -> None:
        self.step = step
        self.moment = moment

    @lazily
    def before(self) -> CallView:
        """About to call."""
        return self.moment.view()

    @lazily
    def after(self) -> CallView:
        """It returned."""
        came = {"error": self.step.error.message} if self.step.error else {"observation": _answer(self.step)}
        return self.before.model_copy(update={"phase": "after", **came})


def replay(run: Run) -> Iterator[StepView]:
    """One StepView per step with a tool call, in order.

    Calls of one batch all go out before any of them comes back. A record may hold calls that followed each
    other as one batch, so what a sibling returned counts as given by a tool, and nothing is pending; after a call whose
    answer the record does not hold, what is found nowhere is. Where no
    step says what a person said, the run's `user_intent` is it. Calls that the person's side made are viewed
    in a context of their own: the agent's client does not see them. Of a run that is not `complete`, what is found nowhere
    may have stood in what is missing.
    """
    prompt = run.prompt or ""
    contexts = {"agent": RunContext(run.run_id, prompt=prompt)}
    if any(step.requestor == "user" for step in run.steps):
        contexts["user"] = RunContext(run.run_id)
    if not run.complete:
        for context in contexts.values():
            context.miss()
    if run.user_intent and not any(step.user_input for step in run.steps):
        _hear(contexts, run.user_intent)
    for _, group in groupby(enumerate(run.steps), key=_batch):
        yield from _replay_batch(contexts, [step for _, step in group])


def _batch(item: tuple[int, Step]) -> tuple[str, int]:
    position, step = item
    return ("alone", position) if step.batch is None else ("batch", step.batch)


def _hear(contexts: dict[str, RunContext], text: str) -> None:
    for context in contexts.values():
        context.hear(text)


def _replay_batch(contexts: dict[str, RunContext], steps: list[Step]) -> Iterator[StepView]:
    for step in steps:
        if step.user_input:
            _hear(contexts, step.user_input)
    called = [(step, step.tool_call) for step in steps if step.tool_call is not None]
    started = []
    for (step, call), siblings in zip(called, _siblings(called), strict=True):
        context = contexts[step.requestor]
        moment = _moment(context, step, call, siblings)
        started.append((context, step, moment, context.start(moment)))
    for context, step, moment, handle in started:
        _come_back(context, step, handle)
        yield StepView(step, moment)
    for step in steps:
        if step.tool_call is None and step.observation is not None:
            contexts[step.requestor].learn(as_text(step.observation))


def _moment(context: RunContext, step: Step, call: ToolCall, siblings: Iterable[Sources]) -> Moment:
    return context.moment(
        call.tool,
        call.arguments,
        step_id=step.step_id,
        thought=step.thought or "",
        raw_output=step.raw_output or call.raw_arguments or "",
        siblings=list(siblings),
    )


def _siblings(called: Sequence[Called]) -> list[tuple[Sources, ...]]:
    """For each call of a batch, what all the others returned: the other half of the batch, the other half of its own half,
    and so on, so that a batch of many takes a few looks for each value, and not as many as there are calls."""
    if len(called) < 2:
        return [() for _ in called]
    return _parted([_returned(step, call) for step, call in called])


def _parted(returned: Sequence[Sources]) -> list[tuple[Sources, ...]]:
    if len(returned) < 2:
        return [() for _ in returned]
    half = len(returned) // 2
    first, second = returned[:half], returned[half:]
    told_first, told_second = Sources.together(first), Sources.together(second)
    of_first, of_second = _parted(first), _parted(second)
    return [*((told_second, *more) for more in of_first), *((told_first, *more) for more in of_second)]


def _returned(step: Step, call: ToolCall) -> Sources:
    """What one call of a batch returned, as sources of its own."""
    sources = Sources()
    if step.error is not None:
        sources.failed(step.error.message, call.arguments)
    elif step.observation is not None:
        sources.returned(as_text(step.observation))
    return sources


def _come_back(context: RunContext, step: Step, handle: int) -> None:
    if step.error is not None:
        context.note_failed(handle, step.error.message)
        return
    if not step.answered:
        context.miss()
    context.note_finished(handle, _answer(step))


def _answer(step: Step) -> str:
    return "" if step.observation is None else as_text(step.observation)
