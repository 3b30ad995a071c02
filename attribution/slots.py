"""Where the known texts of one cause differ among themselves, a new text may differ too. Pure.

Texts of one cause with as many words, most of them equal, are one form; a place where they hold several words is a slot. A
text fits a form where each of its words stood there before. A word never seen in a slot fits only where slots like it go
on bringing new words: by Good and Turing (1953), the share of words seen once is the chance of a new one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from attribution.words import NEGATIONS

DIFFERENT = 0.34
"""Share of its words by which a text may differ from a form and still join it."""
ENOUGH_TEXTS = 3
"""Texts that a form needs before its slots say anything."""
NEW_WORDS = 0.10
"""Chance of a new word from which a slot is open."""


@dataclass
class _Form:
    """What stood at each place, and how often."""

    places: list[Counter[str]]
    texts: int = 0

    def distance(self, words: Sequence[str]) -> int:
        return sum(word not in place for word, place in zip(words, self.places, strict=True))

    def add(self, words: Sequence[str]) -> None:
        self.texts += 1
        for word, place in zip(words, self.places, strict=True):
            place[word] += 1

    def fits(self, words: Sequence[str]) -> bool:
        """Every word was seen at its place, or is new at an open slot and turns no meaning round."""
        if self.texts < ENOUGH_TEXTS:
            return False
        return all(
            word in place or (_is_open(place) and word.casefold() not in NEGATIONS)
            for word, place in zip(words, self.places, strict=True)
        )


@dataclass
class Slots:
    """The forms of each cause, by the number of words."""

    forms: Mapping[tuple[str, int], Sequence[_Form]] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Iterable[tuple[str, str]]) -> Slots:
        """The forms of (cause, text) pairs; equal texts count each time."""
        forms: dict[tuple[str, int], list[_Form]] = defaultdict(list)
        for cause, text in sorted(texts):
            words = text.split()
            known = forms[cause, len(words)]
            near = [one for one in known if one.distance(words) <= DIFFERENT * len(words)]
            form = min(near, key=lambda one: one.distance(words), default=None)
            if form is None:
                form = _Form([Counter() for _ in words])
                known.append(form)
            form.add(words)
        return cls(forms)

    def causes_of(self, text: str) -> frozenset[str]:
        """The causes with a form that the text fits."""
        words = text.split()
        return frozenset(
            cause
            for (cause, length), forms in self.forms.items()
            if length == len(words) and _fits_any(forms, words)
        )

    def misplaced(self, cause: str, text: str, texts: int) -> str | None:
        """A word of the text that stands where a form of the cause, known from `texts` texts or more, holds none but certain
        others; None where no form is like the text, or no such word is in it."""
        words = text.split()
        near = [
            form
            for form in self.forms.get((cause, len(words)), ())
            if form.texts >= texts and form.distance(words) <= DIFFERENT * len(words)
        ]
        for form in near:
            for word, place in zip(words, form.places, strict=True):
                if word not in place and not _is_open(place):
                    return word
        return None


def _fits_any(forms: Collection[_Form], words: Sequence[str]) -> bool:
    return any(form.fits(words) for form in forms)


def _is_open(place: Counter[str]) -> bool:
    once = sum(count == 1 for count in place.values())
    return len(place) > 1 and once >= NEW_WORDS * place.total()
