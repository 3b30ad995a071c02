"""Where one transcript ends and the next begins, and which of them are only the prompt's examples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from ingest.adapters.transcript_blocks import Block

MAX_TRANSCRIPT = 64 * 1024 * 1024
"""Characters of one transcript; what comes behind is left out and reported."""

_EXAMPLES = re.compile(
    r"(?i)\bexamples?\b|few-shot|following format|format below|示例|例子|范例|样例|(?:以下|如下|下面的?)格式"
)
_TEMPLATE = re.compile(
    r"(?i)should be one of|the action to take|can repeat n times|要采取的(?:行动|动作)|可以重复|\{tool_names\}|必须是.{0,20}之一"
)


@dataclass
class Transcript:
    """One run's blocks. `prompt` is what stood before it that its makers wrote, examples included (`examples` of them)."""

    line: int
    question: str | None = None
    prompt: str = ""
    blocks: list[Block] = field(default_factory=list)
    examples: int = 0
    left_out: int = 0
    finished: bool = False
    size: int = 0
    numbers: set[tuple[str, int]] = field(default_factory=set)

    def add(self, block: Block) -> None:
        """One block more, if there is room."""
        self.size += len(block.raw)
        if self.size > MAX_TRANSCRIPT:
            self.left_out += 1
            return
        self.finished = self.finished or block.finishes
        if block.number is not None:
            self.numbers.add((block.kind, block.number))
        self.blocks.append(block)

    @property
    def is_template(self) -> bool:
        """Whether it only shows the form that an answer should have."""
        return any(
            block.kind in {"action", "thought"} and _TEMPLATE.search(block.text) for block in self.blocks
        )

    def as_text(self) -> str:
        """All of it, as it was written."""
        asked = [f"Question: {self.question}"] if self.question else []
        return "\n".join([*asked, *(block.raw for block in self.blocks)])


def transcripts(blocks: Iterable[Block], *, one: bool = False) -> Iterator[Transcript]:
    """The transcripts of a text. `one`: it is the record of one run, so that earlier questions are examples."""
    splitter = _Splitter(one)
    for block in blocks:
        splitter.feed(block)
        yield from splitter.taken()
    splitter.end()
    yield from splitter.taken()


@dataclass
class _Splitter:
    """Reads block by block. While `_examples`, only the last transcript may be a run: those before are the prompt's."""

    _one: bool
    _prompt: list[str] = field(default_factory=list)
    _examples: bool = False
    _told: int = 0
    _after_break: bool = False
    _current: Transcript | None = None
    _rule: Block | None = None
    _done: list[Transcript] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._examples = self._one

    def taken(self) -> list[Transcript]:
        """The transcripts that were completed since it was asked last."""
        done, self._done = self._done, []
        return done

    def end(self) -> None:
        """No more blocks."""
        self._pass_rule(starts=False)
        self._close(last=True)

    def feed(self, block: Block) -> None:
        """One block more."""
        if block.kind == "rule":
            self._pass_rule(starts=False)
            self._rule = block
        elif block.kind == "break":
            self._new_segment()
            self._after_break = True
        elif block.kind in {"begin", "end_of_examples"}:
            self._examples_end(sure=block.kind == "end_of_examples")
        else:
            self._feed(block)

    def _feed(self, block: Block) -> None:
        starts = self._starts(block)
        self._pass_rule(starts=starts)
        if starts:
            self._start(block)
        elif self._current is None or (self._current.finished and block.kind == "text"):
            self._preface(block)
        elif block.kind == "question":
            self._current.question = f"{self._current.question or ''}\n{block.text}".strip()
        else:
            self._current.add(block)

    def _starts(self, block: Block) -> bool:
        """Whether a transcript begins with this block."""
        current = self._current
        if block.kind in {"text", "hidden", "input"}:
            return False
        if current is None:
            return True
        if block.kind == "question":
            return bool(current.blocks)
        again = block.number == 1 and (block.kind, 1) in current.numbers
        return (again or current.finished) and block.kind in {"thought", "action", "think"}

    def _start(self, block: Block) -> None:
        self._close(last=False)
        self._current = Transcript(block.line)
        if block.kind == "question":
            self._current.question = block.text
            return
        if self._after_break and self._prompt:  # the first thought of a chain has no heading
            self._current.add(Block("thought", self._prompt[-1], self._prompt.pop(), block.line))
        self._after_break = False
        self._current.add(block)

    def _preface(self, block: Block) -> None:
        if self._current is not None and not self._examples:
            self._new_segment()
        if block.kind != "hidden" and block.text:
            self._prompt.append(block.text)
            self._examples = self._examples or bool(_EXAMPLES.search(block.text))

    def _pass_rule(self, *, starts: bool) -> None:
        """A line of dashes ends a transcript if another one follows; else it is part of what it stands in."""
        rule, self._rule = self._rule, None
        if rule is None:
            return
        if not starts and self._current is not None and not self._current.finished and self._current.blocks:
            last = self._current.blocks[-1]
            text, raw = f"{last.text}\n{rule.raw}".strip(), f"{last.raw}\n{rule.raw}"
            self._current.blocks[-1] = replace(last, text=text, raw=raw)
            return
        if not self._one and self._current is not None:
            self._new_segment()
        if rule.text:
            self._preface(Block("text", rule.text, rule.text, rule.line))

    def _examples_end(self, *, sure: bool) -> None:
        """Everything so far was the prompt's, if the prompt announced examples or says that they end here."""
        if sure or self._examples or (self._current is not None and self._current.is_template):
            if self._current is not None:
                self._to_prompt(self._current)
                self._current = None
            self._examples, self._told = self._one, 0

    def _new_segment(self) -> None:
        self._close(last=True)
        self._prompt, self._examples, self._told, self._after_break = [], self._one, 0, False

    def _close(self, *, last: bool) -> None:
        current, self._current = self._current, None
        if current is None:
            return
        if current.is_template or (self._examples and not last):
            self._to_prompt(current)
            return
        current.prompt, current.examples = "\n".join(self._prompt).strip(), self._told
        self._done.append(current)

    def _to_prompt(self, transcript: Transcript) -> None:
        if not transcript.is_template:
            self._told += 1
        if sum(map(len, self._prompt)) < MAX_TRANSCRIPT:
            self._prompt.append(transcript.as_text())
