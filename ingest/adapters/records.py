"""A source file as a sequence of JSON records: an array, one value a line, or one value after the other; or as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Literal

from errata_client.model import JsonValue
from ingest.adapters.bytestream import CutOffError, read_binary, read_bytes
from ingest.adapters.jsonstream import MAX_ELEMENT, JsonStream, TooLong
from ingest.adapters.jsonvalue import NotJsonError, is_valid_utf8, loads
from ingest.adapters.otlp.framing import Framing, framing_of
from knowledge.errors import BadInputError

Layout = Literal["array", "lines", "values", "text", "binary"]
SAMPLES = 3
LOOKED_AT = 20
KEYS_LOOKED_AT = 80
HEAD = 64 * 1024
"""Bytes of a text's beginning that it is recognised by."""

WHOLE_OBJECT_KEYS = frozenset({"simulations"})
"""Keys whose value is a long list of records: an object that has one is taken apart, never read whole."""


@dataclass(frozen=True)
class Opening:
    """A file looked into: how its records are laid out, outlines of the first readable ones, the keys of the first
    object as far as they were read, and what was wrong with the first unreadable one. `limit` is the length in bytes that
    a record may have. Of a "binary" file nothing but its `framing` is known: it has no JSON records."""

    path: Path
    layout: Layout
    samples: tuple[JsonValue, ...] = ()
    keys: tuple[str, ...] = ()
    limit: int = MAX_ELEMENT
    trouble: str | None = None
    head: bytes = b""
    framing: Framing | None = None


@dataclass(frozen=True)
class Record:
    """One JSON value and where it stood: "record 17" of an array, "line 17"; both count from 1."""

    position: str
    value: JsonValue


@dataclass(frozen=True)
class Unreadable:
    """Where something stood that is no record, and why."""

    position: str
    reason: str


def open_source(path: Path, limit: int = MAX_ELEMENT) -> Opening:
    """Look into the file. BadInputError where it cannot be opened or is empty."""
    if framing := framing_of(_raw_head(path)):
        return Opening(path, "binary", limit=limit, framing=framing)
    first = _first_byte(path)
    if first not in b"[{":
        return _open_odd(path, limit)
    keys = _first_keys(path, limit) if first in b"{" else ()
    if WHOLE_OBJECT_KEYS & set(keys):
        return Opening(path, "values", (), keys, limit)
    layout = _layout(path, limit, array=first in b"[")
    opening = _with_samples(Opening(path, layout, (), keys, limit))
    return opening if opening.samples or keys else replace(opening, head=_head(path))


def _with_samples(opening: Opening) -> Opening:
    """With outlines of the first few records that hold something, out of the first LOOKED_AT; and with what was wrong
    with the first one that could not be read."""
    found: list[JsonValue] = []
    trouble = None
    for item in islice(records(opening), LOOKED_AT):
        if isinstance(item, Unreadable):
            trouble = trouble or f"{item.position}: {item.reason}"
        elif isinstance(item.value, dict | list) and item.value:
            found.append(_outline(item.value, 4))
        if len(found) >= SAMPLES:
            break
    return replace(opening, samples=tuple(found), trouble=trouble)


def _outline(value: JsonValue, depth: int) -> JsonValue:
    """The first keys, items and characters of a value: enough to see what it is, however large it is."""
    if isinstance(value, dict) and depth:
        return {key: _outline(below, depth - 1) for key, below in islice(value.items(), KEYS_LOOKED_AT)}
    if isinstance(value, list) and depth:
        return [_outline(below, depth - 1) for below in value[:LOOKED_AT]]
    if isinstance(value, dict | list):
        return None
    return value[:100] if isinstance(value, str) else value


def stream(opening: Opening) -> JsonStream:
    """The file from its beginning, to be taken apart."""
    return JsonStream(read_bytes(opening.path), opening.limit)


def records(opening: Opening) -> Iterator[Record | Unreadable]:
    """All records in their order, with what could not be read at its place; a cut at the end is reported last."""
    if opening.layout in {"lines", "text"}:
        yield from _line_records(opening)
        return
    if opening.layout == "binary":
        yield Unreadable("the file", "it holds protobuf, not JSON")
        return
    reader = stream(opening)
    items = reader.elements() if opening.layout == "array" else _values(reader)
    yield from numbered(items, reader, "record")


def numbered(
    items: Iterator[bytes | TooLong], reader: JsonStream, word: str, *, alone: bool = True
) -> Iterator[Record | Unreadable]:
    """The elements as records named by `word` and their number from 1; then why the input ended early, if so.

    `alone`: the list is all that the file holds, so text behind it is reported.
    """
    number = 0
    try:
        for number, item in enumerate(items, 1):
            yield from _parsed(f"{word} {number}", item)
        if alone and reader.peek() is not None:
            yield Unreadable(f"after {word} {number}", "there is text after the end of the list")
    except (CutOffError, NotJsonError) as error:
        yield Unreadable(f"after {word} {number}", str(error))
        return
    if reader.cut is not None:
        yield Unreadable(f"after {word} {number}", str(reader.cut))


