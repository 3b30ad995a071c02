"""The masker: text, JSON values and whole runs with their secrets and personal data replaced."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from errata_client.model import JsonValue
from errata_client.run import Run
from ingest.masking.keys import is_telling
from ingest.masking.patterns import Pattern, compile_gate, compile_patterns
from ingest.masking.placeholders import Placeholders
from ingest.masking.remembered import Remembered
from ingest.masking.run_texts import replaced

SHORT = 200
KNOWN_SHORT = 20_000
LONG = 4_000
KNOWN_LONG = 32
LONG_NUMBER = 10**10

patterns = lru_cache(maxsize=1)(compile_patterns)
gate = lru_cache(maxsize=1)(compile_gate)


@dataclass(frozen=True)
class _Find:
    kind: str
    value: str
    masked: str


_Masked = tuple[str, tuple[_Find, ...]]


class _Known:
    """What texts were masked to, for those that come again and again: keys, short values, prompts."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._masked: OrderedDict[str, _Masked] = OrderedDict()

    def get(self, text: str, mask: Callable[[str], _Masked]) -> _Masked:
        known = self._masked.get(text)
        if known is None:
            known = self._masked[text] = mask(text)
            if len(self._masked) > self._size:
                self._masked.popitem(last=False)
        return known


class Masker:
    """Masks with one project's key. `counts` says how many values of each kind it replaced so far.

    The same value gets the same placeholder in every run of the project; masking the same input again gives the
    same output. What is not covered (names, streets) is listed in docs/masking.md.
    """

    def __init__(self, key: bytes) -> None:
        self.counts: Counter[str] = Counter()
        self._placeholders = Placeholders(key)
        self._short = _Known(KNOWN_SHORT)
        self._long = _Known(KNOWN_LONG)
        self._remembered = Remembered()

    def text(self, text: str) -> str:
        """`text` masked."""
        if len(text) < SHORT:
            return self._noted(*self._short.get(text, self._mask))
        if len(text) > LONG:
            return self._noted(*self._long.get(text, self._mask))
        return self._noted(*self._mask(text))

    def value(self, value: JsonValue) -> JsonValue:
        """A JSON value masked: its texts and keys, and whatever stands under a key that names a secret."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {
                self.text(key): self._secret(below) if is_telling(key) else self.value(below)
                for key, below in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.value(below) for below in value]
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= LONG_NUMBER:
            return int(self.text(str(value)))
        return value

    def run(self, run: Run) -> Run:
        """The run masked, ids and unknown fields too. A secret or a phone number that was found anywhere in it is
        replaced everywhere in it, also where it stands without what told it (`5551232002`)."""
        self._remembered = Remembered()
        masked = replaced(run, self.text, self.value)
        if self._remembered:
            masked = replaced(masked, self._remembered.text, self._remembered.value)
        return masked

    def _secret(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str) and value:
            return self._noted(masked := self._placeholders.of(value), (_Find("secret", value, masked),))
        if isinstance(value, dict):
            return {key: self._secret(below) for key, below in value.items()}
        if isinstance(value, list | tuple):
            return [self._secret(below) for below in value]
        if isinstance(value, int) and not isinstance(value, bool):
            self.counts["secret"] += 1
            return int("1" + self._placeholders.of(str(abs(value)))[1:])
        return value

    def _noted(self, masked: str, finds: tuple[_Find, ...]) -> str:
        for find in finds:
            self.counts[find.kind] += 1
            if find.kind == "secret":
                self._remembered.secret(find.value, find.masked)
            elif find.kind in {"phone", "card", "social_security"}:
                self._remembered.digits(find.value, find.masked)
        return masked

    def _mask(self, text: str) -> _Masked:
        data, finds = text.encode("utf-8", "replace"), list[_Find]()
        words, digits = gate().lets(data)
        for pattern in patterns() if words or digits else ():
            if (words and any(need in data for need in pattern.needs)) or (digits and not pattern.needs):
                data = self._apply(pattern, data, finds)
        return (data.decode("utf-8", "replace") if finds else text), tuple(finds)

    def _apply(self, pattern: Pattern, data: bytes, finds: list[_Find]) -> bytes:
        parts, done, at = list[bytes](), 0, 0
        while at < len(data) and (match := pattern.regex.search(data, at)) is not None:
            start, end = match.span(match.lastindex)
            value = data[start:end].decode("utf-8", "replace")
            if pattern.check is None or pattern.check(value):
                masked = self._placeholder(pattern.kind, value)
                finds.append(_Find(pattern.kind, value, masked))
                parts += [data[done:start], masked.encode()]
                done = end
            at = max(end, at + 1)
        return b"".join([*parts, data[done:]]) if parts else data

    def _placeholder(self, kind: str, value: str) -> str:
        if kind == "email":
            return self._placeholders.of_email(value)
        if kind in {"phone", "card", "social_security"}:
            return self._placeholders.of_digits(value)
        return self._placeholders.of(value)
