"""The steps of a run out of a transcript's blocks: what was thought, called, seen, and answered at the end."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from errata_client.run import Agent, Outcome, Run, Step, StepError, ToolCall, ToolDeclaration
from ingest.adapters.chat_run import spoken
from ingest.adapters.port import NotAnalysed
from ingest.adapters.replies import UNKNOWN_TOOL, chat_error
from ingest.adapters.tau_bench import outcome_of
from ingest.adapters.transcript_blocks import Block, is_finish
from ingest.adapters.transcripts import Transcript
from ingest.adapters.written_call import answer_in, written_calls
from knowledge.ids import digest

MAX_STEPS = 20_000
_JUDGED = re.compile(r"(?i)\s*answer is (in)?correct\W*")
_REWARD = re.compile(r"(?i)\breward\s*[=:：]\s*(-?\d{1,4}(?:\.\d{1,6})?)")
_NO_SUCH_TOOL = re.compile(
    r"\s*\S{1,80} is not a valid tool\b(?:, try (?:one of|another)[^\[]{0,20}\[([^\]]{0,2000})\])?"
)
_INVALID = re.compile(r"\s*Invalid (?:Action|Format)\b", re.IGNORECASE)
_LISTED = re.compile(
    r"(?i)should be (?:exactly )?one of:?\s*\[([^\]]{1,4000})\]|应(?:该|当)?是\s*\[([^\]]{1,4000})\]\s*(?:中的|之一)"
)


@dataclass
class Steps:
    """The steps being built, and what of the blocks could not be used. `outcome` is what the environment said at the end."""

    troubles: list[tuple[int, str]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    outcome: Outcome = field(default_factory=Outcome)
    tools: set[str] = field(default_factory=set)
    heard: str | None = None
    _thoughts: list[str] = field(default_factory=list)
    _raw: list[str] = field(default_factory=list)
    _actions: list[tuple[Block, str | None]] = field(default_factory=list)
    _number: int | None = None
    _answered: bool = False

    def read(self, blocks: list[Block]) -> None:
        """All blocks in their order."""
        for block in blocks:
            if len(self.steps) >= MAX_STEPS:
                self.troubles.append((block.line, f"more than {MAX_STEPS} steps; the rest was left out"))
                break
            self._read(block)
        self._close(None)

    def _read(self, block: Block) -> None:
        if block.kind in {"thought", "text", "think"}:
            self._think(block)
        elif block.kind == "action":
            self._act(block)
        elif block.kind == "input":
            self._give(block)
        elif block.kind == "observation":
            self._see(block)
        elif block.kind == "answer":
            self._answer(block.text, block.raw)

    def _think(self, block: Block) -> None:
        """A thought begins a turn of the agent, unless it goes on with one that has not acted yet."""
        another = block.number is not None and self._number is not None and block.number != self._number
        if self._actions or (self._thoughts and another):
            self._close(None)
        self._number = block.number if block.number is not None else self._number
        if block.text:
            self._thoughts.append(block.text)
        self._raw.append(block.raw)
        self._answered = False

    def _act(self, block: Block) -> None:
        if is_finish(block.text) and not self._actions:
            self._actions.append((block, None))
            self._raw.append(block.raw)
            return
        self._actions.append((block, None))
        self._raw.append(block.raw)
        self._answered = False

    def _give(self, block: Block) -> None:
        if not self._actions:
            self.troubles.append((block.line, "an action's input without an action"))
            return
        action, before = self._actions[-1]
        self._actions[-1] = (action, block.text if before is None else f"{before}\n{block.text}")
        if block.raw:
            self._raw.append(block.raw)

    def _see(self, block: Block) -> None:
        if self._actions or self._thoughts or self._raw:
            self._close(block)
        elif self._answered:
            self._judge(block.text)
        else:
            self.troubles.append((block.line, "an observation that answers no action"))

    def _answer(self, text: str, raw: str) -> None:
        if self._actions:
            self._close(None)
        self._add(thought=self._thought(), raw_output=text or raw)
        self._forget(answered=True)

    def _close(self, seen: Block | None) -> None:
        """End the agent's turn, with what it saw."""
        if self._actions:
            self._close_actions(seen)
        elif self._thoughts or self._raw:
            self._add(
                thought=self._thought(),
                raw_output="\n".join(self._raw).strip() or None,
                observation=seen.text if seen else None,
            )
        self._forget(answered=self._answered)

    def _close_actions(self, seen: Block | None) -> None:
        raw, thought = "\n".join(self._raw).strip(), self._thought()
        first, given = self._actions[0]
        if is_finish(first.text):
            self._add(thought=thought, raw_output=answer_in(first.text, given))
            self._answered = True
            self._judge(seen.text if seen else "")
            return
        calls = self._calls()
        if not calls:
            self.troubles.append((first.line, "an action that names no tool"))
            self._add(thought=thought, raw_output=raw, observation=seen.text if seen else None)
            return
        batch = first.line if len(calls) > 1 else None
        answers = self._answering(calls, seen)
        for position, (call, _) in enumerate(calls):
            shared = {"thought": thought, "raw_output": raw} if position == 0 else {}
            self._add(
                tool_call=call, batch=batch, **shared, **self._seen(seen if position == answers else None)
            )

    def _calls(self) -> list[tuple[ToolCall, int | None]]:
        found = (
            (block, written_calls(block.text, given))
            for block, given in self._actions
            if not is_finish(block.text)
        )
        return [(call, block.number) for block, calls in found for call in calls]

    def _answering(self, calls: list[tuple[ToolCall, int | None]], seen: Block | None) -> int:
        """Which of the turn's calls was answered: the one of the same number, else the first, as frameworks do."""
        numbers = [number for _, number in calls]
        return (
            numbers.index(seen.number) if seen and seen.number is not None and seen.number in numbers else 0
        )

    def _seen(self, block: Block | None) -> dict[str, Any]:
        if block is None:
            return {"answered": False}
        return {"observation": block.text, "error": self._error(block.text)}

    def _error(self, text: str) -> StepError | None:
        """An answer that begins as errors do, or the framework's word that there is no such tool or action."""
        named = _NO_SUCH_TOOL.match(text)
        if named is not None:
            self.tools.update(_names(named.group(1)))
            return StepError(message=text, type=UNKNOWN_TOOL if self.tools else None)
        return StepError(message=text) if _INVALID.match(text) else chat_error(text)

    def _judge(self, text: str) -> None:
        """What the environment says of the answer."""
        judged, reward = _JUDGED.fullmatch(text), _REWARD.search(text[:400])
        if judged is not None:
            self.outcome = Outcome(status="failure" if judged.group(1) else "success", reason=text.strip())
        elif reward is not None:
            self.outcome = outcome_of(float(reward.group(1)))

    def _thought(self) -> str | None:
        return "\n".join(self._thoughts).strip() or None

    def _add(self, **fields: Any) -> None:
        heard, self.heard = self.heard, None
        self.steps.append(Step(index=len(self.steps), user_input=heard, **fields))

    def _forget(self, *, answered: bool) -> None:
        self._thoughts, self._raw, self._actions, self._number = [], [], [], None
        self._answered = answered


