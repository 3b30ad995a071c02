"""Provenance: where the value of an argument was seen before the call. The one function that says so,
for the night's analysis and for the live agent alike."""

from __future__ import annotations

import re
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Literal

from errata_client import words
from errata_client.answer import Answer
from errata_client.lazily import lazily
from errata_client.model import JsonValue
from errata_client.pointer import Scalar, leaves
from errata_client.view import Provenance

Origin = Literal["person", "tool", "prompt"]

MAX_TEXT = 512 * 1024
"""Characters of source text that one run keeps."""

MOST_TIMES = 6
"""How much longer than itself a text of ASCII may be in normal form: JSON's \\ufdfa is 18 characters, its 1e15 as many."""

LOOKS = 64
"""Counting the words of a text takes as long as a few hundred searches through it."""

LAST_DIGITS = 3
"""Digits that stand together however a number is written: 1,234."""

_EMAIL_BLANK = "\x01"
_JOINT = "\x02"
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
        self._unmeasured: list[tuple[_Text, int]] = []
        self._indexes: dict[Origin, _Index] = {"person": _Index(), "tool": _Index(), "prompt": _Index()}

    @classmethod
    def together(cls, parts: Sequence[Sources]) -> Sources:
        """Sources of all texts of `parts`, which they share; none is dropped. One part is given back as it is."""
        if len(parts) == 1:
            return parts[0]
        joined = cls(sys.maxsize)
        for part in parts:
            joined._share(part)
        return joined

    def hear(self, text: str) -> None:
        """A person said `text`."""
        self._add(_Text("person", text, words.normal))

    def prompt(self, text: str) -> None:
        """The agent's makers wrote `text` (system prompt, schemas, examples)."""
        self._add(_prompt_of(text))

    def returned(self, text: str) -> None:
        """A call succeeded with `text`; of JSON, every scalar and every key counts."""
        self.answered(Answer(text))

    def answered(self, answer: Answer) -> None:
        """As `returned`, of an answer that others look into too."""
        self._add(_Text("tool", answer.text, lambda _: answer.normal))

    def failed(self, text: str, arguments: dict[str, JsonValue]) -> None:
        """A call with `arguments` failed with `text`; the values that it sent are not given by their echo."""
        sent = [words.scalar_text(value) for _, value in leaves(arguments)]
        spoken = [form for value in sent for form in (value, words.core(value)) if form]
        hidden = frozenset(number for value in sent if (number := words.number(value)))
        self._add(_Text("tool", text, lambda text: words.without(Answer(text).normal, spoken), hidden))

    def holds(self, value: Scalar, origin: Origin) -> bool:
        """Whether `value` stands in a text of `origin`, as whole words, as a number or reshaped."""
        return self._indexes[origin].holds(_sought(value))

    def provenance(self, value: Scalar, siblings: Sequence[Sources] | None = None) -> Provenance:
        """Person beats tool beats pending beats prompt.

        `siblings` hold what the calls that are out will have returned (known in a record): nothing is pending.
        """
        sought, person = _sought(value), self._indexes["person"]
        if person.holds(sought) or person.holds_words(sought):
            return "person"
        if self._indexes["tool"].holds(sought):
            return "tool"
        if siblings and any(sources.holds(value, "tool") for sources in siblings):
            return "tool"
        if (self.out and siblings is None) or self.forgotten:
            return "pending"
        return "prompt" if self._indexes["prompt"].holds(sought) else "nowhere"

    def _share(self, other: Sources) -> None:
        self.forgotten = self.forgotten or other.forgotten
        for text in other._texts:
            self._add(text)

    def _add(self, text: _Text) -> None:
        if text.most > self.limit and len(text.whole) > self.limit:
            self.forgotten = True
            text = _Text(text.origin, text.whole[: self.limit], str, text.hidden)
        self._texts.append(text)
        self._indexes[text.origin].add(text)
        self._unmeasured.append((text, text.most))
        self._size += text.most
        if self._size > self.limit:
            self._measure()
        while self._size > self.limit:
            self._forget(self._texts.popleft())

    def _measure(self) -> None:
        """How long a text is in normal form is found out once it could matter."""
        self._size += sum(len(text.whole) - most for text, most in self._unmeasured)
        self._unmeasured.clear()

    def _forget(self, text: _Text) -> None:
        self.forgotten = True
        self._size -= len(text.whole)
        self._indexes[text.origin].remove(text)


