"""Provenance: where the value of an argument was seen before the call. The one function that says so,
for the night's analysis and for the live agent alike."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from errata_client import words
from errata_client.jsontext import read
from errata_client.model import JsonValue
from errata_client.pointer import Scalar, leaves
from errata_client.view import Provenance

Origin = Literal["person", "tool", "prompt"]

MAX_TEXT = 512 * 1024
"""Characters of source text that one run keeps."""

_SEPARATOR = "\x00"
_EMAIL_BLANK = "\x01"
_LETTERED = re.compile(r"[a-z]{1,3}(\d{6,})")
"""A number that was said, with the letters that its system puts before it: w2378156."""


class Sources:
    """What was said, returned and prompted so far in one run; bounded, the oldest text goes first.

    Once text was dropped, a value that is found nowhere any more may have stood there, so its provenance
    is "pending" (unknown), never "nowhere" or "prompt". `out` is the number of calls that have not returned.
    A value that the agent itself wrote earlier is in no source, and is not given by being repeated.
    """

    def __init__(self, limit: int = MAX_TEXT) -> None:
        self.limit = limit
        self.out = 0
        self.forgotten = False
        self._size = 0
        self._texts: deque[_Text] = deque()
        self._indexes: dict[Origin, _Index] = {"person": _Index(), "tool": _Index(), "prompt": _Index()}

    def hear(self, text: str) -> None:
        """A person said `text`."""
        self._add(_Text.of("person", words.normal(text)))

    def prompt(self, text: str) -> None:
        """The agent's makers wrote `text` (system prompt, schemas, examples)."""
        self._add(_prompt_of(text))

    def returned(self, text: str) -> None:
        """A call succeeded with `text`; of JSON, every scalar and every key counts."""
        self._add(_Text.of("tool", _normal_result(text)))

    def failed(self, text: str, arguments: dict[str, JsonValue]) -> None:
        """A call with `arguments` failed with `text`; the values that it sent are not given by their echo."""
        sent = [words.scalar_text(value) for _, value in leaves(arguments)]
        spoken = [form for value in sent for form in (value, words.core(value)) if form]
        hidden = frozenset(number for value in sent if (number := words.number(value)))
        self._add(_Text.of("tool", words.without(_normal_result(text), spoken), hidden))

    def holds(self, value: Scalar, origin: Origin) -> bool:
        """Whether `value` stands in a text of `origin`, as whole words, as a number or reshaped."""
        return self._indexes[origin].holds(words.scalar_text(value))

    def provenance(self, value: Scalar, siblings: Sequence[Sources] | None = None) -> Provenance:
        """Person beats tool beats pending beats prompt.

        `siblings` hold what the calls that are out will have returned (known in a record): nothing is pending.
        """
        text = words.scalar_text(value)
        if self._indexes["person"].holds(text) or self._indexes["person"].holds_words(text):
            return "person"
        if any(sources.holds(value, "tool") for sources in (self, *(siblings or ()))):
            return "tool"
        if (self.out and siblings is None) or self.forgotten:
            return "pending"
        return "prompt" if self._indexes["prompt"].holds(text) else "nowhere"

    def _add(self, text: _Text) -> None:
        if len(text.whole) > self.limit:
            self.forgotten = True
            text = _Text.of(text.origin, text.whole[: self.limit], text.hidden)
        self._texts.append(text)
        self._indexes[text.origin].add(text)
        self._size += len(text.whole)
        while self._size > self.limit:
            self._forget(self._texts.popleft())

    def _forget(self, text: _Text) -> None:
        self.forgotten = True
        self._size -= len(text.whole)
        self._indexes[text.origin].remove(text)


def trace(
    arguments: dict[str, JsonValue], sources: Sources, siblings: Sequence[Sources] | None = None
) -> dict[str, Provenance]:
    """The provenance of each scalar argument, by its JSON pointer."""
    return {pointer: sources.provenance(value, siblings) for pointer, value in leaves(arguments)}


@dataclass(frozen=True)
class _Text:
    """One source text in normal form: `whole`, and `parted` with its email addresses blanked out."""

    origin: Origin
    whole: str
    parted: str
    emails: tuple[str, ...]
    hidden: frozenset[str]

    @classmethod
    def of(cls, origin: Origin, whole: str, hidden: frozenset[str] = frozenset()) -> _Text:
        spans = list(words.emails(whole)) if "@" in whole else []
        parted = words.blanked(whole, spans, _EMAIL_BLANK)
        return cls(origin, whole, parted, tuple(whole[start:end] for start, end in spans), hidden)


