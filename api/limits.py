"""How much of a body is read: counted while it arrives, and again while it is unpacked."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Iterator

from starlette.requests import ClientDisconnect, Request

from api.errors import BodyTooLargeError, UnsupportedBodyError
from knowledge.errors import BadInputError

PIECE = 256 * 1024
GZIP_WINDOW = 16 + zlib.MAX_WBITS


async def pieces(request: Request, limit: int) -> AsyncIterator[bytes]:
    """The body in pieces of at most `PIECE` bytes once unpacked, gzip or not.

    BodyTooLargeError as soon as more than `limit` bytes were sent, or came out of unpacking; BadInputError where
    the gzip data is damaged or cut short, or the client went away.
    """
    refuse_announced(request, limit)
    unpack = unpacker_of(request)
    sent = 0
    try:
        async for chunk in request.stream():
            sent += len(chunk)
            _demand_within(sent, limit)
            for piece in unpack.feed(chunk, limit):
                yield piece
    except ClientDisconnect as error:
        raise BadInputError("the client went away before the whole body had arrived") from error
    unpack.finish()


def refuse_announced(request: Request, limit: int) -> None:
    """BodyTooLargeError if the request says itself that it is too large, before any of it is read."""
    announced = request.headers.get("content-length", "")
    if announced.isascii() and announced.isdigit():
        _demand_within(int(announced), limit)


def unpacker_of(request: Request) -> Plain | Gzip:
    """What unpacks this request's body; UnsupportedBodyError for an encoding other than gzip."""
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding in {"identity", ""}:
        return Plain()
    if encoding in {"gzip", "x-gzip"}:
        return Gzip()
    raise UnsupportedBodyError(f"Content-Encoding {encoding!r} is not read: send gzip, or none")


class Plain:
    """A body that is what it is."""

    def feed(self, chunk: bytes, limit: int) -> Iterator[bytes]:  # noqa: ARG002 - counted by the caller
        """The chunk itself, in pieces."""
        for start in range(0, len(chunk), PIECE):
            yield chunk[start : start + PIECE]

    def finish(self) -> None:
        """Nothing can be missing that the transport did not miss."""


class Gzip:
    """A gzip body of one member or several, unpacked piece by piece: no more than a piece is held at once."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(GZIP_WINDOW)
        self._begun = False
        self._unpacked = 0

    def feed(self, chunk: bytes, limit: int) -> Iterator[bytes]:
        """What comes out of the chunk; stops with BodyTooLargeError once that is over the limit in total."""
        pending = False
        while chunk or pending:
            piece = self._step(chunk)
            chunk = self._inflate.unconsumed_tail or self._next_member()
            pending = len(piece) == PIECE and not self._inflate.eof
            self._unpacked += len(piece)
            _demand_within(self._unpacked, limit, " once unpacked")
            if piece:
                yield piece

    def finish(self) -> None:
        """BadInputError if the data ended inside a member."""
        if self._begun and not self._inflate.eof:
            raise BadInputError("the gzip body ends too early: send it again")

    def _step(self, chunk: bytes) -> bytes:
        if self._inflate.eof:
            self._inflate = zlib.decompressobj(GZIP_WINDOW)
        self._begun = True
        try:
            return self._inflate.decompress(chunk, PIECE)
        except zlib.error as error:
            raise BadInputError(f"the body is not gzip as its Content-Encoding says: {error}") from error

    def _next_member(self) -> bytes:
        """What follows the end of a member; zero bytes are padding."""
        return self._inflate.unused_data.lstrip(b"\0") if self._inflate.eof else b""


def _demand_within(size: int, limit: int, state: str = "") -> None:
    if size > limit:
        raise BodyTooLargeError(
            f"the body has more than {limit} bytes{state}: send it in parts, or raise ERRATA_MAX_BODY_BYTES"
        )
