"""The error texts that are known to belong to a cause, arranged to be asked: is this one of them, or nearly so?

Three ways to be the same, each finer one asked first: the same form and words; the same words; the same words but in places
where the confirmed texts of the cause differ among themselves ("Expected type <any of those seen>"). Then nearly the same:
a tenth of the characters, and only slips.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TypeVar

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from attribution.answers import Answers
from attribution.near_text import SHARE, nearly_same
from attribution.slots import Slots
from attribution.text import cased, skeleton
from attribution.words import NEGATIONS, content
from attribution.words import words as words_of
from knowledge.cases import Problem
from knowledge.causes import Label, RootCause

F = TypeVar("F", bound=Hashable)
_LETTERS = re.compile(r"[^\W\d_]+")
_MASK = re.compile(r"<[a-z]{2,20}>")
MANY = 15
"""Confirmed texts from which what they never say tells something."""
NEW_FORMS = 0.1
"""Share of forms that stand alone under which a new one is not expected."""
OFTEN = 5
"""Occurrences of a word from which the case of its letters counts."""
MOSTLY = 0.5
"""Share of a confirmed text's words that a near miss has too."""
ENOUGH_IN_PLACE = 5
"""Confirmed texts at one place (step and tool) that tell twins apart there."""


@dataclass(frozen=True)
class Wording:
    """One known text. `gate` is the error code and kind that it was said of; None: a template's own, whose gates say what
    it may be asked about. `cause` None: a person said that no template fits it."""

    pattern: str
    gate: tuple[str, str] | None
    cause: str | None
    place: str
    source: str


@dataclass(frozen=True)
class Found:
    """What texts like the one asked about are known for: one cause or None, or several: then they are twins."""

    causes: frozenset[str | None]
    how: str
    source: str = ""


