"""Loop breakers: a call that failed is not made again as it is.

Evidence: cases in which the very same call had failed before, with an error of the agent's making, and no call that worked
on being made again after such an error. A tool that was down is another matter: there the same call is what helps. A loop is
no matter of the error's cause, so all failures of the scope count, and, for a tool that failed often enough, the loops of the agent's
other tools, where such calls hardly ever worked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errata_client.jsontext import canonical
from errata_client.rule import MAX_PATTERN, Block, Repeated, Trigger
from knowledge.cases import FailureCase
from strategies.loops import came_again, is_refusal
from strategies.material import Material, tasks_of
from strategies.synthesis.error_texts import pattern_of_errors
from strategies.synthesis.port import Demand, Draft
from strategies.synthesis.retry import SIGNS
from strategies.synthesis.wording import speaks_chinese

PASSING = "|".join(sign.pattern for sign in SIGNS)
"""Errors that pass by themselves."""

SEEN_ELSEWHERE = "seen_elsewhere"
"""Flag: some of the loops that speak for the draft were those of other tools."""


MIN_TOOLS = 2
"""Tools that have to have answered so, where they speak for another."""


class LoopBreaker:
    """One block for the scope, where the same call came again after its errors."""

    name = "loop_breaker"

    def propose(self, material: Material, demand: Demand) -> Iterator[Draft]:
        """One draft, where calls of the scope were made again as they were and failed again; or where it often fails and
        those of the agent's other tools did."""
        failures = [case for case in (*material.cases, *material.others) if is_refusal(case)]
        lucky = _lucky(failures, material)
        again = [case for case in failures if came_again(case) and case not in lucky]
        if not _suffices(again, demand):
            again = _with_others(again, failures, material, demand)
        field = _argument(failures) if _suffices(again, demand) else None
        unless = "|".join([PASSING, *([pattern_of_errors(c.error_message for c in lucky)] if lucky else [])])
        if field is None or len(unless) > MAX_PATTERN:
            return
        yield self._draft(material, field, again, unless)

    def _draft(self, material: Material, field: str, again: Sequence[FailureCase], unless: str) -> Draft:
        condition = Repeated(times=1, error=".", unless=unless)
        foreign = {case.case_id for case in material.elsewhere}
        others = sum(case.case_id in foreign for case in again)
        return Draft(
            synthesiser=self.name,
            trigger=Trigger(field=field, pattern="^", conditions=(condition,)),
            action=Block(text=_text(material.scope.tool, again)),
            cases=tuple(sorted(case.case_id for case in again)),
            explanation=(
                f"{len(again)} times a call was made again with the very same arguments after it had failed, and it "
                f"failed again"
                + (f"; {others} of these were calls of the agent's other tools." if others else ".")
            ),
            flags=(SEEN_ELSEWHERE,) if others else (),
        )


def _with_others(
    again: Sequence[FailureCase], failures: Sequence[FailureCase], material: Material, demand: Demand
) -> list[FailureCase]:
    """The loops of the agent's other tools too, where this one fails often; what one tool does is no law of the others."""
    found = [*again, *material.elsewhere]
    tools = {case.trigger_step.tool for case in found}
    return found if len(tools) >= MIN_TOOLS and _fails_often(failures, demand) else []


def _fails_often(failures: Sequence[FailureCase], demand: Demand) -> bool:
    """Whether a tool fails often enough to be worth a rule of which other tools tell."""
    return len(failures) >= 3 * demand.cases and len(tasks_of(failures)) > demand.tasks


def _suffices(cases: Sequence[FailureCase], demand: Demand) -> bool:
    return len(cases) >= demand.cases and len(tasks_of(cases)) >= demand.tasks


def _lucky(failures: Sequence[FailureCase], material: Material) -> list[FailureCase]:
    """The failures with an error after which the same call once worked."""
    worked = {
        (call.run_id, canonical(call.arguments)) for call in material.references if call.view.repeated_error
    }
    errors = {
        case.error_pattern.casefold()
        for case in failures
        if (case.run_id, canonical(case.trigger_step.arguments)) in worked
    }
    return [case for case in failures if case.error_pattern.casefold() in errors]


def _argument(cases: Sequence[FailureCase]) -> str | None:
    """An argument that all of these calls have; a call without any is never stopped."""
    shared = set.intersection(*(set(case.trigger_step.arguments) for case in cases))
    plain = sorted(name for name in shared if name and not set(name) & set("/~"))
    return f"args.{plain[0]}" if plain else None


def _text(tool: str, cases: Sequence[FailureCase]) -> str:
    """What is said whatever the error was: the model has seen it."""
    if speaks_chinese(cases):
        return f"未执行 {tool}：完全相同的调用刚才已经失败，再试一次结果也一样。请根据那次的错误信息改变参数、先查明原因，或告知用户。"
    return (
        f"{tool} was not called: just this call failed before, and will again. Change what that error speaks of, look up "
        f"what is missing, or tell the person."
    )
