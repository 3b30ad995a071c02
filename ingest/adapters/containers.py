"""Records that stand in lists within an object: pages of an API, request bodies, a trace with what belongs to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from errata_client.model import JsonValue
from ingest.adapters.bytestream import CutOffError
from ingest.adapters.jsonstream import JsonStream
from ingest.adapters.jsonvalue import NotJsonError, loads
from ingest.adapters.records import SAMPLES, Opening, Record, Unreadable, numbered, records, stream

OUTER = "the file's outer object"


def entries(opening: Opening, lists: frozenset[str]) -> Iterator[Record | Unreadable]:
    """The file's records. Where the file is one object after another with some of the keys `lists`, the items of those
    lists one by one, each as {key: [item]}, and then the rest of the object; so no object need fit into memory."""
    if opening.layout != "values" or not lists & set(opening.keys):
        yield from records(opening)
        return
    reader = stream(opening)
    try:
        while reader.peek() is not None:
            yield from _parted(reader, lists)
    except (CutOffError, NotJsonError) as error:
        yield Unreadable(OUTER, str(error))
    else:
        if reader.cut is not None:
            yield Unreadable(OUTER, str(reader.cut))


def first_entries(opening: Opening, lists: frozenset[str]) -> list[JsonValue]:
    """A few records of a file whose first object is too long to be a sample."""
    if opening.samples:
        return []
    found = islice(entries(opening, lists), SAMPLES)
    return [item.value for item in found if isinstance(item, Record)]


def _parted(reader: JsonStream, lists: frozenset[str]) -> Iterator[Record | Unreadable]:
    rest: dict[str, JsonValue] = {}
    for key in reader.members():
        if key in lists and reader.peek() == ord("["):
            for item in numbered(reader.elements(), reader, f"{key} item", alone=False):
                yield Record(item.position, {key: [item.value]}) if isinstance(item, Record) else item
            continue
        value = reader.value()
        if isinstance(value, bytes):
            rest[key] = loads(value)
        else:
            yield Unreadable(f"{OUTER}, {key}", f"{value.size / 1_000_000:.0f} MB long; it was not read")
    if rest:
        yield Record(OUTER, rest)
