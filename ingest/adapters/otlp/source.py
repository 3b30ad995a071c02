"""The spans of a file, one after the other, whatever they lie in."""

from __future__ import annotations

from collections.abc import Iterator

from errata_client.model import JsonValue
from ingest.adapters.bytestream import CutOffError, read_binary
from ingest.adapters.jsonstream import JsonStream, TooLong
from ingest.adapters.jsonvalue import NotJsonError, loads
from ingest.adapters.otlp.framing import Pieces
from ingest.adapters.otlp.json_wire import RESOURCES, spans_in
from ingest.adapters.otlp.proto_wire import request_spans
from ingest.adapters.otlp.span import Span, SpanError
from ingest.adapters.port import NotAnalysed
from ingest.adapters.records import Opening, Record, Unreadable, numbered, records, stream

LONG_LISTS = frozenset({*RESOURCES, "data"})
"""Keys of an object whose value is taken apart where the object is too long to be read whole."""

Read = Span | NotAnalysed


def spans_of(opening: Opening) -> Iterator[Read]:
    """Every span of the file, and what could not be read at its place. Never raises for what a file holds."""
    if opening.framing is not None:
        yield from _binary_spans(opening)
    elif not opening.samples and LONG_LISTS & set(opening.keys):
        yield from _long_object(opening)
    else:
        for item in records(opening):
            yield from _record_spans(item)


def placed(found: Iterator[Span | SpanError], position: str) -> Iterator[Read]:
    """What was found, each fault as not analysed at `position` and its number from 1."""
    for number, item in enumerate(found, 1):
        if isinstance(item, Span):
            yield item
        else:
            yield NotAnalysed(position=f"{position}, span {number}", reason=str(item))


def _record_spans(item: Record | Unreadable) -> Iterator[Read]:
    if isinstance(item, Unreadable):
        yield NotAnalysed(position=item.position, reason=item.reason)
    else:
        yield from placed(spans_in(item.value), item.position)


def _long_object(opening: Opening) -> Iterator[Read]:
    """The elements of the lists in the one object that the file is, one by one."""
    reader = stream(opening)
    try:
        for key in reader.members():
            if key in LONG_LISTS and reader.peek() == ord("["):
                yield from _elements(reader, key)
            else:
                reader.value()
    except (CutOffError, NotJsonError) as error:
        yield NotAnalysed(position="the file's outer object", reason=str(error))


def _elements(reader: JsonStream, key: str) -> Iterator[Read]:
    for item in numbered(_wrapped(reader, key), reader, key, alone=False):
        yield from _record_spans(item)


def _wrapped(reader: JsonStream, key: str) -> Iterator[bytes | TooLong]:
    """Each element as the object that would hold it alone."""
    head = b'{"' + key.encode() + b'":['
    for item in reader.elements():
        yield head + item + b"]}" if isinstance(item, bytes) else item


def _binary_spans(opening: Opening) -> Iterator[Read]:
    assert opening.framing is not None
    pieces = Pieces(read_binary(opening.path), opening.framing, opening.limit)
    number = 0
    try:
        for number, message in enumerate(pieces.messages(), 1):
            yield from _message_spans(message, f"message {number}", opening.limit)
    except (CutOffError, ValueError) as error:
        yield NotAnalysed(position=f"after message {number}", reason=str(error))


def _message_spans(message: bytes | int, position: str, limit: int) -> Iterator[Read]:
    if isinstance(message, int):
        told = f"{message / 1_000_000:.0f} MB long; a message may have {limit // 2**20} MiB"
        yield NotAnalysed(position=position, reason=told)
        return
    try:
        yield from placed(request_spans(message), position)
    except SpanError as error:
        yield NotAnalysed(position=position, reason=str(error))


def json_spans(data: bytes) -> Iterator[Span | SpanError]:
    """The spans of one JSON document. SpanError where it is no JSON."""
    try:
        value: JsonValue = loads(data)
    except NotJsonError as error:
        raise SpanError(str(error)) from error
    yield from spans_in(value)
