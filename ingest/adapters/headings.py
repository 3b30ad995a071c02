"""The headings of text that an agent and its tools wrote in turn: `Thought:`, `行动 2：`, `**Final Answer**:`, `<action>`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["question", "thought", "action", "input", "observation", "answer", "hidden"]

_WORDS: dict[Kind, tuple[str, ...]] = {
    "question": ("Question", "Task", "Query", "问题", "任务", "提问", "用户问题"),
    "thought": ("Thoughts?", "Think", "Reasoning", "思考", "想法", "思路", "推理"),
    "input": (
        "Action[ _]?Inputs?",
        "ACTION[ _]INPUT",
        "Tool[ _]Input",
        "(?:行动|动作|操作|工具)(?:的)?(?:输入|参数)",
        "输入参数",
    ),
    "action": ("Action", "Act", "行动", "动作", "操作"),
    "observation": ("Observations?", "Obs", "观察", "观测", "(?:观察|行动|工具)(?:结果|返回)"),
    "answer": (
        "Final[ _]?Answer",
        "FINAL[ _]ANSWER",
        "Answer",
        "最终(?:的)?(?:答案|回答|回复|结果)",
        "最后(?:的)?(?:答案|回答|回应)",
        "答案",
        "回答",
    ),
    "hidden": ("(?:Correct|Gold|Expected|True) answer", "Ground[ _-]truth", "(?:正确|标准|参考)答案"),
}
WEAK = frozenset({"Answer", "答案", "回答", "Task", "Query", "任务"})
"""Words that a tool's text may hold at the beginning of a line: they count only after a thought, or after an answer."""

_TAGS: dict[str, Kind] = {
    "reasoning": "thought",
    "thought": "thought",
    "thinking": "thought",
    "思考": "thought",
    "推理": "thought",
    "action": "action",
    "tool_call": "action",
    "行动": "action",
    "动作": "action",
    "action_input": "input",
    "行动输入": "input",
    "observation": "observation",
    "tool_response": "observation",
    "观察": "observation",
    "answer": "answer",
    "final_answer": "answer",
    "最终答案": "answer",
    "question": "question",
    "问题": "question",
}
_NAMES = "|".join(
    f"(?P<{kind}>{'|'.join(words)}{'|' + '|'.join(w.upper() for w in words if w.isalpha() and w.isascii())})"
    for kind, words in _WORDS.items()
)
_HEADING = re.compile(
    rf"[\s>#*_`\-]{{0,12}}(?:\d{{1,3}}[.)、]\s?)?[*_]{{0,3}}(?:{_NAMES})"
    r"[*_]{0,3}\s{0,3}#?\s?(?P<number>\d{1,4})?\s{0,3}[*_]{0,3}\s{0,3}[:：][ \t]?(?:[*_]{2,3}(?=\s|$))?"
)
_TAG = re.compile(rf"<(?P<close>/?)(?P<name>{'|'.join(_TAGS)})>")
_INLINE_INPUT = re.compile(r"\s(?:Action[ _]?Input|行动输入|动作输入)\s?\d{0,4}\s?[:：]")


@dataclass(frozen=True)
class Heading:
    """What a line begins, or (kind None) ends: its number where it has one, and where its text begins in the line."""

    kind: Kind | None
    number: int | None
    end: int
    word: str


def heading(line: str) -> Heading | None:
    """The heading at the beginning of the line."""
    match = _HEADING.match(line)
    if match is None:
        return None
    number = match.group("number")
    for kind in _WORDS:
        if word := match.group(kind):
            return Heading(kind, int(number) if number else None, match.end(), word)
    return None


def tag(line: str, start: int = 0) -> tuple[int, Heading] | None:
    """The first tag from `start` on: where it begins, and what it begins or ends."""
    if "<" not in line:
        return None
    match = _TAG.search(line, start)
    if match is None:
        return None
    kind = None if match.group("close") else _TAGS[match.group("name")]
    return match.start(), Heading(kind, None, match.end(), match.group("name"))


def inline_input(text: str) -> tuple[str, str] | None:
    """`search Action Input: x` in one line, as its two parts."""
    match = _INLINE_INPUT.search(text)
    return (text[: match.start()], text[match.end() :]) if match else None
