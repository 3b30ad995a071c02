"""Error messages brought to the pattern that many of them share."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import re2

MAX_MESSAGE = 2_000
"""Characters of an error message that a case keeps."""

_STATUS = r"(?i)\b(?:http|status|code|error)(?: code)?[ :=]{1,3}[45][0-9]{2}\b"
_ORDER = (
    ("value", r"input_value=.*?, input_type", "input_value=<value>, input_type"),
    ("url", r"(?:https?|ftp|wss?|file)://[^\s\"'<>)\]，。；、]+", "<url>"),
    (
        "quoted",
        r"\B'[^'\n]+'\B|\"[^\"\n]+\"|`[^`\n]+`|「[^」\n]+」|『[^』\n]+』|“[^”\n]+”|‘[^’\n]+’|《[^》\n]+》|【[^】\n]+】",
        "<quoted>",
    ),
    ("email", r"[0-9A-Za-z_.%+-]+@[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)+", "<email>"),
    (
        "date",
        (r"\b[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?\b"
        r"|\b[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}\b"
        r"|[0-9]{4}年[0-9]{1,2}月(?:[0-9]{1,2}日)?"
        r"|\b[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?: ?[AaPp][Mm])?\b"
        r"|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* [0-9]{1,2},? [0-9]{4}\b"),
        "<date>",
    ),
    (
        "path",
        r"(?:[A-Za-z]:\\|\\\\)[^\s\"'<>|:*?]+|(?:~|\.{1,2})?(?:/[0-9A-Za-z_.@%+~-]+){2,}/?|\b[0-9A-Za-z_-]+(?:/[0-9A-Za-z_.-]+)+\.[A-Za-z]{1,5}\b",
        "<path>",
    ),
    ("version", r"\bv[0-9]+(?:\.[0-9]+)+\b|\b[0-9]+\.[0-9]+\.[0-9]+(?:[-+.][0-9A-Za-z.]+)?\b", "<version>"),
    (
        "id",
        (r"#[0-9A-Za-z_-]*[0-9][0-9A-Za-z_-]*"
        r"|\b[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}\b"
        r"|\b[0-9A-Za-z]*[A-Za-z][0-9A-Za-z]*(?:[_-][0-9A-Za-z]+)*[_-][0-9A-Za-z]*[0-9][0-9A-Za-z]*(?:[_-][0-9A-Za-z]+)*\b"
        r"|\b(?:[A-Za-z]+[0-9]|[0-9]+[A-Za-z]+[0-9]|[0-9]+[A-Z]+)[0-9A-Za-z]*\b"
        r"|\b[0-9]{6,}\b"),
        "<id>",
    ),
    (
        "num",
        r"[-+]?[$€£¥]?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?%?",
        "<num>",
    ),
)  # fmt: skip


def error_pattern(message: str) -> str:
    """`message` with what differs from case to case masked: <value> (of a pydantic error), <url>, <quoted>, <email>,
    <date>, <path>, <version>, <id>, <num>. A status such as "HTTP 503" is a name and stays. White space is one
    space; at most MAX_MESSAGE characters are read."""
    return _pattern(message[:MAX_MESSAGE])


@lru_cache(maxsize=8192)
def _pattern(message: str) -> str:
    text = " ".join(message.split())
    kept, data, end = [], text.encode("utf-8", "replace"), 0
    for match in _status().finditer(data):
        kept += [_masked(data[end : match.start()]), match.group()]
        end = match.end()
    return b"".join([*kept, _masked(data[end:])]).decode("utf-8", "replace")


def _masked(data: bytes) -> bytes:
    for regex, placeholder in _varying():
        if regex.search(data) is not None:
            data = regex.sub(placeholder, data)
    return data


@lru_cache(maxsize=1)
def _status() -> Any:
    return _compiled(_STATUS)


@lru_cache(maxsize=1)
def _varying() -> tuple[tuple[Any, bytes], ...]:
    return tuple((_compiled(pattern), placeholder.encode()) for _, pattern, placeholder in _ORDER)


def _compiled(pattern: str) -> Any:
    """The pattern over the bytes of UTF-8 text."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.UTF8
    return re2.compile(pattern.encode(), options)