def lines(pieces: Iterator[bytes], limit: int = MAX_ELEMENT) -> Iterator[bytes | TooLong]:
    """The lines, without their ends. CutOffError after the last piece of a line that was cut off."""
    held, skipped = bytearray(), 0
    try:
        for piece in pieces:
            whole, newline, rest = piece.rpartition(b"\n")
            if newline:
                held += whole
                yield from _lines_of(held, skipped, limit)
                skipped = 0
            held += rest
            if len(held) > limit:
                skipped += len(held)
                held.clear()
    except CutOffError:
        yield from _lines_of(held, skipped, limit)
        raise
    if held or skipped:
        yield from _lines_of(held, skipped, limit)


def _lines_of(held: bytearray, skipped: int, limit: int) -> Iterator[bytes | TooLong]:
    """The lines in `held`, which is emptied; of the first one `skipped` bytes are gone already."""
    data = bytes(held)
    held.clear()
    for line in data.split(b"\n") if b"\n" in data else [data]:
        yield TooLong(skipped + len(line)) if skipped or len(line) > limit else line
        skipped = 0


def _line_records(opening: Opening) -> Iterator[Record | Unreadable]:
    number = 0
    try:
        for number, line in enumerate(lines(read_bytes(opening.path), opening.limit), 1):
            if isinstance(line, TooLong) or line.strip():
                yield from _parsed(f"line {number}", line)
    except CutOffError as error:
        yield Unreadable(f"line {number}", str(error))


def _parsed(position: str, item: bytes | TooLong) -> Iterator[Record | Unreadable]:
    if isinstance(item, TooLong):
        size = f"{item.size / 1_000_000:.0f} MB"
        yield Unreadable(position, f"{size} long; a record may have {MAX_ELEMENT // 2**20} MiB")
        return
    try:
        yield Record(position, loads(item))
    except NotJsonError as error:
        yield Unreadable(position, str(error))
        return
    if not item.isascii() and not is_valid_utf8(item):
        yield Unreadable(position, "read, but bytes in it that are not UTF-8 were replaced by U+FFFD")


def _values(reader: JsonStream) -> Iterator[bytes | TooLong]:
    while reader.peek() is not None:
        yield reader.value()


def _raw_head(path: Path) -> bytes:
    """The first bytes as they are; what is wrong with a damaged file is found when it is read."""
    try:
        return next(read_binary(path), b"")[:HEAD]
    except CutOffError:
        return b""


def _first_byte(path: Path) -> bytes:
    reader = JsonStream(read_bytes(path))
    found = reader.peek()
    if found is not None:
        return bytes([found])
    if reader.cut:
        raise BadInputError(f"{path}: {reader.cut}; no record could be read")
    raise BadInputError(f"{path} is empty: there is nothing to read")


def _first_keys(path: Path, limit: int) -> tuple[str, ...]:
    reader = JsonStream(read_bytes(path), limit)
    keys: list[str] = []
    try:
        for key in reader.members():
            keys.append(key)
            if key in WHOLE_OBJECT_KEYS:
                break
            reader.value()
    except (CutOffError, NotJsonError):
        pass
    return tuple(keys)


def _layout(path: Path, limit: int, *, array: bool) -> Layout:
    """An array, unless lines hold a conversation each. Of objects one a line, if the first line is a whole one, or if
    what begins in it is none but a later line is: then it is the first line that is broken."""
    if array and not _begins_with_message(path, limit):
        return "array"
    head = islice(_line_is_container(path, limit), LOOKED_AT)
    first_is_whole = next(head, False)
    if array:
        return "lines" if first_is_whole and next(head, None) is not None else "array"
    if first_is_whole or (not _begins_with_object(path, limit) and any(head)):
        return "lines"
    return "values"


def _begins_with_object(path: Path, limit: int) -> bool:
    """Whether a whole object begins in the first line, however many lines it takes."""
    try:
        first = JsonStream(read_bytes(path), limit).value()
    except CutOffError:
        return False
    return isinstance(first, bytes) and _is_container(first)


def _begins_with_message(path: Path, limit: int) -> bool:
    try:
        first = next(JsonStream(read_bytes(path), limit).elements(), b"")
        value = loads(first) if isinstance(first, bytes) else None
    except (CutOffError, NotJsonError):
        return False
    return isinstance(value, dict) and "role" in value


def _line_is_container(path: Path, limit: int) -> Iterator[bool]:
    """Of each line that is not empty, whether it is an object or an array that holds something."""
    try:
        for line in lines(read_bytes(path), limit):
            if isinstance(line, bytes) and line.strip():
                yield _is_container(line)
    except CutOffError:
        return


def _is_container(line: bytes) -> bool:
    try:
        value = loads(line)
    except NotJsonError:
        return False
    return isinstance(value, dict | list) and bool(value)


def _open_odd(path: Path, limit: int) -> Opening:
    """A file that does not begin with a bracket: lines, if an early one is an object; else text."""
    head = _head(path)
    if any(islice(_line_is_container(path, limit), LOOKED_AT)):
        return _with_samples(Opening(path, "lines", (), (), limit, head=head))
    return Opening(path, "text", (), (), limit, head=head)


def _head(path: Path) -> bytes:
    held = bytearray()
    try:
        for piece in read_bytes(path):
            held += piece
            if len(held) >= HEAD:
                break
    except CutOffError:
        pass
    return bytes(held[:HEAD])
