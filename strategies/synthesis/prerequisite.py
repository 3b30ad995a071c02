"""Prerequisites: this tool works once another was called, and fails before.

Evidence: cases in which the very same call worked later in the run, once the other tool had succeeded in between; every call that
worked came after it. That some tool was never called before failures is not enough: many tools are not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from errata_client.jsontext import canonical
from errata_client.rule import NotCalled, RequireCall, Trigger
from errata_client.view import CallView
from knowledge.cases import FailureCase
from strategies.material import Material, tasks_of
from strategies.synthesis.port import Demand, Draft
from strategies.synthesis.retry import is_transient
from strategies.synthesis.wording import speaks_chinese, usual_error, with_playbook

MIN_SUCCESSES = 10


class Prerequisite:
    """The tool that has to come first, where one has to."""

    name = "prerequisite"

    def propose(self, material: Material, demand: Demand) -> Iterator[Draft]:
        """At most one draft: the tool that mended most cases."""
        if len(material.references) < MIN_SUCCESSES:
            return
        always = set.intersection(*(called_before(call.view) for call in material.references))
        mended = _mended(material, always)
        for tool in sorted(mended, key=lambda name: (-len(mended[name]), name))[:1]:
            cases = mended[tool]
            field = _argument(cases)
            if len(cases) >= demand.cases and len(tasks_of(cases)) >= demand.tasks and field:
                yield self._draft(material, tool, field, cases)

    def _draft(self, material: Material, tool: str, field: str, cases: Sequence[FailureCase]) -> Draft:
        chinese = speaks_chinese(cases)
        return Draft(
            synthesiser=self.name,
            trigger=Trigger(field=field, pattern="^", conditions=(NotCalled(tool=tool),)),
            action=RequireCall(
                tool=tool, text=with_playbook(_text(material, tool, cases), material.cause, chinese=chinese)
            ),
            cases=tuple(case.case_id for case in cases),
            explanation=(
                f"In {len(cases)} cases the very same call worked once {tool} had been called; all "
                f"{len(material.references)} calls that worked came after it."
            ),
        )


def called_before(view: CallView) -> set[str]:
    """The tools that had succeeded before the call."""
    return {call.tool for call in view.calls_before if call.ok}


def _mended(material: Material, tools: set[str]) -> Mapping[str, list[FailureCase]]:
    """By tool, the cases that failed without it and whose call worked, as it was, after it."""
    worked = {
        (call.run_id, canonical(call.arguments)): called_before(call.view) for call in material.references
    }
    found: dict[str, list[FailureCase]] = defaultdict(list)
    for case in material.cases:
        if case.view is None or is_transient(case) or not case.error_code.startswith(("tool.error", "plan.")):
            continue
        after = worked.get((case.run_id, canonical(case.trigger_step.arguments)), set())
        for tool in tools & after - called_before(case.view) - {material.scope.tool}:
            found[tool].append(case)
    return found


def _argument(cases: Sequence[FailureCase]) -> str | None:
    shared = set.intersection(*(set(case.trigger_step.arguments) for case in cases))
    plain = sorted(name for name in shared if name and not set(name) & set("/~"))
    return f"args.{plain[0]}" if plain else None


def _text(material: Material, tool: str, cases: Sequence[FailureCase]) -> str:
    error = usual_error(cases)
    if speaks_chinese(cases):
        return f"未执行 {material.scope.tool}：必须先调用 {tool}，否则会报错「{error}」。"
    return (
        f'{material.scope.tool} was not called: {tool} has to come first. Without it, it answers "{error}".'
    )
