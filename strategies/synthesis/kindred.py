"""Preconditions that a tool shares with its kin: what an earlier result must say for one, another that is named after it asks too.

Evidence: the failures of another tool by the same cause, where a fact tells them from its successes; and this tool's own successes,
many of many tasks, of which none was made without it. The value that the fact has to have stands in this tool's name, or its
step's: `return_delivered` asks for "delivered" as `exchange_delivered` does. A tool that never failed so gets its rule before it does.
A value that holds that word too ("pending (item modified)" beside "pending") is left alone: what the kin makes of it says nothing here,
nor does the name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import re2

from errata_client.conditions import Asked, check_of
from errata_client.rule import Block, FactIs, Trigger
from errata_client.view import CallView
from knowledge.runs import ReferenceCall
from strategies.material import Material, task_of
from strategies.synthesis.facts_told import fact_separations, values_told
from strategies.synthesis.loop_breaker import SEEN_ELSEWHERE
from strategies.synthesis.port import FULL, Demand, Draft
from strategies.synthesis.precondition import Precondition
from strategies.synthesis.separation import Separation, names
from strategies.synthesis.wording import speaks_chinese, usual_error, with_playbook

MIN_KNOWN = 30
MIN_TASKS = 10
OF_FACTS = Precondition(searches=(fact_separations,))


class KindredPrecondition:
    """At most one draft: the condition of the kin with most failures."""

    name = "kindred_precondition"

    def propose(self, material: Material, demand: Demand) -> Iterator[Draft]:
        """None where the tool's own failures tell a fact."""
        if not material.kin or tells_by_fact(material, demand):
            return
        fitting = (
            (kin, law)
            for kin in material.kin
            for found in OF_FACTS.separations(kin, demand)
            if (law := _law(found, material)) is not None and law.convinces(1, demand)
        )
        best = max(fitting, key=lambda pair: (len(pair[1].failing), pair[0].scope.tool), default=None)
        if best is not None:
            yield self._draft(material, *best)

    def _draft(self, material: Material, kin: Material, found: Separation) -> Draft:
        known = _known(found, material.references)
        asked = _asked(found, known)
        own = [
            case
            for case in material.cases
            if case.view and _holds(found, case.view) and names(case.error_pattern, asked)
        ]
        return Draft(
            synthesiser=self.name,
            trigger=Trigger(field=found.field, pattern="^", conditions=(found.condition,)),
            action=Block(text=_text(material, kin, found)),
            cases=tuple(case.case_id for case in (*own, *found.failing)),
            explanation=(
                f"{found.english}: not so in {len(found.failing)} failures of {kin.scope.tool}, and so in all of {len(known)} "
                f"calls of {material.scope.tool} that worked and in which it was known."
            ),
            flags=(SEEN_ELSEWHERE,),
        )


def tells_by_fact(material: Material, demand: Demand = FULL) -> bool:
    """Whether a fact tells the failures of this material from its successes, so that it can speak for other tools."""
    return any(True for _ in OF_FACTS.separations(material, demand))


def _law(found: Separation, material: Material) -> Separation | None:
    """What of the kin's condition holds here: known of many calls that worked, broken by none of them, its value named by the
    tool or its step; narrowed to values that have nothing of it."""
    known = _known(found, material.references)
    if len(known) < MIN_KNOWN or len({task_of(call) for call in known}) < MIN_TASKS:
        return None
    asked = _asked(found, known)
    if not any(names(text, asked) for text in (material.scope.tool, material.scope.step_id)):
        return None
    pattern = f"(?i)(?:{'|'.join(re2.escape(value) for value in sorted(asked))})"
    condition = found.condition.model_copy(update={"pattern": pattern})
    law = replace(found, condition=condition, worked=tuple(known))
    if any(_holds(found, call.view) for call in material.references):
        return None
    return replace(law, failing=tuple(case for case in found.failing if case.view and _holds(law, case.view)))


def _known(found: Separation, references: tuple[ReferenceCall, ...]) -> list[ReferenceCall]:
    return [call for call in references if _told(found, call.view)]


def _asked(found: Separation, known: Sequence[ReferenceCall]) -> frozenset[str]:
    """The values with which calls worked."""
    return frozenset(value for call in known for value in _told(found, call.view))


def _told(found: Separation, view: CallView) -> tuple[str, ...]:
    condition = found.condition
    return values_told(condition, found.field, view) if isinstance(condition, FactIs) else ()


def _holds(found: Separation, view: CallView) -> bool:
    return check_of(found.condition)(Asked(view, view.arguments))


def _text(material: Material, kin: Material, found: Separation) -> str:
    tool, error = material.scope.tool, usual_error(found.failing)
    chinese = speaks_chinese(found.failing)
    if chinese:
        text = f"未执行 {tool}：{found.chinese}；{kin.scope.tool} 有同样的要求，否则会报错「{error}」。不要原样重试。"
    else:
        text = (
            f"{tool} was not called: {found.english}. {kin.scope.tool} asks for the same, and answers otherwise "
            f'"{error}". Do not try it as it is.'
        )
    return with_playbook(text, material.cause, chinese=chinese)
