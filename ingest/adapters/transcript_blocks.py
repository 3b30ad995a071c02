"""A transcript's lines as blocks: what stands under each heading, the thinking between, and where it breaks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from ingest.adapters import headings
from ingest.adapters.headings import WEAK, Heading
from ingest.adapters.plain_text import Line

BlockKind = Literal[headings.Kind, "text", "think", "rule", "break", "begin", "end_of_examples"]
MAX_BLOCK = 1024 * 1024
"""Characters that are kept of a block; an analysis keeps less."""

_RULE = re.compile(r"\s*([=\-*#_~])\1{4,}(?:[^=\-*#_~]{0,80}\1{3,})?\s*")
_CHAIN = re.compile(
    r"\s*>?\s*(?:(?P<agent>Entering new \w*Agent\w* chain)|Entering new .{0,80} chain|Finished chain)\b.{0,8}"
)
_BEGIN = re.compile(
    r"\s*(?:Let'?s )?(?:Begin|BEGIN|begin)\s?!+\s*|\s*(?:让我们)?(?:现在)?开始(?:吧)?\s?[!！]\s*"
)
_EXAMPLES_END = re.compile(
    r"\s*\W{0,3}(?:END OF (?:THE )?EXAMPLES?|End of (?:the )?examples?|示例(?:到此)?结束|例子结束)\W{0,3}\s*"
)
_FINISH = re.compile(r"\s*[`*\"'\[]*(?:[Ff]inish|FINISH|[Ff]inal[_ ]?[Aa]nswer|完成|结束)\b\W?")
_FINISH_BLOB = re.compile(
    r"\"(?:action|name|tool|动作|行动)\"\s*:\s*\"(?:Final Answer|final_answer|[Ff]inish|完成|结束|最终答案)\""
)


@dataclass(frozen=True)
class Block:
    """What stands under one heading: `text` without the heading, `raw` with it; `line` is where it begins."""

    kind: BlockKind
    text: str
    raw: str
    line: int
    number: int | None = None

    @property
    def finishes(self) -> bool:
        """Whether it ends the run: a final answer, or the action that gives one."""
        return self.kind == "answer" or (self.kind == "action" and is_finish(self.text))


def is_finish(action: str) -> bool:
    """Whether an action is the giving of the answer: `Finish[42]`, `{"action": "Final Answer"}`, `结束`."""
    return bool(_FINISH.match(action)) or bool(_FINISH_BLOB.search(action[:400]))


def blocks(lines: Iterable[Line]) -> Iterator[Block]:
    """The blocks in their order; those without text but for their heading too."""
    scanner = _Scanner()
    for line in lines:
        scanner.feed(line)
        yield from scanner.taken()
    scanner.end()
    yield from scanner.taken()


@dataclass(frozen=True)
class _Held:
    """The block that thinking interrupted: to go on with behind it."""

    kind: BlockKind
    number: int | None
    raw: tuple[str, ...]
    line: int


@dataclass
class _Scanner:
    """Reads line by line; `_done` holds the blocks that are complete."""

    _kind: BlockKind = "text"
    _number: int | None = None
    _text: list[str] = field(default_factory=list)
    _raw: list[str] = field(default_factory=list)
    _size: int = 0
    _line: int = 1
    _tag: str | None = None
    _blank: bool = True
    _numbered: bool = False
    _thinking: _Held | None = None
    _resumed: bool = False
    _done: list[Block] = field(default_factory=list)

    def taken(self) -> list[Block]:
        """The blocks that were completed since it was asked last."""
        done, self._done = self._done, []
        return done

    def end(self) -> None:
        """No more lines."""
        self._begin("text", None, 0)

    def feed(self, line: Line) -> None:
        """One line more."""
        if self._thinking is not None or "<think>" in line.text:
            self._feed_thinking(line)
        else:
            self._feed(line.text, line.number)
        self._blank = not line.text.strip()

    def _feed_thinking(self, line: Line) -> None:
        """Thinking is no turn of the transcript, whatever headings it holds; it ends with its tag, or where a tool replies."""
        rest = line.text
        if self._thinking is not None and "</think>" not in rest and self._is_reply(rest):
            self._stop_thinking(line.number)
        while rest:
            if self._thinking is None:
                before, opened, rest = rest.partition("<think>")
                if before.strip() or not opened:
                    self._feed(before, line.number)
                if not opened:
                    return
                self._start_thinking(line.number)
            inside, closed, rest = rest.partition("</think>")
            self._keep(inside, inside)
            if closed:
                self._stop_thinking(line.number)

    def _start_thinking(self, number: int) -> None:
        """A heading that has no text yet waits; other text is complete, and what comes behind a reply is the agent's."""
        empty = not "".join(self._text).strip()
        if empty and self._kind != "text":
            self._thinking = _Held(self._kind, self._number, tuple(self._raw), self._line)
            self._text, self._raw, self._kind = [], [], "text"
        else:
            kind: BlockKind = self._kind if self._kind in {"thought", "action", "input"} else "text"
            self._thinking = _Held(kind, self._number, (), number)
        self._begin("think", None, number)

    def _stop_thinking(self, number: int) -> None:
        held, self._thinking = self._thinking, None
        if held is None:
            return
        self._begin(held.kind, held.number, number)
        if held.raw:
            self._raw, self._line = list(held.raw), held.line
        else:
            self._resumed = True

    def _is_reply(self, text: str) -> bool:
        found = headings.heading(text)
        return found is not None and found.kind == "observation"

    def _feed(self, text: str, number: int) -> None:
        if self._tag is None and self._mark(text, number):
            return
        found = headings.heading(text) if self._tag is None else None
        if found is not None and found.kind is not None and self._accepts(found):
            self._open(found, text, number)
            return
        self._feed_tagged(text, number)

    def _mark(self, text: str, number: int) -> bool:
        """A line that is no one's words: a rule, the beginning or the end of a chain, "Begin!"."""
        kind = _mark_of(text)
        if kind is None:
            return False
        if kind == "noise":
            if self._kind == "answer":
                self._begin("text", None, number)
            return True
        self._begin(kind, None, number)
        self._keep("", text)
        if kind != "rule":
            self._begin("text", None, number + 1)
        return True

    def _open(self, found: Heading, text: str, number: int) -> None:
        rest = text[found.end :]
        assert found.kind is not None
        self._begin(found.kind, found.number, number)
        self._numbered |= found.number is not None and found.kind in {"thought", "action"}
        parts = headings.inline_input(rest) if found.kind == "action" else None
        if parts is None:
            self._keep(rest, text)
            return
        self._keep(parts[0], text)
        self._begin("input", found.number, number)
        self._keep(parts[1], "")

    def _accepts(self, found: Heading) -> bool:
        """Whether a heading is one, here: a tool's text may hold lines that look like it."""
        within_reply = self._kind == "observation"
        if found.kind == "question":
            free = self._kind in {"text", "answer", "hidden", "break"} or self._finishes()
            return free or (found.word not in WEAK and (self._blank or self._kind == "rule"))
        if found.word in WEAK:
            spoken = (
                self._kind == "observation" and found.kind == "answer" and self._blank and not self._numbered
            )
            return spoken or self._kind in {"thought", "answer", "think"}
        if found.kind == "input":
            return self._kind in {"action", "think"}
        if within_reply and self._numbered and found.kind in {"thought", "action", "observation"}:
            return found.number is not None
        return True

    def _finishes(self) -> bool:
        return self._kind == "action" and is_finish("\n".join(self._text))

    def _feed_tagged(self, text: str, number: int) -> None:
        """The line, taken apart at the tags that begin or end a block."""
        at = 0
        while (found := headings.tag(text, at)) is not None:
            start, named = found
            closes = named.kind is None and named.word == self._tag
            opens = self._tag is None and not text[at:start].strip()
            if closes:
                self._keep(text[at:start], text[at : named.end])
                self._tag = None
                self._begin("text", None, number)
            elif opens and named.kind is not None:
                self._begin(named.kind, None, number)
                self._keep("", text[start : named.end])
                self._tag = named.word
            else:
                self._keep(text[at : named.end], text[at : named.end])
            at = named.end
        if at == 0 or text[at:].strip():
            self._keep(text[at:], text[at:])

    def _begin(self, kind: BlockKind, number: int | None, line: int) -> None:
        """Complete the block before; one of free text, or one that goes on, is none if it is empty."""
        text = "\n".join(self._text).strip()
        if text or not (self._resumed or self._kind == "text"):
            self._done.append(Block(self._kind, text, "\n".join(self._raw).strip(), self._line, self._number))
        self._kind, self._number, self._line = kind, number, line
        self._text, self._raw, self._size, self._tag = [], [], 0, None
        self._resumed = False
        if kind in {"question", "answer", "break"}:
            self._numbered = False

    def _keep(self, text: str, raw: str) -> None:
        if self._size < MAX_BLOCK:
            self._text.append(text)
            self._raw.append(raw)
            self._size += len(raw) + 1


def _mark_of(text: str) -> Literal["rule", "break", "begin", "end_of_examples", "noise"] | None:
    if len(text) > 200:
        return None
    if chain := _CHAIN.fullmatch(text):
        return "break" if chain.group("agent") else "noise"
    if _RULE.fullmatch(text):
        return "rule"
    if _EXAMPLES_END.fullmatch(text):
        return "end_of_examples"
    return "begin" if _BEGIN.fullmatch(text) else None
