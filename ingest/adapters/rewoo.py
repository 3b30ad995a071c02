"""ReWOO: plans made before any tool is called, `Plan: … #E1 = tool[input]`, as text or as LangGraph's state of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from errata_client.deliberation import Plan, PlanStep
from errata_client.model import JsonValue
from errata_client.run import Agent, Run
from ingest.adapters.plain_text import Line, lines_of
from ingest.adapters.plan_run import PlanRun, Result, judged
from ingest.adapters.record_fields import about_run, text_at
from ingest.adapters.written_call import written_calls
from knowledge.ids import digest

MAX_PART = 1024 * 1024
MAX_STEPS = 10_000
_EVIDENCE = re.compile(r"\s*[*_`]*(#E\d{1,4})[*_`]*\s*(?P<sign>=|[:：])\s*(?P<rest>.*)", re.DOTALL)
_PART = re.compile(
    r"\s{0,20}[*_#]{0,6}\s{0,4}(?P<word>Question|Task|问题|任务|Plan|计划|Evidence|Result|Observation|证据|观察|结果|Solution|Answer|Final Answer|答案|最终答案)"
    r"\s?\d{0,4}[*_]*\s?[:：]\s?(?P<rest>.*)",
    re.DOTALL,
)
_KINDS = {
    **dict.fromkeys(("Question", "Task", "问题", "任务"), "question"),
    **dict.fromkeys(("Plan", "计划"), "plan"),
    **dict.fromkeys(("Evidence", "Result", "Observation", "证据", "观察", "结果"), "evidence"),
    **dict.fromkeys(("Solution", "Answer", "Final Answer", "答案", "最终答案"), "answer"),
}
_INLINE = re.compile(r"(#E\d{1,4})\s*=\s*(\S.*)")
_USED = re.compile(r"#E\d{1,4}")


@dataclass
class _Written:
    """A plan as it stands in text: for each evidence what was planned, the call's text, and what it gave."""

    line: int
    question: str = ""
    answer: str = ""
    purposes: dict[str, str] = field(default_factory=dict)
    calls: dict[str, str] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)
    again: bool = False


def is_text(lines: Iterable[Line]) -> bool:
    """Whether lines hold a plan and an evidence that a tool gives."""
    return any(found.calls and any(found.purposes.values()) for found in _written(lines))


def runs_of_text(lines: Iterable[Line]) -> Iterator[Run]:
    """One run for each question, or for each plan that begins with #E1 again."""
    for found in _written(lines):
        if found.calls:
            yield _run(found, {})


def is_state(record: dict[str, Any]) -> bool:
    """Whether a record is LangGraph's state of ReWOO, or holds a plan in ReWOO's text with its results."""
    text = record.get("plan_string")
    if isinstance(text, str):
        return bool(_USED.search(text)) or isinstance(record.get("steps"), list)
    plan = record.get("plan")
    return isinstance(plan, str) and bool(re.search(r"#E\d{1,4}\s*=", plan))


def run_of_state(record: dict[str, JsonValue]) -> Run:
    """The run of a state {task, plan_string, steps: [[plan, #E1, tool, input]], results: {#E1: …}, result}."""
    text = text_at(record, "plan_string", "plan") or ""
    found = next((each for each in _written(lines_of(text)) if each.calls), _Written(1))
    listed = record.get("steps")
    for item in listed if isinstance(listed, list) else []:
        if isinstance(item, list) and len(item) >= 4 and isinstance(item[1], str):
            found.purposes[item[1]] = str(item[0]).strip()
            found.calls[item[1]] = f"{item[2]}[{item[3]}]"
    results = record.get("results")
    seen = {str(key): value for key, value in results.items()} if isinstance(results, dict) else {}
    found.question = found.question or text_at(record, "task", "question", "input") or ""
    found.answer = found.answer or text_at(record, "result", "answer", "response") or ""
    return _run(found, seen).model_copy(update=about_run(record))


