"""The bytes of a source file as UTF-8, piece by piece: plain or gzip, whatever its encoding."""

from __future__ import annotations

import codecs
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path

from knowledge.errors import BadInputError

PIECE = 256 * 1024
GZIP_MAGIC = b"\x1f\x8b"

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class CutOffError(Exception):
    """The stream ends before it should; everything before was given. The text says where and why."""


def read_bytes(path: Path) -> Iterator[bytes]:
    """The file's content in pieces of about PIECE bytes, decompressed and as UTF-8 without a byte order mark.

    Raises CutOffError after the last good piece of a damaged gzip stream, BadInputError where the file cannot
    be opened. Bytes that are not UTF-8 are passed on as they are.
    """
    yield from _as_utf8(_decompressed(_raw(path)))


def read_binary(path: Path) -> Iterator[bytes]:
    """The same for what is no text: decompressed, and otherwise as it is."""
    yield from _decompressed(_raw(path))


def _raw(path: Path) -> Iterator[bytes]:
    try:
        if stat.S_ISFIFO(path.stat().st_mode):  # what is read to recognise it would be gone
            raise BadInputError(f"{path}: is a pipe, which can be read only once; save it as a file first")
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                yield piece
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read ({error.strerror or error})") from error


def _decompressed(pieces: Iterator[bytes]) -> Iterator[bytes]:
    first = next(pieces, b"")
    if not first.startswith(GZIP_MAGIC):
        if first:
            yield first
        yield from pieces
        return
    yield from _Gunzip().run(first, pieces)


class _Gunzip:
    """Members of a gzip file one after the other; the output of a step is bounded by PIECE."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(wbits=31)
        self._given = 0

    def run(self, first: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
        yield from self._feed(first)
        for piece in pieces:
            yield from self._feed(piece)
        if not self._member.eof:
            raise CutOffError(f"the gzip stream ends early, after {self._given} bytes of content")

    def _feed(self, piece: bytes) -> Iterator[bytes]:
        while piece:
            if self._member.eof:
                if not piece.strip(b"\0"):
                    return
                self._member = zlib.decompressobj(wbits=31)
            try:
                out = self._member.decompress(piece, PIECE)
            except zlib.error as error:
                raise CutOffError(
                    f"the gzip stream is damaged after {self._given} bytes of content ({error})"
                ) from error
            self._given += len(out)
            if out:
                yield out
            piece = self._member.unused_data if self._member.eof else self._member.unconsumed_tail


def _as_utf8(pieces: Iterator[bytes]) -> Iterator[bytes]:
    first = next(pieces, b"")
    bom, encoding = _encoding(first)
    first = first[len(bom) :]
    if encoding == "utf-8":
        if first:
            yield first
        yield from pieces
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    yield decoder.decode(first).encode("utf-8", "replace")
    for piece in pieces:
        yield decoder.decode(piece).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _encoding(start: bytes) -> tuple[bytes, str]:
    """The byte order mark and the encoding; UTF-16 without a mark shows by the NULs beside ASCII."""
    for bom, encoding in _BOMS:
        if start.startswith(bom):
            return bom, encoding
    if len(start) >= 4 and start[1] == 0 and start[3] == 0 and start[0]:
        return b"", "utf-16-le"
    if len(start) >= 4 and start[0] == 0 and start[2] == 0 and start[1]:
        return b"", "utf-16-be"
    return b"", "utf-8"