def react_run(transcript: Transcript, **known: Any) -> tuple[Run, list[NotAnalysed]]:
    """The run of a transcript, with its own id derived from what was said and done; `known` are fields from outside."""
    question = spoken(transcript.question or "") or None
    built = Steps(heard=known.pop("heard", None) or question)
    built.read(transcript.blocks)
    prompt = transcript.prompt or None
    fields: dict[str, Any] = {
        "run_id": f"react-{digest(question, [block.raw for block in transcript.blocks])}",
        "agent": Agent(kind="react"),
        "user_intent": question,
        "complete": question is not None,
        "prompt": prompt,
        "tools": _declared(prompt, built.tools),
        "steps": tuple(built.steps),
        "outcome": built.outcome,
    }
    given = {name: value for name, value in known.items() if value is not None}
    return Run(**{**fields, **given}), [
        _trouble(line, reason) for line, reason in _all_troubles(transcript, built)
    ]


def _all_troubles(transcript: Transcript, built: Steps) -> list[tuple[int, str]]:
    if not transcript.left_out:
        return built.troubles
    return [
        *built.troubles,
        (transcript.line, f"a transcript too long to keep: {transcript.left_out} blocks were left out"),
    ]


def _trouble(line: int, reason: str) -> NotAnalysed:
    return NotAnalysed(position=f"line {line}", reason=reason)


def _declared(prompt: str | None, named: set[str]) -> tuple[ToolDeclaration, ...]:
    """The tools that the prompt lists ("should be one of [a, b]"), or that the framework listed in a reply."""
    listed = _LISTED.search(prompt) if prompt else None
    found = _names(listed.group(1) or listed.group(2)) if listed else named
    return tuple(ToolDeclaration(name=name) for name in sorted(found))


def _names(listed: str | None) -> set[str]:
    names = {name.strip(" \"'`\n“”") for name in re.split(r"[,，、]", listed or "")}
    return {name for name in names if name and "{" not in name}
