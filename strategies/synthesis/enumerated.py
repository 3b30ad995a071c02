"""Values of a closed list, written in another case or with other marks: "Basic Economy" for `basic_economy`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import re2

from strategies.synthesis.generalise import Pair

MAX_VALUES = 12
MIN_PER_VALUE = 4
_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Spelling:
    """One value of the list, the pattern of its other spellings, and the cases that used one."""

    pattern: str
    value: str
    cases: tuple[str, ...]


def is_enumerated(values: Sequence[str]) -> bool:
    """Whether these values come of a closed list: few distinct ones, of letters, each of them often."""
    distinct = set(values)
    named = all(_WORDS.search(value) and not any(map(str.isdigit, value)) for value in distinct)
    return named and 0 < len(distinct) <= MAX_VALUES and len(values) >= MIN_PER_VALUE * len(distinct)


def spellings(pairs: Iterable[Pair], working: Sequence[str]) -> list[Spelling]:
    """A spelling for each value of the list that the failing values only wrote differently."""
    if not is_enumerated(working):
        return []
    often = {value for value, count in Counter(working).items() if count >= MIN_PER_VALUE}
    cases: dict[str, list[str]] = defaultdict(list)
    for pair in pairs:
        if (
            pair.working in often
            and pair.failing != pair.working
            and _bare(pair.failing) == _bare(pair.working)
        ):
            cases[pair.working].append(pair.case_id)
    rivals = Counter(_bare(value) for value in set(working))
    return [
        Spelling(_pattern(value), value, tuple(found))
        for value, found in sorted(cases.items())
        if rivals[_bare(value)] == 1
    ]


def _bare(value: str) -> str:
    return "".join(_WORDS.findall(value.casefold()))


def _pattern(value: str) -> str:
    inner = r"[\s_-]*".join(re2.escape(word) for word in _WORDS.findall(value))
    return rf"(?i)^\s*{inner}\s*$"
