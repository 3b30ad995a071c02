"""What a rule says to the model, and what a draft says to its reviewer: English, or Chinese where the cases are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from errata_client.rule import MAX_TEXT
from knowledge.cases import FailureCase
from knowledge.causes import RootCause

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
MAX_ERROR = 160


def speaks_chinese(cases: Sequence[FailureCase]) -> bool:
    """Whether most of the cases speak Chinese: more Chinese characters than words of other letters."""
    votes = [_is_chinese(f"{case.user_intent} {case.error_message}") for case in cases]
    return sum(votes) * 2 > len(votes)


def with_playbook(text: str, cause: RootCause, *, chinese: bool) -> str:
    """The text and, behind it, what the cause's playbook says to do; never longer than a rule's text may be."""
    playbook = (cause.playbook_zh if chinese else cause.playbook) or ""
    whole = f"{text}{'' if chinese else ' '}{playbook}".strip()
    return whole if len(whole) <= MAX_TEXT else text[:MAX_TEXT]


def usual_error(cases: Iterable[FailureCase]) -> str:
    """The masked error that most of the cases show, shortened; ties go to the first by text."""
    counted = Counter(" ".join(case.error_pattern.split()) for case in cases)
    text = min(counted, key=lambda pattern: (-counted[pattern], pattern), default="")
    return text if len(text) <= MAX_ERROR else text[: MAX_ERROR - 1] + "…"


def listed(values: Sequence[str], *, chinese: bool) -> str:
    """`"a"`, `"a" or "b"`; 「a」或「b」."""
    quoted = [f"「{value}」" if chinese else f'"{value}"' for value in values]
    joint = "或" if chinese else " or "
    return joint.join(quoted)


def _is_chinese(text: str) -> bool:
    return len(_HAN.findall(text)) > len(_LATIN_WORD.findall(text))
