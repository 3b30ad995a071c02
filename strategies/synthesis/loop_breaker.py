"""Loop breakers: a call that failed is not made again as it is.

Evidence: cases in which the very same call had failed before, with an error of the agent's making, and no call that worked
on being made again after such an error. A tool that was down is another matter: there the same call is what helps. A loop is
no matter of the error's cause, so all failures of the scope count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errata_client.jsontext import canonical
from errata_client.rule import MAX_PATTERN, Block, Repeated, Trigger
from knowledge.cases import FailureCase
from strategies.material import Material
from strategies.synthesis.error_texts import pattern_of_errors
from strategies.synthesis.port import Demand, Draft
from strategies.synthesis.retry import SIGNS, is_transient
from strategies.synthesis.wording import speaks_chinese

PASSING = "|".join(sign.pattern for sign in SIGNS)
"""Errors that pass by themselves."""


class LoopBreaker:
    """One block for the scope, where the same call came again after its errors."""

    name = "loop_breaker"

    def propose(self, material: Material, demand: Demand) -> Iterator[Draft]:
        """One draft, where calls of the scope were made again as they were and failed again."""
        failures = [case for case in (*material.cases, *material.others) if _is_refusal(case)]
        lucky = _lucky(failures, material)
        again = [case for case in failures if _came_again(case) and case not in lucky]
        field = _argument(again) if len(again) >= demand.cases else None
        unless = "|".join([PASSING, *([pattern_of_errors(c.error_message for c in lucky)] if lucky else [])])
        if field is None or len(unless) > MAX_PATTERN:
            return
        condition = Repeated(times=1, error=".", unless=unless)
        yield Draft(
            synthesiser=self.name,
            trigger=Trigger(field=field, pattern="^", conditions=(condition,)),
            action=Block(text=_text(material.scope.tool, again)),
            cases=tuple(sorted(case.case_id for case in again)),
            explanation=(
                f"{len(again)} times a call was made again with the very same arguments after it had failed, and it "
                f"failed again."
            ),
        )


def _is_refusal(case: FailureCase) -> bool:
    return case.error_code == "tool.error" and case.view is not None and not is_transient(case)


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


def _came_again(case: FailureCase) -> bool:
    view = case.view
    return view is not None and view.repeats > 0 and view.repeated_error is not None


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
