"""What was found in a run, so that it is replaced where it stands without what told it."""

from __future__ import annotations

import re
from typing import Any

import re2

from errata_client.model import JsonValue
from ingest.masking.placeholders import NUMBERS, Placeholders

MIN_SECRET = 6
MIN_DIGITS = 8
NATIONAL = (10, 11)
"""Digits of a phone number without its country code, as people also write it."""

MIN_NAME = 2
_WORDS = frozenset(
    [
        "may",
        "will",
        "mark",
        "grace",
        "hope",
        "art",
        "bill",
        "rose",
        "chase",
        "rich",
        "faith",
        "joy",
        "summer",
        "dawn",
        "april",
        "june",
        "august",
        "drew",
        "grant",
        "frank",
        "jack",
        "max",
        "rob",
        "sue",
        "pat",
        "ray",
        "dale",
        "glen",
        "cliff",
        "brook",
        "brooks",
        "young",
        "long",
        "short",
        "king",
        "white",
        "black",
        "brown",
        "green",
        "gray",
        "wood",
        "woods",
        "hill",
        "stone",
        "rice",
        "bush",
        "price",
        "page",
        "day",
        "park",
        "parks",
        "bell",
        "cook",
        "baker",
        "carter",
        "mason",
        "hunter",
        "parker",
        "cooper",
        "fisher",
        "miller",
        "taylor",
        "walker",
        "west",
        "north",
        "east",
        "south",
        "love",
        "power",
        "banks",
        "cash",
        "case",
        "major",
        "sharp",
        "strong",
        "small",
        "little",
        "best",
        "good",
        "new",
        "old",
        "bond",
        "ford",
        "dean",
        "don",
        "jean",
        "earl",
        "guy",
        "miles",
        "penny",
        "ruby",
        "amber",
        "jade",
        "olive",
        "ivy",
        "iris",
        "violet",
        "daisy",
        "lily",
        "pearl",
        "crystal",
        "star",
        "sky",
        "angel",
        "destiny",
        "melody",
        "harmony",
        "victor",
        "rusty",
        "from",
        "for",
        "the",
        "and",
        "not",
        "you",
        "your",
        "our",
        "can",
        "has",
        "had",
        "was",
        "are",
        "one",
        "two",
        "all",
        "any",
        "see",
        "get",
        "set",
        "put",
        "run",
        "top",
        "end",
        "man",
        "van",
        "der",
        "den",
        "del",
        "von",
        "order",
        "item",
        "user",
        "name",
        "error",
        "street",
        "road",
        "avenue",
        "lane",
        "unit",
        "apt",
        "suite",
    ]
)
"""Names that are words too: replaced only as they were written, as are those of two letters."""


class Remembered:
    """Values and their placeholders, found in one run."""

    def __init__(self, placeholders: Placeholders) -> None:
        self._placeholders = placeholders
        self._masked: dict[str, str] = {}
        self._names: set[str] = set()
        self._phrases: set[str] = set()
        self._looks: Any = None
        self._patterns: tuple[re.Pattern[str], re.Pattern[str]] | None = None

    def __bool__(self) -> bool:
        return bool(self._masked or self._names or self._phrases)

    def note(self, kind: str, value: str, masked: str) -> None:
        """Something was found to be of `kind`."""
        if kind in {"secret", "personal_id", "birth_date"}:
            self._secret(value, masked)
        elif kind in NUMBERS:
            self._digits(value, masked)
        elif kind == "email_spelled":
            self._secret(value.partition(" ")[0], masked.partition(" ")[0], words=True)
        elif kind == "name":
            self._names.update(filter(_is_telling_name, value.split(" ")))
        elif kind == "address" and len(value) >= MIN_SECRET and not value.isdigit():
            self._phrases.add(value)

    def _secret(self, value: str, masked: str, *, words: bool = False) -> None:
        """A secret; a short one, or (unless `words`) one of letters alone, could be any word and is not remembered."""
        if len(value) >= MIN_SECRET and (words or not value.isalpha()):
            self._masked[value] = masked

    def _digits(self, value: str, masked: str) -> None:
        """A number written with separators: its bare digits, with and without what may be a country code."""
        bare, replaced = _digits(value), _digits(masked)
        lengths = {len(bare), *(size for size in NATIONAL if value.startswith("+") and size < len(bare))}
        for size in lengths:
            if size >= MIN_DIGITS:
                self._masked[bare[-size:]] = replaced[-size:]

    def text(self, text: str) -> str:
        """`text` with all of them replaced, as whole words; names and addresses in any case."""
        if self._looks is None:
            self._looks = self._quick_look()
        if self._looks.search(text.encode("utf-8", "replace")) is None:
            return text
        exact, people = self._compiled()
        text = exact.sub(lambda match: self._masked[match.group()], text)
        return people.sub(self._person, text)

    def value(self, value: JsonValue) -> JsonValue:
        """A JSON value with all of them replaced."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self.value(below) for key, below in value.items()}
        if isinstance(value, list):
            return [self.value(below) for below in value]
        if isinstance(value, int) and not isinstance(value, bool):
            masked = self._masked.get(str(value))
            return int(masked) if masked and masked.isdigit() else value
        return value

    def _person(self, match: re.Match[str]) -> str:
        """The placeholder of a name or an address as it is written here; a name that is a word, in other letters than it
        had where it was told, is that word."""
        found = match.group()
        if (found.casefold() in _WORDS or len(found) == MIN_NAME) and found not in self._names:
            return found
        return self._placeholders.of(found)

    def _quick_look(self) -> Any:
        """Whether any can be there, in linear time."""
        every = "|".join(map(re2.escape, [*self._masked, *self._names, *self._phrases]))
        return re2.compile(f"(?i){every}".encode())

    def _compiled(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """What was found exactly; names and addresses. Made once any may be there: they take longer than most looks."""
        if self._patterns is None:
            exact = rf"(?<![0-9A-Za-z])(?:{_spelled(self._masked)})(?![0-9A-Za-z])"
            western = [value for value in {*self._names, *self._phrases} if value[0] < "\u2e80"]
            chinese = [value for value in {*self._names, *self._phrases} if value[0] >= "\u2e80"]
            people = rf"(?i:(?<![0-9A-Za-z_])(?:{_spelled(western)})(?![0-9A-Za-z_]))|(?:{_spelled(chinese)})"
            self._patterns = re.compile(exact), re.compile(people)
        return self._patterns


def _spelled(values: object) -> str:
    """Any of the values, the longest first; nothing at all where there are none."""
    assert isinstance(values, dict | list)
    return "|".join(map(re.escape, sorted(values, key=lambda value: (-len(value), value)))) or r"(?!)"


def _is_telling_name(word: str) -> bool:
    return len(word) >= MIN_NAME


def _digits(text: str) -> str:
    return "".join(character for character in text if character.isdigit())