def _written(lines: Iterable[Line]) -> Iterator[_Written]:
    current = _Written(1)
    reader = _Reader(current)
    for line in lines:
        if (begun := reader.feed(line)) is not None:
            yield current
            current = begun
    yield current


@dataclass
class _Reader:
    """Reads line by line; text that begins nothing goes on with the part before it."""

    _current: _Written
    _part: str = ""
    _plan: str = ""
    _last: str = ""

    def feed(self, line: Line) -> _Written | None:
        """One line more; the plan that begins with it, if one does."""
        if evidence := _EVIDENCE.fullmatch(line.text):
            return self._evidence(
                evidence.group(1), evidence.group("sign"), evidence.group("rest"), line.number
            )
        found = _PART.fullmatch(line.text)
        kind = _KINDS[found.group("word")] if found else self._part
        begun = self._begin(line.number) if found and kind == "question" and self._current.calls else None
        if found:
            self._part, self._plan = kind, "" if kind == "plan" else self._plan
        rest = found.group("rest") if found else "\n" + line.text
        inline = _INLINE.search(rest) if kind == "plan" else None
        if inline is None:
            self._go_on(rest)
            return begun
        self._go_on(rest[: inline.start()])
        return self._evidence(inline.group(1), "=", inline.group(2), line.number) or begun

    def _begin(self, line: int) -> _Written:
        self._current, self._part, self._plan, self._last = _Written(line), "", "", ""
        return self._current

    def _evidence(self, name: str, sign: str, rest: str, line: int) -> _Written | None:
        begun = None
        if sign == "=":
            if name in self._current.calls and self._current.seen:
                plan = self._plan
                begun = self._begin(line)
                self._plan = plan
            if len(self._current.calls) < MAX_STEPS:
                self._current.calls[name] = rest
                self._current.purposes[name] = self._plan.strip()
            self._part, self._last = "call", name
        else:
            self._part, self._last = "evidence", name
            self._go_on(rest)
        return begun

    def _go_on(self, text: str) -> None:
        current, name = self._current, self._last
        if self._part == "question":
            current.question = (current.question + text)[:MAX_PART]
        elif self._part == "plan":
            self._plan = (self._plan + text)[:MAX_PART]
        elif self._part == "answer":
            current.answer = (current.answer + text)[:MAX_PART]
        elif self._part == "evidence" and name:
            current.seen[name] = (current.seen.get(name, "") + text)[:MAX_PART]
        elif self._part == "call" and name and text.strip():
            current.calls[name] = (current.calls[name] + text)[:MAX_PART]


def _run(found: _Written, seen: dict[str, JsonValue]) -> Run:
    outputs: dict[str, JsonValue] = {**{name: text.strip() for name, text in found.seen.items()}, **seen}
    plan = Plan(steps=tuple(_planned(name, text, found) for name, text in found.calls.items()))
    question = found.question.strip() or None
    built = PlanRun([plan], heard=question)
    for step in plan.steps:
        if step.step_id in outputs:
            output = outputs[step.step_id]
            built.add(Result(step_id=step.step_id, output=output, error=judged(output, None, None)))
    built.end(found.answer.strip() or None)
    return Run(
        run_id=f"rewoo-{digest(question, found.calls, outputs, found.answer)}",
        agent=Agent(kind="plan_execute"),
        user_intent=question,
        complete=question is not None,
        steps=tuple(built.steps),
        plans=built.finished_plans(),
    )


def _planned(name: str, text: str, found: _Written) -> PlanStep:
    calls = written_calls(text.strip(), None)
    call = calls[0] if calls else None
    return PlanStep(
        step_id=name,
        tool=call.tool if call else None,
        purpose=found.purposes.get(name) or None,
        arguments=call.arguments if call else {"input": text.strip()},
        depends_on=tuple(dict.fromkeys(_USED.findall(text))),
    )
