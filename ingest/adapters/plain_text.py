"""A source file as lines of text: without colour codes, in UTF-8 or GB18030, each with its number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ingest.adapters.bytestream import CutOffError, read_bytes
from ingest.adapters.jsonstream import TooLong
from ingest.adapters.jsonvalue import clean_text
from ingest.adapters.port import NotAnalysed
from ingest.adapters.records import Opening, lines

MAX_LINE = 1024 * 1024
"""Characters that are kept of a line; an analysis keeps less."""

_COLOUR = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)"  # as a terminal gets them
    r"|\[(?:[01]|\d{1,2}(?:;\d{1,3}){1,4})m"  # as they are where a copy lost the escape characters
)
_CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")


@dataclass(frozen=True)
class Line:
    """A line without its end; `number` counts from 1."""

    number: int
    text: str


@dataclass
class TextLines:
    """The lines of a source, and in `troubles` what had to be replaced or was cut off."""

    opening: Opening
    troubles: list[NotAnalysed] = field(default_factory=list)

    def __iter__(self) -> Iterator[Line]:
        number = 0
        try:
            for number, raw in enumerate(lines(read_bytes(self.opening.path), self.opening.limit), 1):
                if isinstance(raw, TooLong):
                    self._note(number, f"{raw.size / 1_000_000:.0f} MB long; it was skipped")
                else:
                    yield Line(number, self._decoded(raw, number))
        except CutOffError as error:
            self._note(number, str(error))

    def _decoded(self, raw: bytes, number: int) -> str:
        text, how = decoded(raw)
        if how and not any(how in trouble.reason for trouble in self.troubles):
            self._note(number, how)
        return text

    def _note(self, number: int, reason: str) -> None:
        self.troubles.append(NotAnalysed(position=f"line {number}", reason=reason))


def lines_of(text: str) -> Iterable[Line]:
    """The lines of a text that a record holds."""
    return (Line(number, plain(line)) for number, line in enumerate(text.split("\n"), 1))


def head_lines(opening: Opening) -> list[Line]:
    """The lines of the file's beginning; the last one may be cut off."""
    return [Line(number, decoded(raw)[0]) for number, raw in enumerate(opening.head.split(b"\n"), 1)]


def decoded(raw: bytes) -> tuple[str, str | None]:
    """The line as plain text, and what had to be done about bytes that are not UTF-8."""
    try:
        return plain(raw.decode("utf-8")), None
    except UnicodeDecodeError:
        pass
    chinese = _as_chinese(raw)
    if chinese is not None:
        return plain(chinese), "not UTF-8; it was read as GB18030, and other such lines too"
    return plain(raw.decode("utf-8", "replace")), "read, but bytes that are not UTF-8 were replaced by U+FFFD"


def plain(text: str) -> str:
    """`text` without colour codes, line ends and what no store can keep; not more of it than MAX_LINE."""
    shown = _COLOUR.sub("", text) if "[" in text or "\x1b" in text else text
    return clean_text(shown.rstrip("\r")[:MAX_LINE])


def _as_chinese(raw: bytes) -> str | None:
    """The line as GB18030, if what is not ASCII in it is then nearly all Chinese."""
    try:
        text = raw.decode("gb18030")
    except UnicodeDecodeError:
        return None
    others = [character for character in text if not character.isascii()]
    found = sum(bool(_CHINESE.match(character)) for character in others)
    return text if found >= 2 and found >= 0.9 * len(others) else None
