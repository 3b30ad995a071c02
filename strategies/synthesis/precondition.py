"""Preconditions: what an earlier result says, or how two arguments relate, that tells failures from successes.

Such a rule stops the call with the reason. Many conditions are tried, so each has to win by a wide margin: no
success touched, most of the failures with one error explained, and nothing that chance would bring about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from errata_client.rule import Block, Trigger
from knowledge.cases import FailureCase
from strategies.material import Material, tasks_of
from strategies.synthesis.facts_told import fact_separations
from strategies.synthesis.port import Demand, Draft
from strategies.synthesis.relations import relation_separations
from strategies.synthesis.retry import is_transient
from strategies.synthesis.separation import Separation, chance
from strategies.synthesis.wording import speaks_chinese, usual_error, with_playbook

MIN_SHARE = 0.5
MIN_SUCCESSES = 10
MAX_DRAFTS = 1


class Precondition:
    """The condition that best explains one error of the tool."""

    name = "precondition"

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
        if cases:
            tried = [*fact_separations(cases, material), *relation_separations(cases, material)]
            good = [item for item in tried if _convinces(item, cases, len(tried), demand)]
            good.sort(key=lambda item: (-len(item.failing), item.simplicity, repr(item.condition)))
            for best in good[:MAX_DRAFTS]:
                yield self._draft(material, best)

    def _draft(self, material: Material, found: Separation) -> Draft:
        return Draft(
            synthesiser=self.name,
            trigger=Trigger(field=found.field, pattern="^", conditions=(found.condition,)),
            action=Block(text=_text(material, found)),
            cases=tuple(case.case_id for case in found.failing),
            explanation=(
                f"{found.english}: not so in {len(found.failing)} of {found.known} failures where it can be known, "
                f"and so in all of {found.successes} calls that worked."
            ),
        )


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


def _convinces(found: Separation, cases: Sequence[FailureCase], tried: int, demand: Demand) -> bool:
    """Enough cases of enough tasks, most of the error explained, and too good for chance among `tried`."""
    if len(found.failing) < demand.cases or len(tasks_of(found.failing)) < demand.tasks:
        return False
    if found.successes < MIN_SUCCESSES or len(found.failing) < MIN_SHARE * len(cases):
        return False
    return chance(found.known, len(found.failing), found.successes) * tried <= demand.chance


def _text(material: Material, found: Separation) -> str:
    chinese = speaks_chinese(found.failing)
    error, tool = usual_error(found.failing), material.scope.tool
    if chinese:
        text = f"未执行 {tool}：{found.chinese}，否则该工具会报错「{error}」。不要原样重试。"
    else:
        text = f'{tool} was not called: {found.english}. Otherwise it answers "{error}". Do not try it again as it is.'
    return with_playbook(text, material.cause, chinese=chinese)
