"""Preconditions: what an earlier result says, how two arguments relate, or the form of one, that tells failures from
successes.

Such a rule stops the call with the reason. Many conditions are tried, so each has to win by a wide margin: no
success touched, most of the failures with one error explained, and nothing that chance would bring about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from errata_client.rule import ArgumentIs, Block, Trigger
from knowledge.cases import FailureCase
from strategies.material import Material
from strategies.synthesis.facts_told import fact_separations
from strategies.synthesis.port import FULL, Demand, Draft
from strategies.synthesis.relations import relation_separations
from strategies.synthesis.retry import is_transient
from strategies.synthesis.separation import Separation
from strategies.synthesis.wording import speaks_chinese, usual_error, with_playbook

KNOWN = 0.3
MIN_SUCCESSES = 10
MAX_DRAFTS = 1

Search = Callable[[Sequence[FailureCase], Material], Iterator[Separation]]


@dataclass(frozen=True)
class Precondition:
    """The condition that best explains one error of the tool, out of those that `searches` find. It has to hold in
    `share` of the failures with that error in which it can be known, and be known in `KNOWN` of them."""

    name: str = "precondition"
    searches: tuple[Search, ...] = (fact_separations, relation_separations)
    share: float = 0.5

    def propose(self, material: Material, demand: Demand) -> Iterator[Draft]:
        """One draft for the cause as a whole, or else one for each of its errors, at most."""
        for group in (_whole, _by_error):
            drafts = [
                draft for cases in group(material.cases) for draft in self._best(cases, material, demand)
            ]
            yield from drafts
            if drafts:
                return

    def _best(self, cases: Sequence[FailureCase], material: Material, demand: Demand) -> Iterator[Draft]:
        for best in self._convincing(cases, material, demand)[: MAX_DRAFTS if demand == FULL else None]:
            yield self._draft(material, best)

    def separations(self, material: Material, demand: Demand) -> Iterator[Separation]:
        """What tells the failures of the material, as a whole or else by error: the best of each."""
        for group in (_whole, _by_error):
            found = [self._convincing(cases, material, demand)[:1] for cases in group(material.cases)]
            yield from (item for best in found for item in best)
            if any(found):
                return

    def _convincing(
        self, cases: Sequence[FailureCase], material: Material, demand: Demand
    ) -> list[Separation]:
        """What tells these failures from the successes, the best first."""
        if not cases:
            return []
        tried = [item for search in self.searches for item in search(cases, material)]
        good = [item for item in tried if self._convinces(item, cases, len(tried), demand)]
        return sorted(good, key=lambda item: (-len(item.failing), item.simplicity, repr(item.condition)))

    def _convinces(self, found: Separation, cases: Sequence[FailureCase], tried: int, demand: Demand) -> bool:
        """Enough of the error explained, enough successes to compare with, and too good for chance."""
        if len(found.worked) < MIN_SUCCESSES or len(found.failing) < self.share * len(found.known):
            return False
        if len(found.known) < KNOWN * len(cases):
            return False
        return found.convinces(tried, demand)

    def _draft(self, material: Material, found: Separation) -> Draft:
        return Draft(
            synthesiser=self.name,
            trigger=_trigger(found),
            action=Block(text=_text(material, found)),
            cases=tuple(case.case_id for case in found.failing),
            explanation=(
                f"{found.english}: not so in {len(found.failing)} of {len(found.known)} failures where it can be known, "
                f"and so in all of {len(found.worked)} calls that worked."
            ),
        )


def _trigger(found: Separation) -> Trigger:
    """A form of the very argument is what the trigger looks for; all else is a condition."""
    condition = found.condition
    if isinstance(condition, ArgumentIs) and not condition.negate and condition.field == found.field:
        return Trigger(field=found.field, pattern=condition.pattern)
    return Trigger(field=found.field, pattern="^", conditions=(condition,))


def _whole(cases: Sequence[FailureCase]) -> list[list[FailureCase]]:
    """All cases but those that may pass by themselves."""
    return [[case for case in cases if _speaks(case)]]


def _speaks(case: FailureCase) -> bool:
    """Whether the tool refused the call, and not because it was down."""
    return case.error_code == "tool.error" and case.view is not None and not is_transient(case)


def _by_error(cases: Sequence[FailureCase]) -> list[list[FailureCase]]:
    """The cases of each masked error, apart from those that may pass by themselves."""
    grouped: dict[str, list[FailureCase]] = defaultdict(list)
    for case in cases:
        if _speaks(case):
            grouped[case.error_pattern].append(case)
    return [grouped[error] for error in sorted(grouped)]


def _text(material: Material, found: Separation) -> str:
    chinese = speaks_chinese(found.failing)
    error, tool = usual_error(found.failing), material.scope.tool
    if chinese:
        text = f"未执行 {tool}：{found.chinese}，否则该工具会报错「{error}」。不要原样重试。"
    else:
        text = f'{tool} was not called: {found.english}. Otherwise it answers "{error}". Do not try it again as it is.'
    return with_playbook(text, material.cause, chinese=chinese)
