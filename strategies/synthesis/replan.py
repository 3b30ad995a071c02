"""Replanning: a step that is carried out though its plan no longer holds.

Evidence, of either sort: a premise of the plan that an earlier result denied (the fact that a call names in common with
it tells such calls from all that went well), or a step that needs what another tool gives, which had failed or had not been
called yet (all calls that went well came after its success). That a premise was denied is no harm by itself: the call failed, or
its run did. Where one with such a fact went well, there is no rule.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from errata_client.pointer import parts_of
from errata_client.rule import FactIs, NotCalled, Replan, Trigger
from knowledge.cases import FailureCase
from strategies.material import Material
from strategies.synthesis.facts_told import fact_separations
from strategies.synthesis.port import Demand, Draft
from strategies.synthesis.prerequisite import called_before
from strategies.synthesis.separation import Separation
from strategies.synthesis.wording import speaks_chinese, with_playbook

MIN_SUCCESSES = 10


class PlanAnew:
    """A stop where the plan no longer holds."""

    name = "replan"

    def propose(self, material: Material, demand: Demand) -> Iterator[Draft]:
        """At most one draft for denied premises, and one for steps out of order."""
        for found in (_denied(material), _out_of_order(material)):
            good = [
                one for one in found if len(one.worked) >= MIN_SUCCESSES and one.convinces(len(found), demand)
            ]
            good.sort(key=lambda one: (-len(one.failing), one.simplicity, repr(one.condition)))
            yield from (self._draft(material, best) for best in good[:1])

    def _draft(self, material: Material, found: Separation) -> Draft:
        chinese = speaks_chinese(found.failing)
        text = _text(material.scope.tool, found, chinese=chinese)
        return Draft(
            synthesiser=self.name,
            trigger=Trigger(field=found.field, pattern="^", conditions=(found.condition,)),
            action=Replan(text=with_playbook(text, material.cause, chinese=chinese)),
            cases=tuple(case.case_id for case in found.failing),
            explanation=(
                f"{found.english}: not so in {len(found.failing)} of {len(found.known)} calls that a plan made though it no "
                f"longer held, and so in all of {len(found.worked)} calls that went well."
            ),
        )


def _denied(material: Material) -> list[Separation]:
    """The facts that tell the calls whose premise was denied; explained where a premise names the fact."""
    cases = [case for case in material.cases if case.error_code == "plan.stale_premise"]
    premises = " ".join(str(case.evidence.get("premise", "")) for case in cases).casefold()
    return [replace(found, explained=_named(found, premises)) for found in fact_separations(cases, material)]


def _named(found: Separation, premises: str) -> bool:
    condition = found.condition
    return isinstance(condition, FactIs) and parts_of(condition.path)[-1].casefold() in premises


def _out_of_order(material: Material) -> list[Separation]:
    """The tools whose success is needed, by the plans themselves, and was not there."""
    cases = [case for case in material.cases if case.error_code == "plan.order" and case.view is not None]
    by_tool: dict[str, list[FailureCase]] = defaultdict(list)
    for case in cases:
        tool = case.evidence.get("tool")
        if isinstance(tool, str) and case.view is not None and tool not in called_before(case.view):
            by_tool[tool].append(case)
    return [
        _after(tool, failing, cases, material)
        for tool, failing in sorted(by_tool.items())
        if all(tool in called_before(call.view) for call in material.references)
    ]


def _after(
    tool: str, failing: Sequence[FailureCase], known: Sequence[FailureCase], material: Material
) -> Separation:
    return Separation(
        field="user_input",
        condition=NotCalled(tool=tool),
        failing=tuple(failing),
        known=tuple(known),
        worked=material.references,
        simplicity=1,
        english=f"{tool} has to have succeeded before",
        chinese=f"必须先成功执行 {tool}",
        explained=True,
    )


def _text(tool: str, found: Separation, *, chinese: bool) -> str:
    if chinese:
        return f"未执行 {tool}：{found.chinese}，而目前并非如此，原计划已不成立。请根据目前已知的结果重新制定计划。"
    return (
        f"{tool} was not called: {found.english}, and that is not so; the plan no longer holds. Make a new plan from what is "
        f"known now."
    )
