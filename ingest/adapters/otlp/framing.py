"""How protobuf lies in a file: bare, or each message behind its length. Told by the first bytes alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

Framing = Literal["bare", "varint", "uint32"]

_RESOURCE_SPANS = 0x0A
"""Field 1 of ExportTraceServiceRequest, length-delimited."""

_INSIDE = frozenset({0x0A, 0x12, 0x1A})
"""Fields 1 to 3 of ResourceSpans, length-delimited: resource, scope_spans, schema_url."""

_TEXT = frozenset(b"\t\n\r\x0c\x08\x1b")


def framing_of(head: bytes) -> Framing | None:
    """How the file whose first bytes these are holds OTLP protobuf; None where it holds text or something else.

    A message begins with 0x0A, which is a newline in text, so what follows has to fit: the length of a ResourceSpans,
    one of its three fields, and bytes that no text has.
    """
    if not any(byte < 0x20 and byte not in _TEXT for byte in head):
        return None
    if head[:1] == b"\x00" and _is_message(head[4:], int.from_bytes(head[:4], "big")):
        return "uint32"
    if _is_message(head, None):
        return "bare"
    size, start = _varint(head, 0)
    return "varint" if size is not None and _is_message(head[start:], size) else None


def _is_message(data: bytes, size: int | None) -> bool:
    """Whether a request begins here whose first ResourceSpans fits into `size` bytes, where that is known."""
    if data[:1] != bytes([_RESOURCE_SPANS]):
        return False
    length, start = _varint(data, 1)
    if length is None or not length or (size is not None and start + length > size):
        return False
    inner, after = _varint(data, start + 1)
    if data[start] not in _INSIDE if start < len(data) else True:
        return False
    return inner is not None and after - start + inner <= length


def _varint(data: bytes, start: int) -> tuple[int | None, int]:
    """The number at `start` and where it ends; None where it is cut off or longer than 64 bits."""
    number = 0
    for at, byte in enumerate(data[start : start + 10]):
        number |= (byte & 0x7F) << (7 * at)
        if byte < 0x80:
            return number, start + at + 1
    return None, start


class Pieces:
    """Messages taken out of a stream of bytes one after the other, so that no more than one is held."""

    def __init__(self, pieces: Iterator[bytes], framing: Framing, limit: int) -> None:
        self._pieces, self._framing, self._limit = pieces, framing, limit
        self._buffer = bytearray()

    def messages(self) -> Iterator[bytes | int]:
        """Each message's bytes, as a request; of one longer than the limit only its length. Ends where the stream does, or
        with ValueError where it is broken there."""
        while self._need(1):
            size, header = self._header()
            if size > self._limit:
                self._skip(header + size)
                yield size
                continue
            if not self._need(header + size):
                raise ValueError("it ends in the middle of a message")
            start = 0 if self._framing == "bare" else header
            message = bytes(self._buffer[start : header + size])
            del self._buffer[: header + size]
            yield message

    def _header(self) -> tuple[int, int]:
        """The length of the next message, and that of what tells it."""
        if self._framing == "uint32":
            if not self._need(4):
                raise ValueError("it ends in the middle of a length")
            return int.from_bytes(self._buffer[:4], "big"), 4
        self._need(11)
        bare = self._framing == "bare"
        if bare and self._buffer[0] != _RESOURCE_SPANS:
            raise ValueError("something else than ResourceSpans stands there")
        size, end = _varint(bytes(self._buffer[:11]), 1 if bare else 0)
        if size is None:
            raise ValueError("a length is broken")
        return size, end

    def _need(self, size: int) -> bool:
        while len(self._buffer) < size:
            piece = next(self._pieces, None)
            if piece is None:
                return False
            self._buffer += piece
        return True

    def _skip(self, size: int) -> None:
        while size > len(self._buffer):
            size -= len(self._buffer)
            self._buffer.clear()
            if not self._need(1):
                raise ValueError("it ends in the middle of a message")
        del self._buffer[:size]
