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


def plant(document: Json, told: str | None = None) -> Iterator[Planted]:
    """The document once for each text, number and object in it (those within JSON in texts too), or each line of one that
    is no JSON, with `told` there: all secrets, if not given."""
    told = planted() if told is None else told
    if isinstance(document, str) and not _inner(document):
        yield from _in_lines(document, told)
        return
    for place, change in _places(document, told):
        yield Planted(place, json.dumps(change(document), ensure_ascii=len(place) % 2 == 0))


def _in_lines(document: str, told: str) -> Iterator[Planted]:
    lines = document.split("\n")
    secrets = told.replace("\n", " ")
    for number, line in enumerate(lines):
        made = [*lines[:number], f"{line} {secrets}", *lines[number + 1 :]]
        yield Planted(f"line {number + 1}", "\n".join(made))


def _places(value: Json, told: str) -> Iterator[tuple[str, Change]]:
    """Each place in the value, and what puts the secrets there."""
    if isinstance(value, dict):
        yield "{}", lambda given: {**given, f"planted {told}": "key", "planted_number": CARD_NUMBER}
        for key in value:
            yield from ((f"/{key}{place}", _at(key, change)) for place, change in _places(value[key], told))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from ((f"/{index}{place}", _at(index, change)) for place, change in _places(below, told))
    elif isinstance(value, str):
        yield "", lambda given: f"{given} {told}"
        if (inner := _inner(value)) is not None:
            yield from ((f" as JSON{place}", _within(change)) for place, change in _places(inner, told))
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
