"""A trace's spans put together into runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from errata_client.faults import faults_told
from errata_client.jsontext import as_text
from errata_client.model import JsonValue
from errata_client.run import Run, Step, ToolCall
from ingest.adapters.chat_run import spoken
from ingest.adapters.otlp import about
from ingest.adapters.otlp.failures import error_of
from ingest.adapters.otlp.flattened import decoded
from ingest.adapters.otlp.messages import exchange_of
from ingest.adapters.otlp.pairing import paired
from ingest.adapters.otlp.span import Span, moment_of
from ingest.adapters.otlp.talk import Asked, Said, Talk
from ingest.adapters.otlp.traces import Trace
from ingest.adapters.otlp.tree import Tree, parts_of
from ingest.adapters.otlp.uses import Used, used_tools
from ingest.adapters.port import NotAnalysed

MAX_STEPS = 5_000
INPUT_TOKENS = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt")
OUTPUT_TOKENS = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion")
INPUTS = ("input.value", "traceloop.entity.input", "gen_ai.task.input", "input")


def is_of_agents(tree: Tree) -> bool:
    """Whether anything in the trace is of a model, a tool or an agent."""
    return any(kind in {"agent", "model", "tool"} for kind in tree.kinds.values())


def runs_of(trace: Trace) -> Iterator[Run | NotAnalysed]:
    """The runs of a trace, and what of it was left out. Nothing at all for a trace that is of no agent."""
    tree = Tree.of(trace.spans)
    if not is_of_agents(tree):
        return
    if trace.left_out:
        reason = f"it has {trace.left_out} more spans than are read of one trace; steps may be missing"
        yield NotAnalysed(position=f"trace {trace.trace_id}", reason=reason)
    for name, part in parts_of(tree):
        try:
            yield from _Assembly(trace.trace_id + name, part).items()
        except ValidationError as error:
            yield NotAnalysed(position=f"trace {trace.trace_id}", reason=faults_told(error))


@dataclass(frozen=True)
class _Made:
    """A step to be: when it was, in nanoseconds, its place among those of that time, and its fields."""

    at: int
    order: int
    fields: dict[str, Any]


class _Assembly:
    """One run out of the spans of a trace, or of a part of one."""

    def __init__(self, run_id: str, tree: Tree) -> None:
        self._tree, self._run_id = tree, run_id
        self._talk = _talk_of(tree)
        self._used = used_tools(tree, (asked.call.tool for asked in self._talk.asked))

    def items(self) -> Iterator[Run | NotAnalysed]:
        """The run, then what of it could not be used."""
        steps = self._steps()
        yield self._run(tuple(steps[:MAX_STEPS]))
        if len(steps) > MAX_STEPS:
            yield self._trouble(f"it has {len(steps)} steps; the first {MAX_STEPS} are kept")
        if self._talk.troubles:
            yield self._trouble(f"{self._talk.troubles} messages have tool calls without a name")
        for span in self._tree.spans:
            if self._tree.kind(span) == "model" and (error := error_of(span)) is not None:
                reason = f"the model's call failed ({error.message[:200]}): no detector reads those"
                yield NotAnalysed(position=f"trace {span.trace_id}, span {span.span_id}", reason=reason)

    def _trouble(self, reason: str) -> NotAnalysed:
        return NotAnalysed(position=f"run {self._run_id}", reason=reason)

    def _run(self, steps: tuple[Step, ...]) -> Run:
        tree, own = self._tree, about.own_words
        heard = next((said.text for said in self._talk.said if said.by_person), None)
        intent = spoken(heard or _root_input(tree) or "")
        revision, arm = own(tree, "errata.active_revision"), own(tree, "errata.arm")
        times = [at for span in tree.spans for at in (span.start, span.end) if at]
        return Run(
            run_id=_told(own(tree, "errata.run_id")) or self._run_id,
            agent=about.agent_of(tree),
            model_version=about.model_of(tree),
            task_id=_told(own(tree, "errata.task_id")),
            conversation_id=about.conversation(tree),
            user_intent=intent or None,
            prompt="\n".join(dict.fromkeys(self._prompts())) or None,
            tools=about.tools_of(tree),
            steps=steps,
            outcome=about.outcome_of_spans(tree),
            complete=bool(heard) and not any(_is_silent(step) for step in steps),
            started_at=moment_of(min(times, default=0)),
            ended_at=moment_of(max(times, default=0)),
            active_revision=revision
            if isinstance(revision, int) and not isinstance(revision, bool)
            else None,
            arm=arm if arm in {"treated", "holdout"} else None,
        )

    def _prompts(self) -> list[str]:
        told = [_told(span.attributes.get("gen_ai.agent.system_prompt")) or "" for span in self._tree.spans]
        return [text for text in (*self._talk.prompts, *told) if text]

    def _steps(self) -> list[Step]:
        """All calls and all words in their order; what a person said goes to the step after it."""
        made = [*self._calls(), *(_Made(said.at, said.order, _words(said)) for said in self._talk.said)]
        steps: list[Step] = []
        heard: list[str] = []
        for item in sorted(made, key=lambda item: (item.at, item.order)):
            if "heard" in item.fields:
                heard.append(item.fields["heard"])
                continue
            steps.append(Step(index=len(steps), user_input="\n".join(heard) or None, **item.fields))
            heard = []
        if heard and steps:
            steps.append(Step(index=len(steps), user_input="\n".join(heard)))
        return steps

    def _calls(self) -> Iterator[_Made]:
        """Each call once: what a model asked for with the span that carried it out, and spans that nobody asked for."""
        pairs, alone = paired(self._talk.asked, self._used)
        for asked, used in pairs:
            yield _Made(asked.at, asked.order, self._asked(asked, used))
        for used in alone:
            yield _Made(used.span.start, len(pairs), self._unasked(used))

    def _asked(self, asked: Asked, used: Used | None) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "tool_call": asked.call,
            "thought": asked.thought,
            "batch": asked.batch,
            "observation": asked.answer,
            "error": asked.error,
            "answered": asked.answered,
            **_tokens(asked.span),
        }
        if used is None:
            return fields | {"started_at": asked.span.ended_at if asked.span else None}
        done = self._unasked(used)
        if done["observation"] is None and asked.answered:
            done["observation"] = asked.answer
        if done["error"] is None and not used.broken_off and used.use.result is None:
            done["error"] = asked.error
        return fields | done | {"tool_call": asked.call}

    def _unasked(self, used: Used) -> dict[str, Any]:
        span, use = used.span, used.use
        over = bool(span.end) and not used.broken_off and not used.told_below
        return {
            "step_id": about.node_of(span, self._tree),
            "tool_call": ToolCall(tool=use.tool, arguments=use.arguments or {}, call_id=use.call_id),
            "observation": use.result,
            "error": None if used.told_below else used.error,
            "answered": over or (use.result is not None and not used.told_below),
            "started_at": span.started_at,
            "ended_at": span.ended_at,
        }


def _is_silent(step: Step) -> bool:
    """Whether it is a call that went well with a result that was not recorded."""
    return step.tool_call is not None and step.answered and step.error is None and step.observation is None


def _talk_of(tree: Tree) -> Talk:
    """The talk of all models; where none of their contents were recorded, that which the agents' spans hold."""
    talk = Talk()
    models = [(span, exchange_of(span)) for span in tree.spans if tree.kind(span) == "model"]
    told = {span.span_id for span, exchange in models if exchange}
    for span, exchange in models:
        if exchange and not any(above.span_id in told for above in tree.above(span)):
            talk.take(span, exchange)
    if not told:
        for span in tree.topmost("agent"):
            talk.take(span, exchange_of(span))
    return talk


