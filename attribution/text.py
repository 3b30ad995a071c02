"""What of a problem is compared, and how it is brought to one form first."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, get_args

from knowledge.cases import Problem
from knowledge.causes import Exemplar, Label
from knowledge.ids import digest

Field = Literal["user_intent", "error_pattern", "step_context"]
FIELDS: tuple[Field, ...] = get_args(Field)
MAX_CHARACTERS = 600
"""What is embedded of a text: the models read about 256 tokens, and an error says what it is at its start."""

_URL = re.compile(r"\b(?:https?|ftp|wss?)://\S+")
_PLACEHOLDER = re.compile(r"<[^<>\s]{1,40}>|\{\{?[\w.-]{1,40}\}?\}|\[[A-Z_]{2,40}\]")
_HAS_DIGIT = re.compile(r"[#@$€¥£]?[A-Za-z_\-./:,#]*\d(?:[A-Za-z0-9_\-./:,#%]*[A-Za-z0-9%])?")
_PREFIX = re.compile(r"^(?:(?:error|exception|err|错误|异常|报错)\s*[:：,，\-]+\s*)+", re.IGNORECASE)
_CLASS = re.compile(
    r"^(?:[A-Za-z_][\w.]*(?:Error|Exception|Timeout|Denied|Fault|Warning|Violation))\s*:\s*(?=\S)"
)
_STATUS = re.compile(
    r"^(?:HTTP(?:/[\d.]+)?\s+)?[1-5]\d\d\b\s*(?:Client Error|Server Error)?\s*[:,\-]?\s*(?=\S)"
)
_DETAIL = re.compile(
    r"\[(?:type|errno)[=\s][^\]]*\]?|\bFor further information visit\b|\b\w+\(\)", re.IGNORECASE
)
_NAME_IN_CODE = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b")
_PASCAL = re.compile(
    r"\b(?!\w*(?:Error|Exception|Timeout|Denied|Fault|Warning|Violation)\b)(?:[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+)\b"
)
_LIST = re.compile(r"\[[^\[\]{}]*\]")
_MAPPING = re.compile(r"\{[^\[\]{}]*\}")
_LITERAL = re.compile(r"\b(?:True|False|None|true|false|null)\b")
MAX_NESTED = 8
_QUOTES = re.compile(r"[\"'`“”‘’«»「」『』]")
_LOOSE = re.compile(r"[()\[\]{}<>=|*_\\#]+")
_SPACE_BEFORE = re.compile(r"\s+([,.;:!?，。；：！？])")
_REPEATED = re.compile(r"([,.;:!?，。；：、])(?:\s*[,.;:，。；：、])+")


def normalised(text: str) -> str:
    """`cased` in lower case: what is embedded, and compared where the case of letters says nothing."""
    return cased(text).casefold()


@lru_cache(maxsize=32_768)
def skeleton(pattern: str) -> str:
    """An error pattern with its lists, mappings and literals as one word each: "Expected one of <list>.". What it keeps of
    the form tells a list from a number where words alone do not."""
    text = " ".join(unicodedata.normalize("NFKC", pattern[: 4 * MAX_CHARACTERS]).split())
    for _ in range(MAX_NESTED):
        shorter = _MAPPING.sub("<map>", _LIST.sub("<list>", text))
        if shorter == text:
            break
        text = shorter
    return _LITERAL.sub("<literal>", text)[:MAX_CHARACTERS]


@lru_cache(maxsize=32_768)
def cased(text: str) -> str:
    """Masks, numbers, quotes, names in code (user_id, getUser, OrderDesk) and a leading "Error:" taken away, since they
    differ where the cause does not; NFKC, single spaces; at most MAX_CHARACTERS. A text that is nothing but a name in
    code keeps it, as words; one of placeholders alone becomes ""."""
    text = _DETAIL.sub(" ", _URL.sub(" ", unicodedata.normalize("NFKC", text[: 4 * MAX_CHARACTERS])))
    text = _QUOTES.sub("", _PLACEHOLDER.sub(" ", text)).strip()
    text = _HAS_DIGIT.sub(" ", _without_class(_PREFIX.sub("", text)))
    return _tidied(_PASCAL.sub(" ", _NAME_IN_CODE.sub(" ", text))) or _tidied(text)


def _tidied(text: str) -> str:
    """Single spaces, no loose signs; "" where no letter is left."""
    text = " ".join(_LOOSE.sub(" ", text).split())
    text = _PREFIX.sub("", _REPEATED.sub(r"\1", _SPACE_BEFORE.sub(r"\1", text)))
    text = text.strip(" ,.;:!，。；：！、-")[:MAX_CHARACTERS]
    return text if any(character.isalpha() for character in text) else ""


def _without_class(text: str) -> str:
    """Without a leading status number and the name of an exception's class: what follows says it in words."""
    return _CLASS.sub("", _STATUS.sub("", text))


def problem_texts(problem: Problem) -> Mapping[Field, str]:
    """The three texts of a problem, normalised; "" where it has none."""
    return {
        "user_intent": normalised(problem.user_intent),
        "error_pattern": normalised(problem.error_pattern),
        "step_context": normalised(problem.context_text),
    }


def exemplar_texts(exemplar: Exemplar | Label) -> Mapping[Field, str]:
    """The three texts of an exemplar or a person's answer, normalised; "" where it has none."""
    return {
        "user_intent": normalised(exemplar.user_intent),
        "error_pattern": normalised(exemplar.error_pattern),
        "step_context": normalised(exemplar.step_context),
    }


def text_digest(text: str) -> str:
    """The key of a normalised text in the store of vectors."""
    return digest("text", text)
