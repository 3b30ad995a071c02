"""Texts as they read once unpacked: escapes of JSON and of URLs undone, each character knowing where it came from."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

_ESCAPED = re.compile(r"\\(?:u[0-9A-Fa-f]{4}|[\"\\/bfnrt'])")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_CONTROL = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True)
class View:
    """`text`, and for each of its characters where in the source it begins; the last entry is the source's length."""

    text: str
    begins: array[int]

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Where text[start:end] stands in the source."""
        return self.begins[start], self.begins[end]

    def spelled(self, source: str, start: int, made: str) -> str:
        """`made`, which replaces as many characters from `start` on, as the source would spell it."""
        parts = []
        for place, character in enumerate(made, start):
            given = source[self.begins[place] : self.begins[place + 1]]
            parts.append(given if self.text[place] == character else _escaped(given, character))
        return "".join(parts)


def views(text: str) -> Iterator[View]:
    """The text with its JSON escapes undone, and with those of URLs undone; neither where it has none of them."""
    if "\\" in text:
        yield _view(text, _ESCAPED, _unescaped)
    if "%" in text and _PERCENT.search(text):
        yield _view(text, _PERCENT, _unquoted)


def _view(text: str, pattern: re.Pattern[str], undo: Callable[[str], list[tuple[str, int]]]) -> View:
    parts, begins, end = list[str](), array("L"), 0
    for match in pattern.finditer(text):
        start = match.start()
        parts.append(text[end:start])
        begins.extend(range(end, start))
        for character, length in undo(match.group()):
            parts.append(character)
            begins.append(start)
            start += length
        end = match.end()
    parts.append(text[end:])
    begins.extend(range(end, len(text) + 1))
    return View("".join(parts), begins)


def _unescaped(escape: str) -> list[tuple[str, int]]:
    if escape[1] == "u":
        code = int.from_bytes(bytes.fromhex(escape[2:]))
        return [(chr(code) if not 0xD800 <= code < 0xE000 else "\ufffd", len(escape))]
    return [(_CONTROL.get(escape[1], escape[1]), len(escape))]


def _unquoted(escapes: str) -> list[tuple[str, int]]:
    """Each character of the bytes, with how much of the source it took; what is no UTF-8 stays a replacement character."""
    data = bytes.fromhex(escapes.replace("%", ""))
    found: list[tuple[str, int]] = []
    while data:
        size = 1 if data[0] < 0x80 else 2 if data[0] < 0xE0 else 3 if data[0] < 0xF0 else 4
        character = data[:size].decode("utf-8", "replace")
        size = size if len(character) == 1 else 1
        found.append((character[0], 3 * min(size, len(data))))
        data = data[size:]
    return found


def _escaped(given: str, character: str) -> str:
    if given.startswith("%"):
        spelled = "".join(f"%{byte:02X}" for byte in character.encode())
        return spelled if len(given) > 3 or character.isascii() else quote(character)
    if given.startswith("\\u"):
        return f"\\u{ord(character):04x}"
    return character
