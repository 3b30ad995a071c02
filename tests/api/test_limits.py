"""Bodies are read up to a limit, as sent and as unpacked."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Iterable

import pytest
from starlette.requests import Request

from api.errors import BodyTooLargeError, UnsupportedBodyError
from api.limits import PIECE, pieces
from knowledge.errors import BadInputError

MIB = 1024 * 1024


def read(chunks: Iterable[bytes], limit: int = MIB, **headers: str) -> tuple[bytes, int]:
    """The body as read, and the size of its largest piece."""
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    left = list(chunks)

    async def receive() -> dict[str, object]:
        chunk = left.pop(0)
        return {"type": "http.request", "body": chunk, "more_body": bool(left)}

    async def whole() -> list[bytes]:
        request = Request({"type": "http", "headers": raw}, receive)
        return [piece async for piece in pieces(request, limit)]

    found = asyncio.run(whole())
    return b"".join(found), max(map(len, found), default=0)


def test_a_plain_body_comes_as_it_is() -> None:
    assert read([b"ab", b"", b"c"])[0] == b"abc"


def test_a_body_of_just_the_limit_is_read_and_one_byte_more_is_not() -> None:
    assert len(read([b"x" * 10], limit=10)[0]) == 10
    with pytest.raises(BodyTooLargeError, match="ERRATA_MAX_BODY_BYTES"):
        read([b"x" * 6, b"x" * 5], limit=10)


def test_a_body_that_says_it_is_too_large_is_refused_unread() -> None:
    with pytest.raises(BodyTooLargeError):
        read([], limit=10, content_length="11")


@pytest.mark.parametrize("length", ["x", "-5", "١٢", ""])
def test_a_strange_content_length_is_left_to_the_server(length: str) -> None:
    assert read([b"abc"], content_length=length)[0] == b"abc"


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_gzip_is_unpacked_however_it_is_cut(size: int) -> None:
    plain = bytes(range(256)) * 400
    packed = gzip.compress(plain)

    chunks = [packed[start : start + size] for start in range(0, len(packed), size)]

    assert read(chunks, content_encoding="gzip")[0] == plain


@pytest.mark.parametrize("extra", [0, 1, 2, 255, 256])
@pytest.mark.parametrize("size", [1, 100, MIB])
def test_what_unpacking_still_holds_when_the_input_ends_is_not_lost(extra: int, size: int) -> None:
    plain = b"\0" * (2 * PIECE + extra)
    packed = gzip.compress(plain)

    chunks = [packed[start : start + size] for start in range(0, len(packed), size)]

    assert read(chunks, content_encoding="gzip")[0] == plain


def test_several_members_and_padding_are_one_body() -> None:
    packed = gzip.compress(b"one ") + gzip.compress(b"two") + b"\0" * 20

    assert read([packed], content_encoding="gzip")[0] == b"one two"
    assert read([packed[:30], packed[30:]], content_encoding="GZip")[0] == b"one two"


def test_a_small_body_that_unpacks_into_a_huge_one_is_stopped_at_the_limit() -> None:
    bomb = gzip.compress(b"\0" * (64 * MIB))

    with pytest.raises(BodyTooLargeError, match="unpacked"):
        read([bomb], content_encoding="gzip")


def test_unpacking_never_holds_more_than_a_piece() -> None:
    _, largest = read([gzip.compress(b"\0" * (4 * MIB))], limit=5 * MIB, content_encoding="gzip")

    assert largest == PIECE


@pytest.mark.parametrize(
    "packed",
    [b"not gzip", zlib.compress(b"zlib"), gzip.compress(b"x" * 50, mtime=0)[:-9], b"\x1f\x8b"],
    ids=["no gzip", "zlib", "cut", "two bytes"],
)
def test_damaged_gzip_is_bad_input(packed: bytes) -> None:
    with pytest.raises(BadInputError):
        read([packed], content_encoding="gzip")


def test_gzip_with_a_wrong_checksum_is_bad_input() -> None:
    packed = bytearray(gzip.compress(b"some text"))
    packed[-6] ^= 1

    with pytest.raises(BadInputError, match="gzip"):
        read([bytes(packed)], content_encoding="gzip")


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, gzip", "zstd"])
def test_other_encodings_are_refused_by_name(encoding: str) -> None:
    with pytest.raises(UnsupportedBodyError, match="gzip"):
        read([b"x"], content_encoding=encoding)