@lru_cache(maxsize=8)
def _prompt_of(text: str) -> _Text:
    return _Text.of("prompt", words.normal(text))


@dataclass
class _Index:
    """The texts of one origin, with their words, numbers and ids counted, so that a text can go again."""

    texts: deque[_Text] = field(default_factory=deque)
    words: Counter[str] = field(default_factory=Counter)
    numbers: Counter[str] = field(default_factory=Counter)
    reshaped: Counter[str] = field(default_factory=Counter)

    def add(self, text: _Text) -> None:
        self.texts.append(text)
        for counter, found in self._counted(text):
            counter.update(found)

    def remove(self, text: _Text) -> None:
        """`text` is the oldest of its origin."""
        self.texts.popleft()
        for counter, found in self._counted(text):
            counter.subtract(found)
            for key in found:
                if counter[key] <= 0:
                    del counter[key]

    def _counted(self, text: _Text) -> Iterator[tuple[Counter[str], tuple[str, ...]]]:
        found = _prompted(text) if text.origin == "prompt" else _counted(text)
        return zip((self.words, self.numbers, self.reshaped), found, strict=True)

    def holds(self, text: str) -> bool:
        """Whether normal `text` was seen here: as it is, as a number, or reshaped."""
        number = words.number(text)
        if number is not None and number in self.numbers:
            return True
        return self._spoken(text) or self._reshaped(text, is_number=number is not None)

    def holds_words(self, text: str) -> bool:
        """Whether `text` is of several words and each stands here."""
        parts = [core for part in text.split(" ") if (core := words.core(part))]
        return len(parts) > 1 and all(self._spoken(part) for part in parts)

    def _spoken(self, text: str) -> bool:
        if text in self.words:
            return True
        if not text or words.WORD.fullmatch(text) or words.is_email(text):
            return False
        if " " in text and "@" in text:
            return any(words.stands(source.whole, text) for source in self.texts)
        if not all(word in self.words for word in words.WORD.findall(text)):
            return False
        return any(words.stands(source.parted, text) for source in self.texts)

    def _reshaped(self, text: str, *, is_number: bool) -> bool:
        """Whether the letters and digits of `text` were seen with other marks at or between them."""
        core = words.core(text)
        if len(core) < words.CORE_LENGTH or "@" in core:
            return False
        if core != text and self._spoken(core):
            return True
        if " " in core or (is_number and not core.isdigit()):
            return False
        squeezed = words.squeezed(core)
        lettered = _LETTERED.fullmatch(squeezed)
        if lettered and lettered.group(1) in self.words:
            return True
        return _is_id(squeezed) and (squeezed in self.reshaped or squeezed in self.words)


def _counted(text: _Text) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The words, numbers and reshaped ids of a text."""
    single = words.WORD.findall(text.parted)
    numbers = tuple(found for found in words.numbers(text.parted) if found not in text.hidden)
    compounds = [words.squeezed(found) for found in words.COMPOUND.findall(text.parted)]
    pieces = [piece for word in single if "_" in word for piece in (*word.split("_"), words.squeezed(word))]
    return (*single, *text.emails), numbers, tuple(found for found in (*compounds, *pieces) if _is_id(found))


_prompted = lru_cache(maxsize=8)(_counted)
"""An agent's prompt is the same in run after run."""


def _is_id(text: str) -> bool:
    return len(text) >= words.CORE_LENGTH and words.has_digit(text)


def _normal_result(text: str) -> str:
    value = read(text)
    if value is None:
        return words.normal(text)
    return _SEPARATOR.join(_spoken_parts(value))


def _spoken_parts(value: JsonValue) -> Iterator[str]:
    """Every key and every scalar of a result as text, in the order of the document."""
    stack: list[JsonValue] = [value]
    while stack:
        found = stack.pop()
        if isinstance(found, dict):
            for key, below in reversed(found.items()):
                stack += [below, key]
        elif isinstance(found, list):
            stack.extend(reversed(found))
        else:
            yield words.scalar_text(found)
