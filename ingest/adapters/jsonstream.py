"""JSON taken apart while it is read: the elements of an array and the members of an object, one at a time.

Only the structure is looked at (quotes, brackets, commas), by regular expressions over bytes, so that memory
holds one element and not the file. What an element holds is not checked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.adapters.bytestream import CutOffError
from ingest.adapters.jsonvalue import NotJsonError, loads

MAX_ELEMENT = 64 * 1024 * 1024
"""Bytes of one element, line or record; a longer one is skipped and reported."""

_STRUCTURE = re.compile(rb'["\[\]{}]')
_IN = rb'[^"\\]*(?:\\.[^"\\]*)*'
_UP_TO_STRUCTURE = re.compile(rb'[^"\[\]{}]*(?:"' + _IN + rb'"[^"\[\]{}]*)*', re.DOTALL)
"""With the whole strings on the way; one that is cut off by the end of the buffer stays. There is one way only to match, so
nothing is tried twice; possessive groups, which would say so, match wrongly before Python 3.11.5."""
_IN_STRING = re.compile(_IN, re.DOTALL)
_SCALAR = re.compile(rb'[^",\[\]{}\s]*')
_BLANK = re.compile(rb"\s*")
_OPEN = b"[{"
_QUOTE = 0x22


@dataclass(frozen=True)
class TooLong:
    """Stands for an element of more than MAX_ELEMENT bytes, which was skipped."""

    size: int


class JsonStream:
    """A reader over pieces of UTF-8 JSON. Every method raises CutOffError where the input ends too early."""

    def __init__(self, pieces: Iterator[bytes], limit: int = MAX_ELEMENT) -> None:
        self._pieces = pieces
        self._limit = limit
        self._buffer = bytearray()
        self._at = 0
        self._cut: CutOffError | None = None
        self._skipped = 0

    def peek(self) -> int | None:
        """The next byte that is not white space, not taken; None at the end of the input."""
        while True:
            match = _BLANK.match(self._buffer, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._fill():
                return None

    def elements(self) -> Iterator[bytes | TooLong]:
        """The elements of the array that begins here, each as its bytes; nothing is between the calls but them."""
        self._take(b"[")
        while (found := self._next_item(b"]")) is not None:
            del found
            yield self.value()
        self._take(b"]")

    def members(self) -> Iterator[str]:
        """The keys of the object that begins here. After each the caller takes the value, in whatever way."""
        self._take(b"{")
        while (found := self._next_item(b"}")) is not None:
            if found != _QUOTE:
                raise NotJsonError("a key was expected")
            key = self.value()
            self._take(b":")
            yield str(loads(key)) if isinstance(key, bytes) else ""
        self._take(b"}")

    def value(self) -> bytes | TooLong:
        """The bytes of the value that begins here."""
        first = self.peek()
        if first is None:
            raise self._ended()
        start, self._skipped = self._drop_before(), 0
        if first in _OPEN:
            self._pass_container()
        elif first == _QUOTE:
            self._pass_string()
        else:
            self._pass_scalar()
        if self._skipped:
            return TooLong(self._skipped + self._at - start)
        return bytes(self._buffer[start : self._at])

    def _next_item(self, closing: bytes) -> int | None:
        """The first byte of the next item, past a comma; None where the container closes."""
        found = self.peek()
        while found == 0x2C:
            self._at += 1
            found = self.peek()
        if found is None:
            raise self._ended()
        return None if found == closing[0] else found

    def _take(self, byte: bytes) -> None:
        found = self.peek()
        if found is None:
            raise self._ended()
        if found != byte[0]:
            raise NotJsonError(f"{byte.decode()!r} was expected")
        self._at += 1

    def _pass_container(self) -> None:
        depth = 0
        while True:
            passed = _UP_TO_STRUCTURE.match(self._buffer, self._at)
            self._at = passed.end() if passed else self._at
            match = _STRUCTURE.match(self._buffer, self._at)
            if match is None:
                self._at = len(self._buffer)
                self._need()
                continue
            byte = self._buffer[match.start()]
            self._at = match.start() if byte == _QUOTE else match.end()
            if byte == _QUOTE:
                self._pass_string()
                continue
            depth += 1 if byte in _OPEN else -1
            if depth == 0:
                return

    def _pass_string(self) -> None:
        self._at += 1
        while True:
            match = _IN_STRING.match(self._buffer, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._buffer) and self._buffer[self._at] == _QUOTE:
                self._at += 1
                return
            self._need()

    def _pass_scalar(self) -> None:
        start = self._at + self._skipped
        while True:
            match = _SCALAR.match(self._buffer, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._buffer) or not self._fill():
                break
        if self._at + self._skipped == start:  # a stray bracket or quote: taken, so that reading goes on
            self._at += 1

    def _drop_before(self) -> int:
        """Forget what was read; where the buffer now stands."""
        if self._at > 1 << 20 or self._at == len(self._buffer):
            del self._buffer[: self._at]
            self._at = 0
        return self._at

    def _need(self) -> None:
        """More input, or CutOffError. Of an element that is too long only its length is kept."""
        if len(self._buffer) > self._limit + (1 << 20):
            self._skipped += self._at
            del self._buffer[: self._at]
            self._at = 0
        if not self._fill():
            raise self._ended()

    def _fill(self) -> bool:
        try:
            piece = next(self._pieces, None)
        except CutOffError as cut:
            self._cut, piece = cut, None
        if piece is None:
            return False
        self._buffer += piece
        return True

    def _ended(self) -> CutOffError:
        return self._cut or CutOffError("the file ends in the middle of a record")

    @property
    def cut(self) -> CutOffError | None:
        """Why the bytes ended, where they ended early."""
        return self._cut
