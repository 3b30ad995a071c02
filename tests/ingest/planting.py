"""Secrets planted in a document: everywhere, one place at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.ingest.making import Json
from tests.ingest.specimens import CARD_NUMBER, planted

Change = Callable[[Json], Json]


@dataclass(frozen=True)
class Planted:
    """A document with the secrets in one place."""

    place: str
    text: str


def plant(document: Json) -> Iterator[Planted]:
    """The document once for each text, number and object in it (those within JSON in texts too), or each line of one that
    is no JSON, with all secrets there."""
    if isinstance(document, str) and not _inner(document):
        yield from _in_lines(document)
        return
    for place, change in _places(document):
        yield Planted(place, json.dumps(change(document), ensure_ascii=len(place) % 2 == 0))


def _in_lines(document: str) -> Iterator[Planted]:
    lines = document.split("\n")
    secrets = planted().replace("\n", " ")
    for number, line in enumerate(lines):
        made = [*lines[:number], f"{line} {secrets}", *lines[number + 1 :]]
        yield Planted(f"line {number + 1}", "\n".join(made))


def _places(value: Json) -> Iterator[tuple[str, Change]]:
    """Each place in the value, and what puts the secrets there."""
    if isinstance(value, dict):
        yield "{}", lambda given: {**given, f"planted {planted()}": "key", "planted_number": CARD_NUMBER}
        for key in value:
            yield from ((f"/{key}{place}", _at(key, change)) for place, change in _places(value[key]))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from ((f"/{index}{place}", _at(index, change)) for place, change in _places(below))
    elif isinstance(value, str):
        yield "", lambda given: f"{given} {planted()}"
        if (inner := _inner(value)) is not None:
            yield from ((f" as JSON{place}", _within(change)) for place, change in _places(inner))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield "", lambda _: CARD_NUMBER


def _at(key: Json, change: Change) -> Change:
    def changed(given: Json) -> Json:
        copied = dict(given) if isinstance(given, dict) else list(given)
        copied[key] = change(given[key])
        return copied

    return changed


def _within(change: Change) -> Change:
    return lambda given: json.dumps(change(json.loads(given)))


def _inner(text: str) -> Json:
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        return None
    return found if isinstance(found, dict | list) else None