def trace(
    arguments: dict[str, JsonValue], sources: Sources, siblings: Sequence[Sources] | None = None
) -> dict[str, Provenance]:
    """The provenance of each scalar argument, by its JSON pointer."""
    return traced(leaves(arguments), sources, siblings)


def traced(
    found: Iterable[tuple[str, Scalar]], sources: Sources, siblings: Sequence[Sources] | None = None
) -> dict[str, Provenance]:
    """The same of scalars, each with its pointer."""
    return {pointer: sources.provenance(value, siblings) for pointer, value in found}


class _Text:
    """One source text. Its normal form `whole`, that with its email addresses blanked out (`parted`), and what stands in
    it are made when they are first asked for: most values are found before all texts were looked at."""

    def __init__(
        self, origin: Origin, raw: str, read: Callable[[str], str], hidden: frozenset[str] = frozenset()
    ) -> None:
        self.origin, self.hidden = origin, hidden
        self._raw, self._read = raw, read
        self.most = MOST_TIMES * len(raw) if raw.isascii() else len(self.whole)

    @lazily
    def whole(self) -> str:
        """In normal form."""
        return self._read(self._raw)

    @lazily
    def _emails(self) -> tuple[tuple[int, int], ...]:
        return tuple(words.emails(self.whole)) if "@" in self.whole else ()

    @lazily
    def parted(self) -> str:
        """With its addresses blanked out."""
        return words.blanked(self.whole, self._emails, _EMAIL_BLANK)

    @lazily
    def emails(self) -> tuple[str, ...]:
        """Its addresses."""
        return tuple(self.whole[start:end] for start, end in self._emails)

    @lazily
    def words(self) -> tuple[str, ...]:
        """Its words and addresses, as often as they stand there."""
        return (*words.WORD.findall(self.parted), *self.emails)

    @lazily
    def numbers(self) -> tuple[str, ...]:
        """Its numbers, but for what is hidden."""
        return tuple(found for found in words.numbers(self.parted) if found not in self.hidden)

    @lazily
    def reshaped(self) -> tuple[str, ...]:
        """Its ids, without the marks between their letters and digits."""
        compounds = [words.squeezed(found) for found in words.COMPOUND.findall(self.parted)]
        single = [word for word in self.words if "_" in word and "@" not in word]
        pieces = [piece for word in single for piece in (*word.split("_"), words.squeezed(word))]
        return tuple(found for found in (*compounds, *pieces) if _is_id(found))

    @lazily
    def _unmarked(self) -> str:
        return _without_marks(self.parted)

    def has_reshaped(self, squeezed: str) -> bool:
        """Whether `squeezed` is in `reshaped`."""
        return squeezed in self._unmarked and squeezed in self.reshaped


@lru_cache(maxsize=8)
def _prompt_of(text: str) -> _Text:
    """An agent's prompt is the same in run after run."""
    return _Text("prompt", text, words.normal)


