"""What a call returned, read once for all that look into it."""

from __future__ import annotations

from errata_client import words
from errata_client.jsontext import read
from errata_client.lazily import lazily
from errata_client.model import JsonValue

SEPARATOR = "\x00"
DEEP = 64
"""Levels of a result that are gone down one within the other."""


class Answer:
    """A result as text; as JSON where it is an object or an array; and what of that was spoken. The last two are made when
    they are first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @lazily
    def value(self) -> JsonValue | None:
        """The object or array in the text, or None."""
        return read(self.text)

    @lazily
    def normal(self) -> str:
        """What it says, in the form in which texts are compared: of JSON the parts of `spoken`, SEPARATOR between them."""
        if self.value is None:
            return words.normal(self.text)
        joined = SEPARATOR.join(self.spoken)
        if joined.count(SEPARATOR) != max(len(self.spoken) - 1, 0):
            return SEPARATOR.join(map(words.normal, self.spoken))
        return words.normal(joined).replace(f" {SEPARATOR}", SEPARATOR).replace(f"{SEPARATOR} ", SEPARATOR)

    @lazily
    def spoken(self) -> tuple[str, ...]:
        """Every key and every scalar of `value` as text, in the order of the document; the places of a list are none."""
        return tuple(_spoken(self.value))


def _spoken(value: JsonValue) -> list[str]:
    spoken: list[str] = []
    _say(value, spoken, 0)
    return spoken


def _say(value: JsonValue, spoken: list[str], depth: int) -> None:
    """Add what `value` says."""
    if depth > DEEP:
        spoken += _said_deep_down(value)
    elif isinstance(value, dict):
        for key, below in value.items():
            spoken.append(key)
            if isinstance(below, str):
                spoken.append(below)
            else:
                _say(below, spoken, depth + 1)
    elif isinstance(value, list):
        for below in value:
            if isinstance(below, str):
                spoken.append(below)
            else:
                _say(below, spoken, depth + 1)
    else:
        spoken.append(value if isinstance(value, str) else words.scalar_text(value))


def _said_deep_down(value: JsonValue) -> list[str]:
    """The same without recursion, which takes twice as long."""
    spoken: list[str] = []
    stack: list[JsonValue] = [value]
    while stack:
        found = stack.pop()
        if isinstance(found, str):
            spoken.append(found)
        elif isinstance(found, dict):
            for key, below in reversed(found.items()):
                stack += (below, key)
        elif isinstance(found, list):
            stack += found[::-1]
        else:
            spoken.append(words.scalar_text(found))
    return spoken