@dataclass
class Wordings:
    """All known texts of enabled causes and of people's answers."""

    known: Sequence[Wording]
    _near: dict[str, tuple[Wording, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, causes: Iterable[RootCause], answers: Answers) -> Wordings:
        """The templates' exemplars, and the problems that people settled."""
        templates = [
            Wording(exemplar.error_pattern, None, cause.cause_id, "", f"an exemplar of {cause.cause_id}")
            for cause in causes
            if cause.enabled
            for exemplar in cause.exemplars
        ]
        return cls([*templates, *map(_said, sorted(answers.settled.values(), key=_age))])

    def same(self, problem: Problem, allowed: Collection[str]) -> Found | None:
        """What is known of this very text; None where it is known for nothing. `allowed` are the causes that may be asked."""
        known = self._asked(self._by_form, skeleton(problem.error_pattern), problem, allowed)
        if known:
            return _decided(known, problem, "the same error text as")
        known = self._asked(self._by_words, cased(problem.error_pattern), problem, allowed)
        shape = _shape(problem.error_pattern)
        known = [one for one in known if not self._is_new_shape(shape, one.cause)]
        if known:
            return _decided(known, problem, "the same words as")
        return None

    def near_miss(self, problem: Problem, cause: str) -> str | None:
        """Why the text is most likely another error that is put like one of the cause's: it is a confirmed form of it but
        for a few words, and those stand in none of the cause's many confirmed texts, which say the same again and again.
        None where that is not so. A paraphrase shares fewer words, and is not one of these."""
        known = self._confirmed_of.get(cause)
        if known is None or not _is_settled(known):
            return None
        words = _content(problem.error_pattern)
        usual = set().union(*map(_content, known))
        new = sorted(words - usual)
        closest = max(
            (len(words & _content(text)) / max(len(_content(text)), 1) for text in known), default=0.0
        )
        if closest >= MOSTLY and (new or self._is_new_shape(_shape(problem.error_pattern), cause)):
            told = f"its words {', '.join(new[:4])}" if new else "its form"
            return f"it is put like a confirmed text, but {told} stood in none of {known.total()} of them"
        slots = self._slots.get(_gate(problem))
        word = slots.misplaced(cause, cased(problem.error_pattern), MANY) if slots else None
        if word is not None:
            return f"it is put like a confirmed text, but {word!r} stands where none of {known.total()} of them has it"
        return None

    def _is_new_shape(self, shape: tuple[str, ...], cause: str | None) -> bool:
        """Whether a cause with many confirmed texts, which come in few shapes, never had one of this shape."""
        known = self._confirmed_of.get(cause)
        if known is None:
            return False
        shapes = Counter[tuple[str, ...]]()
        for pattern, count in known.items():
            shapes[_shape(pattern)] += count
        return shape not in shapes and _is_foreign(shapes)

    def _asked(
        self, index: Mapping[str, list[Wording]], key: str, problem: Problem, allowed: Collection[str]
    ) -> list[Wording]:
        return [one for one in index.get(key, ()) if key and self._may(one, problem, allowed)]

    def near(self, problem: Problem, allowed: Collection[str]) -> Found | None:
        """What is known of nearly this text: the same but for words that differ within a cause, or for slips."""
        words = cased(problem.error_pattern)
        if not words:
            return None
        slots = self._slots.get(_gate(problem))
        causes = slots.causes_of(words) & set(allowed) if slots else frozenset()
        slipped = [one for one in self._slips(words) if self._may(one, problem, allowed)]
        named = {*causes, *(one.cause for one in slipped)}
        shape = _shape(problem.error_pattern)
        every = frozenset(
            cause
            for cause in named
            if not self.recased(problem, cause) and not self._is_new_shape(shape, cause)
        )
        if not every:
            return None
        if not slipped:
            how = "words that differ from its confirmed texts only where those differ among themselves, as"
            return Found(every, how, f"confirmed for {' and '.join(sorted(causes))}")
        return Found(every, "nearly the same error text as", slipped[0].source)

    def recased(self, problem: Problem, cause: str | None) -> str | None:
        """A word within the text that the cause's known texts have in other letters only: "String" is not "string", where
        types are named so. None where there is none, or the text is all capitals."""
        words = cased(problem.error_pattern)
        if words.isupper():
            return None
        known = self._words_of.get(cause, {})
        letters: list[str] = _LETTERS.findall(words)
        for word in letters[1:]:
            forms = known.get(word.casefold())
            if forms and word not in forms:
                return word
        return None

    def _slips(self, words: str) -> tuple[Wording, ...]:
        """Known texts of causes that differ from `words` by slips alone; each distinct text is looked up once."""
        if words not in self._near:
            texts, wordings = self._distinct
            limit = int(SHARE * len(words) / (1 - SHARE)) + 1
            close = process.extract(words, texts, scorer=Levenshtein.distance, score_cutoff=limit, limit=None)
            places = [place for text, _, place in close if _same_but_slips(text, words)]
            found = (one for place in places for one in wordings[place] if one.cause is not None)
            self._near[words] = tuple(found)
        return self._near[words]

    def _may(self, one: Wording, problem: Problem, allowed: Collection[str]) -> bool:
        if one.gate is not None and one.gate != _gate(problem):
            return False
        return one.cause is None or one.cause in allowed

    @cached_property
    def _by_form(self) -> dict[str, list[Wording]]:
        return _indexed(self.known, skeleton)

    @cached_property
    def _by_words(self) -> dict[str, list[Wording]]:
        return _indexed(self.known, cased)

    @cached_property
    def _words_of(self) -> dict[str | None, dict[str, set[str]]]:
        """Of each cause, the words of its confirmed texts that stand within them often, in the forms they have there."""
        counts: dict[str | None, Counter[str]] = defaultdict(Counter)
        for one in self.known:
            if one.gate is not None:
                counts[one.cause].update(_LETTERS.findall(cased(one.pattern))[1:])
        found: dict[str | None, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for cause, words in counts.items():
            for word, count in words.items():
                if count >= OFTEN:
                    found[cause][word.casefold()].add(word)
        return found

    @cached_property
    def _confirmed_of(self) -> dict[str | None, Counter[str]]:
        """Of each cause, the patterns that people confirmed, and how often."""
        found: dict[str | None, Counter[str]] = defaultdict(Counter)
        for one in self.known:
            if one.gate is not None:
                found[one.cause][one.pattern] += 1
        return found

    @cached_property
    def _distinct(self) -> tuple[list[str], list[list[Wording]]]:
        texts = sorted(text for text in self._by_words if text)
        return texts, [self._by_words[text] for text in texts]

    @cached_property
    def _slots(self) -> dict[tuple[str, str], Slots]:
        """By gate. Templates' texts count at every gate: whether theirs is open is asked later."""
        grouped: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        gates = {one.gate for one in self.known if one.gate is not None}
        for one in self.known:
            if one.cause is not None:
                for gate in (one.gate,) if one.gate is not None else gates:
                    grouped[gate].append((one.cause, cased(one.pattern)))
        return {gate: Slots.of(pairs) for gate, pairs in grouped.items()}


def _same_but_slips(known: str, words: str) -> bool:
    return nearly_same(known.casefold(), words.casefold())


def _is_settled(known: Counter[str]) -> bool:
    """Whether confirmed texts go on saying what was said before: few of many forms stand alone (Good and Turing)."""
    forms = Counter[str]()
    for pattern, count in known.items():
        forms[cased(pattern)] += count
    return _is_foreign(forms)


def _is_foreign(forms: Counter[F]) -> bool:
    """Whether a form that is none of these is no form of theirs: they are many, and hardly any stands alone."""
    alone = sum(count == 1 for count in forms.values())
    return forms.total() >= MANY and alone < NEW_FORMS * forms.total()


@lru_cache(maxsize=32_768)
def _shape(pattern: str) -> tuple[str, ...]:
    """What was masked in a pattern, in order, lists and mappings as one: ("<quoted>", "<list>")."""
    return tuple(_MASK.findall(skeleton(pattern)))


@lru_cache(maxsize=32_768)
def _content(pattern: str) -> frozenset[str]:
    """The words of a text that carry meaning, endings taken off."""
    return frozenset(content(words_of(cased(pattern)))) | frozenset(
        word for word in words_of(cased(pattern)) if word in NEGATIONS
    )


def _decided(known: Sequence[Wording], problem: Problem, how: str) -> Found:
    """One cause, or the one that is known at the problem's own place; else all of them."""
    causes = frozenset(one.cause for one in known)
    if len(causes) > 1:
        here = [one for one in known if one.place and one.place == _place(problem)]
        told = frozenset(one.cause for one in here)
        if len(told) == 1 and len(here) >= ENOUGH_IN_PLACE:
            return Found(told, f"{how} others, which at {problem.step_id} are all", here[0].source)
    return Found(causes, how, known[0].source)


def _indexed(known: Iterable[Wording], key: Callable[[str], str]) -> dict[str, list[Wording]]:
    found: dict[str, list[Wording]] = defaultdict(list)
    for one in known:
        found[key(one.pattern)].append(one)
    return found


def _said(label: Label) -> Wording:
    source = f"problem {label.fingerprint}, which {label.actor} settled"
    return Wording(label.error_pattern, _gate(label), label.root_cause, label.step_context, source)


def _gate(one: Problem | Label) -> tuple[str, str]:
    return one.error_code, one.error_kind


def _place(problem: Problem) -> str:
    return problem.context_text


def _age(label: Label) -> tuple[float, str]:
    return label.at.timestamp(), label.label_id
