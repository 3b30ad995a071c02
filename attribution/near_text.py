"""When two masked error texts are the same error, but for a word's ending or a value that was not masked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import SequenceMatcher

from attribution.contraries import contrary, crossed
from attribution.words import FILLERS, NEGATIONS, content, negations, opposites, words

SHARE = 0.10
"""Edits per character of the longer text that two texts of one error may differ by."""
SAME_WORDS = 0.65
"""Share of the shorter text's words that stand in the other, from which they speak of the same thing."""


def edit_distance(left: str, right: str, limit: int) -> int:
    """Levenshtein distance, or `limit` + 1 as soon as it is known to be greater."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    above = list(range(len(right) + 1))
    for row, character in enumerate(left, start=1):
        current = _row(above, row, character, right)
        if min(current) > limit:
            return limit + 1
        above = current
    return min(above[-1], limit + 1)


def _row(above: Sequence[int], row: int, character: str, right: str) -> list[int]:
    current = [row]
    for column, other in enumerate(right, start=1):
        same = above[column - 1] + (character != other)
        current.append(min(same, above[column] + 1, current[-1] + 1))
    return current


def nearly_same(left: str, right: str) -> bool:
    """At most SHARE of the characters differ, no word turns the meaning round, and each changed word is an ending or a
    slip of the other (one edit in four characters); "old" for "new" is neither."""
    if left == right:
        return bool(left)
    limit = int(SHARE * max(len(left), len(right)))
    if limit == 0 or edit_distance(left, right, limit) > limit:
        return False
    before, after = words(left), words(right)
    opposed = opposites(before, after) or contrary(left, right, before, after) or crossed(before, after)
    same_sense = negations(before) == negations(after) and not opposed
    return same_sense and _only_slips(before, after)


def _only_slips(before: Sequence[str], after: Sequence[str]) -> bool:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, start, stop, other, end in matcher.get_opcodes():
        if kind == "equal":
            continue
        old = [word for word in before[start:stop] if word not in FILLERS]
        new = [word for word in after[other:end] if word not in FILLERS]
        if len(old) != len(new) or not all(map(_slip, old, new)):
            return False
    return True


def _slip(old: str, new: str) -> bool:
    allowed = max(len(old), len(new)) // 4
    return old == new or (allowed > 0 and edit_distance(old, new, allowed) <= allowed)


def turned_round(left: str, right: str) -> str | None:
    """Why two texts that look alike say different things, in words; None where nothing of the kind is seen.

    Sentence encoders hardly see these: the same words but for a negation, or the same words in other roles. It may
    doubt too much, never settle anything: whoever asks leaves the answer to a person.
    """
    before, after = words(left), words(right)
    if before == after:
        return None
    opposed = opposites(before, after)
    plain = {negative: positive for positive, negative in opposed}
    ours, theirs = (content([plain.get(word, word) for word in side]) for side in (before, after))
    if _alike(ours, theirs) and _polarity(before, plain) != _polarity(after, plain):
        return "nearly the same words, but one of the texts negates more of them"
    if len(ours) > 2 and sorted(ours) == sorted(theirs) and _moved(ours, theirs):
        return "the same words, but in other places"
    return _reversed(left, right, before, after)


def _reversed(left: str, right: str, before: Sequence[str], after: Sequence[str]) -> str | None:
    opposed = contrary(left, right, before, after)
    if opposed:
        return f"it says {opposed[0]!r} where the known text says {opposed[1]!r}"
    swapped = crossed(before, after)
    return f"{swapped[0]!r} and {swapped[1]!r} have changed places" if swapped else None


def _polarity(side: Sequence[str], plain: Collection[str]) -> int:
    """How often a text says no, negative forms of the other's words included; a word that is both counts once."""
    return sum(word in NEGATIONS or word in plain for word in side)


def _alike(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether nearly all words of the shorter text stand in the other."""
    smaller = min(len(set(ours)), len(set(theirs)))
    return smaller > 0 and len(set(ours) & set(theirs)) >= SAME_WORDS * smaller


def _moved(ours: list[str], theirs: list[str]) -> bool:
    """Whether a word stands two places or more from where it stood, and not because the text begins elsewhere ("order
    not found", "not found: order"); neighbours that change places ("pending order", "order pending") say the same, and
    so does a text in which one word alone has moved ("must first approve it", "must approve it first")."""
    if any(ours[start:] + ours[:start] == theirs for start in range(len(ours))):
        return False
    if any(_without(ours, word) == _without(theirs, word) for word in ours if ours.count(word) == 1):
        return False
    return any(theirs[max(0, place - 1) : place + 2].count(word) == 0 for place, word in enumerate(ours))


def _without(side: Sequence[str], word: str) -> list[str]:
    return [one for one in side if one != word]
