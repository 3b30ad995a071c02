"""The masker: text, JSON values and whole runs with their secrets and personal data replaced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from pydantic import BaseModel

from errata_client.model import JsonValue
from errata_client.run import Run
from ingest.masking.finder import Span, spans
from ingest.masking.keys import is_schema, is_telling, personal_kind
from ingest.masking.people import CHECKS, is_personal
from ingest.masking.placeholders import NUMBERS, Placeholders
from ingest.masking.remembered import Remembered
from ingest.masking.walk import replaced

M = TypeVar("M", bound=BaseModel)

SHORT = 200
"""Keys, short values and prompts come again and again: what they were masked to is known."""

KNOWN_SHORT = 20_000
LONG = 4_000
KNOWN_LONG = 32
LONG_NUMBER = 10**8
SECRET = "secret"  # noqa: S105 - the kind
_SAMPLES = frozenset({"default", "example", "examples", "const", "enum"})
"""Keys of a schema under which stand values."""


@dataclass(frozen=True)
class _Find:
    kind: str
    value: str
    masked: str


_Masked = tuple[str, tuple[_Find, ...]]


class Masker:
    """Masks with one project's key. `counts` says how many values of each kind it replaced so far.

    The same value gets the same placeholder in every run of the project; masking the same input again gives the
    same output. What is not covered is listed in docs/masking.md.
    """

    def __init__(self, key: bytes) -> None:
        self.counts: Counter[str] = Counter()
        self._placeholders = Placeholders(key)
        self._short = lru_cache(maxsize=KNOWN_SHORT)(self._mask)
        self._long = lru_cache(maxsize=KNOWN_LONG)(self._mask)
        self._remembered = Remembered(self._placeholders)

    def text(self, text: str) -> str:
        """`text` masked."""
        size = len(text)
        mask = self._short if size < SHORT else self._long if size > LONG else self._mask
        masked, finds = mask(text)
        return self._noted(masked, finds) if finds else masked

    def value(self, value: JsonValue) -> JsonValue:
        """A JSON value masked: its texts and keys, and whatever stands under a key that names a secret or a person's
        data."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self._under(key, below) for key, below in value.items()}
        if isinstance(value, list | tuple):
            return self._items(value)
        return self._number(value)

    def run(self, run: Run) -> Run:
        """The run masked, ids and unknown fields too. A secret, a phone number or a name that was found anywhere in it is
        replaced everywhere in it, also where it stands without what told it (`5551232002`)."""
        return self.model(run)

    def model(self, model: M) -> M:
        """Any model masked, as a run is."""
        self._remembered = Remembered(self._placeholders)
        masked = replaced(model, self.text, self._under)
        if self._remembered:
            known = self._remembered
            masked = replaced(masked, known.text, lambda _, value: known.value(value))
        return masked

    def authored(self, text: str) -> str:
        """A text that a person wrote about what is stored, masked; the placeholders that it quotes stay."""
        found = [span for span in spans(text) if not self._placeholders.holds_kind(span.kind, span.value)]
        return self._noted(*self._replaced(text, found))

    def _under(self, key: str, value: JsonValue) -> JsonValue:
        """What stands under `key`."""
        if is_telling(key):
            return self._described(value) if is_schema(value) else self._secret(value)
        kind = personal_kind(key) if isinstance(value, str | int) else None
        return self._personal(kind, value) if kind else self.value(value)

    def _described(self, schema: JsonValue) -> JsonValue:
        """The schema of a secret: masked as any value, but what it gives as a sample is one."""
        if not isinstance(schema, dict):
            return self.value(schema)
        return {
            self.text(key): self._secret(below) if key in _SAMPLES else self._under(key, below)
            for key, below in schema.items()
        }

    def _items(self, items: Iterable[JsonValue]) -> list[JsonValue]:
        """The items masked; lines of a private key that stands in several of them belong to it."""
        masked: list[JsonValue] = []
        inside = False
        for item in items:
            ends = isinstance(item, str) and "-----END" in item
            masked.append(self._secret(item) if inside and not ends else self.value(item))
            begins = isinstance(item, str) and "-----BEGIN" in item and "PRIVATE" in item
            inside = (inside or begins) and not ends
        return masked

    def _personal(self, kind: str, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            masked = self.text(value)
            if masked != value or not CHECKS.get(kind, is_personal)(value):
                return masked
            return self._noted(made := self._placeholders.of_kind(kind, value), (_Find(kind, value, made),))
        if isinstance(value, int) and not isinstance(value, bool) and kind in {"phone", "personal_id"}:
            return self._hidden(kind, value) if value >= LONG_NUMBER else value
        return value

    def remembering(self, mask: Callable[[], JsonValue]) -> JsonValue:
        """What `mask` answers, which masks with this masker; a secret or a phone number that it found anywhere is replaced
        everywhere in that."""
        self._remembered = Remembered(self._placeholders)
        masked = mask()
        return self._remembered.value(masked) if self._remembered else masked

    def _secret(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str) and value:
            return self._noted(masked := self._placeholders.of(value), (_Find(SECRET, value, masked),))
        if isinstance(value, dict):
            return {self.text(key): self._secret(below) for key, below in value.items()}
        if isinstance(value, list | tuple):
            return [self._secret(below) for below in value]
        if isinstance(value, int) and not isinstance(value, bool):
            return self._hidden(SECRET, value)
        if isinstance(value, float):
            self.counts[SECRET] += 1
            return float(self._hidden(SECRET, int(abs(value))))
        return value

    def _number(self, value: JsonValue) -> JsonValue:
        """A number of as many digits as a card or a phone has; with a fraction it is an amount."""
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) < LONG_NUMBER:
            return value
        whole = int(value) if value == value // 1 else None
        if whole is None:
            return value
        spelled = str(abs(whole))
        masked = self.text(spelled)
        if masked == spelled:
            return value
        made = int("1" + masked[1:]) * (1 if whole > 0 else -1)
        return float(made) if isinstance(value, float) else made

    def _hidden(self, kind: str, value: int) -> int:
        """A number of as many digits, which does not begin with a nought."""
        spelled = str(abs(value))
        masked = self._placeholders.of_digits(spelled) if kind in NUMBERS else self._placeholders.of(spelled)
        made = int("1" + masked[1:])
        self._noted("", (_Find(kind, spelled, str(made)),))
        return made

    def _noted(self, masked: str, finds: tuple[_Find, ...]) -> str:
        for find in finds:
            self.counts[find.kind] += 1
            self._remembered.note(find.kind, find.value, find.masked)
        return masked

    def _mask(self, text: str) -> _Masked:
        return self._replaced(text, spans(text))

    def _replaced(self, text: str, found: list[Span]) -> _Masked:
        if not found:
            return text, ()
        parts, finds, end = list[str](), list[_Find](), 0
        for span in found:
            made = self._placeholders.of_kind(span.kind, span.value)
            parts += [text[end : span.start], _spelled(text, span, made)]
            finds.append(_Find(span.kind, span.value, made))
            end = span.end
        return "".join([*parts, text[end:]]), tuple(finds)


def _spelled(text: str, span: Span, made: str) -> str:
    """The placeholder as the text spells what it replaces: with the escapes through which that was found."""
    window = text[span.begins :] if span.begins and span.views else text
    sources = [window, *(view.text for view, _ in span.views)]
    for (view, start), source in zip(reversed(span.views), reversed(sources[:-1]), strict=True):
        made = view.spelled(source, start, made)
    return made