class _Index:
    """The texts of one origin. New ones are searched as they are; after LOOKS looks their words, numbers and ids are
    counted, so that many looks cost no more than one, and a text can go again."""

    def __init__(self) -> None:
        self._texts: deque[_Text] = deque()
        self._new: deque[_Text] = deque()
        self._unjoined: list[_Text] = []
        self._joined = ""
        self._unmarked: str | None = None
        self._unnumbered: list[_Text] = []
        self._new_numbers: set[str] = set()
        self._looks = 0
        self._words: Counter[str] = Counter()
        self._numbers: Counter[str] = Counter()
        self._reshaped: Counter[str] = Counter()

    def add(self, text: _Text) -> None:
        self._texts.append(text)
        self._new.append(text)
        self._unjoined.append(text)
        self._unnumbered.append(text)

    def remove(self, text: _Text) -> None:
        """`text` is the oldest of its origin."""
        self._texts.popleft()
        if len(self._new) > len(self._texts):
            self._new.popleft()
            self._start_anew()
            return
        for counter, found in self._counted(text):
            counter.subtract(found)
            for key in found:
                if counter[key] <= 0:
                    del counter[key]

    def _counted(self, text: _Text) -> Iterator[tuple[Counter[str], tuple[str, ...]]]:
        counters = self._words, self._numbers, self._reshaped
        return zip(counters, (text.words, text.numbers, text.reshaped), strict=True)

    def _count_new(self) -> None:
        for text in self._new:
            for counter, found in self._counted(text):
                counter.update(found)
        self._new.clear()
        self._start_anew()
        self._looks = 0

    def holds(self, sought: _Sought) -> bool:
        """Whether what is sought was seen here: as it is, as a number, or reshaped."""
        if self._spoken(sought.text) or (sought.number is not None and self._has_number(sought.number)):
            return True
        return bool(sought.core) and self._has_core(sought)

    def holds_words(self, sought: _Sought) -> bool:
        """Whether it is of several words and each stands here."""
        return len(sought.parts) > 1 and all(self._spoken(part) for part in sought.parts)

    def _start_anew(self) -> None:
        """Forget what is known of the new texts as a whole."""
        self._unjoined, self._joined, self._unmarked = list(self._new), "", None
        self._unnumbered, self._new_numbers = list(self._new), set()

    def _joined_new(self) -> str:
        """The new texts, one after the other."""
        if self._unjoined:
            self._joined = _JOINT.join(
                [*([self._joined] if self._joined else ()), *(text.parted for text in self._unjoined)]
            )
            self._unjoined.clear()
            self._unmarked = None
        return self._joined

    def _stands_new(self, text: str) -> bool:
        if _JOINT in text:
            return any(words.stands(source.parted, text) for source in self._new)
        return words.stands(self._joined_new(), text)

    def _has_word(self, text: str) -> bool:
        if text in self._words:
            return True
        if "@" in text:
            return any(text in source.emails for source in self._new)
        return self._stands_new(text)

    def _has_number(self, number: str) -> bool:
        """Of a number that is in no new text mostly not even the last digits are."""
        if number in self._numbers:
            return True
        last, joined = number.lstrip("-").partition(".")[0][-LAST_DIGITS:], self._joined_new()
        if last not in joined and joined.isascii():
            return False
        for source in self._unnumbered:
            self._new_numbers.update(source.numbers)
        self._unnumbered.clear()
        return number in self._new_numbers

    def _has_reshaped(self, squeezed: str) -> bool:
        if squeezed in self._reshaped:
            return True
        joined = self._joined_new()
        if self._unmarked is None:
            self._unmarked = _without_marks(joined)
        return squeezed in self._unmarked and any(source.has_reshaped(squeezed) for source in self._new)

    def _spoken(self, text: str) -> bool:
        if not text:
            return False
        self._looks += 1
        if self._looks > LOOKS and self._new:
            self._count_new()
        if words.WORD.fullmatch(text) or words.is_email(text):
            return self._has_word(text)
        if " " in text and "@" in text:
            return any(words.stands(source.whole, text) for source in self._texts)
        if self._stands_new(text):
            return True
        if not all(word in self._words for word in words.WORD.findall(text)):
            return False
        return any(words.stands(source.parted, text) for source in self._counted_texts())

    def _counted_texts(self) -> Iterator[_Text]:
        return islice(self._texts, len(self._texts) - len(self._new))

    def _has_core(self, sought: _Sought) -> bool:
        """Whether the letters and digits of it were seen with other marks at or between them."""
        if sought.core != sought.text and self._spoken(sought.core):
            return True
        if not sought.squeezed:
            return False
        if sought.digits and self._has_word(sought.digits):
            return True
        return sought.is_id and (self._has_reshaped(sought.squeezed) or self._has_word(sought.squeezed))


class _Sought:
    """A normal text that is sought, in all the forms in which it may have been seen. `core`: its letters and digits with
    what stands between them, `squeezed`: without, `digits`: those behind the letters of a system; each empty where it may not
    be found in that form. `parts` are its words."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.number = words.number(text)
        self.parts = (
            tuple(core for part in text.split(" ") if (core := words.core(part))) if " " in text else ()
        )
        core = words.core(text)
        self.core = core if len(core) >= words.CORE_LENGTH and "@" not in core else ""
        shaped = " " not in core and (self.number is None or core.isdigit())
        self.squeezed = words.squeezed(self.core) if shaped else ""
        lettered = _LETTERED.fullmatch(self.squeezed)
        self.digits = lettered.group(1) if lettered else ""
        self.is_id = _is_id(self.squeezed)


def _sought(value: Scalar) -> _Sought:
    text = words.scalar_text(value)
    return _short_sought(text) if len(text) <= words.MAX_SHORT else _Sought(text)


_short_sought = lru_cache(maxsize=4_096)(_Sought)
"""The ids of a run are sought again and again."""


def _without_marks(text: str) -> str:
    return text.replace("-", "").replace("/", "").replace("_", "")


def _is_id(text: str) -> bool:
    return len(text) >= words.CORE_LENGTH and words.has_digit(text)
