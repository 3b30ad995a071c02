"""Whether a condition really separates failures from successes, or only seems to by chance."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import comb

from errata_client.rule import Condition
from errata_client.words import normal
from knowledge.cases import FailureCase
from knowledge.runs import ReferenceCall
from strategies.material import task_of, tasks_of
from strategies.synthesis.port import Demand
from strategies.synthesis.wording import usual_error

MIN_WORD = 4
MIN_WORD_UNSPACED = 2
UNEXPLAINED = 0.01
"""How much less probable by chance a condition has to be that nothing explains."""


@dataclass(frozen=True)
class Separation:
    """A condition that holds in the `failing` of `known` failures, and in none of the `worked` calls, where it is known.

    `field` is the argument that the trigger looks at; the texts say what has to be so. `explained`: the tool's own
    error, or the shape of the call, says why.
    """

    field: str
    condition: Condition
    failing: tuple[FailureCase, ...]
    known: tuple[FailureCase, ...]
    worked: tuple[ReferenceCall, ...]
    simplicity: int
    english: str
    chinese: str
    explained: bool

    def convinces(self, tried: int, demand: Demand) -> bool:
        """Enough cases of enough tasks, and too good for chance, tasks being what is independent.

        One of `tried` conditions always fits best: only where the error itself explains the condition does that not count.
        """
        tasks = tasks_of(self.failing)
        if len(self.failing) < demand.cases or len(tasks) < demand.tasks:
            return False
        luck = chance(len(tasks_of(self.known)), len(tasks), len({task_of(call) for call in self.worked}))
        return luck <= demand.chance * 10 if self.explained else luck * tried <= demand.chance * UNEXPLAINED


def chance(failures: int, failing: int, successes: int) -> float:
    """How probable it is by chance alone that a condition which holds in `failing` of `failures` holds in none of
    `successes`: Fisher's exact test, one-sided, with a zero among the successes."""
    if failing == 0:
        return 1.0
    return comb(failures, failing) / comb(failures + successes, failing)


def explains(cases: Sequence[FailureCase], values: Collection[str]) -> bool:
    """Whether the error that the cases usually show names one of `values`: "non-delivered order" names delivered."""
    return names(usual_error(cases), values)


def names(text: str, values: Collection[str]) -> bool:
    """Whether one of `values`, or a word of one, stands in the text."""
    whole = normal(text)
    return any(len(word) >= _least(word) and word in whole for value in values for word in _words(value))


def _least(word: str) -> int:
    return MIN_WORD if word.isascii() else MIN_WORD_UNSPACED


def _words(value: str) -> list[str]:
    """The value, and its words where it is a name of several: `credit_card_`."""
    whole = normal(value)
    return [whole, *(word for word in whole.replace("_", " ").replace("-", " ").split() if word != whole)]