def _words(said: Said) -> dict[str, Any]:
    if said.by_person:
        return {"heard": said.text}
    return {
        "raw_output": said.text,
        "started_at": said.span.ended_at if said.span else None,
        **_tokens(said.span),
    }


def _tokens(span: Span | None) -> dict[str, Any]:
    if span is None:
        return {}
    return {"input_tokens": _count(span, INPUT_TOKENS), "output_tokens": _count(span, OUTPUT_TOKENS)}


def _count(span: Span, names: tuple[str, ...]) -> int | None:
    found = (span.attributes.get(name) for name in names)
    return next((value for value in found if isinstance(value, int) and not isinstance(value, bool)), None)


def _root_input(tree: Tree) -> str | None:
    """What the outermost span of an agent, or else the first one, was given."""
    for span in (*tree.topmost("agent", "chain"), *tree.spans[:1]):
        given = (span.attributes.get(name) for name in INPUTS)
        if told := next((words for value in given if value and (words := _as_words(value))), None):
            return told
    return None


def _as_words(value: JsonValue) -> str:
    """A text; of an object with one text the text."""
    told = decoded(value)
    while isinstance(told, dict) and len(told) == 1:
        told = next(iter(told.values()))
    return told if isinstance(told, str) else as_text(told)


def _told(value: JsonValue) -> str | None:
    return (
        str(value)[:200]
        if isinstance(value, str | int) and not isinstance(value, bool) and value != ""
        else None
    )
