"""Confirmations: a change that was made without the person's yes.

Evidence: calls of a tool that changes something, which the tool refused because it wants a confirmation, or which contrast
says should not have been made; the person's last words before them hold no yes, while they do before every such call of runs
that did not fail. Who says yes how is a closed list; a person who agrees in other words is asked once more. Who acts on what
was ordered at once, without asking, has good calls without a yes, and no such rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errata_client.matching import Pattern
from errata_client.reading import is_read_only
from errata_client.rule import Confirm, Said, Trigger
from knowledge.cases import FailureCase
from knowledge.runs import ReferenceCall
from strategies.material import Material
from strategies.synthesis.port import Demand, Draft
from strategies.synthesis.separation import Separation
from strategies.synthesis.wording import speaks_chinese, with_playbook

YES = (
    r"(?i)\b(?:yes|yeah|yep|yup|sure|ok|okay|confirm|confirmed|correct|go ahead|proceed|agree|agreed|approved?|absolutely"
    r"|definitely|of course|please do|do it|that's right|that is right|sounds good)\b"
    r"|是的|对的|好的|好吧|可以|确认|同意|没问题|没错|请继续|行[，。！]?$"
)
"""How people say yes, in English and Chinese."""

WANTED = (
    r"(?i)confirm(?:ation|ed)?\b.{0,40}\b(?:required|needed|missing|first)|(?:requires?|needs?|without|missing|must (?:be|have))"
    r"\b.{0,40}\b(?:confirm|consent|approv)|not (?:been )?confirmed|(?:需要?|未经?|请先|尚未|缺少|没有).{0,12}(?:确认|同意)"
)
"""How a tool says that it wants a person's word first."""

MIN_SUCCESSES = 10
_YES, _WANTED = Pattern(YES), Pattern(WANTED)
NO_YES = Said(pattern=YES, negate=True)


class AskFirst:
    """A yes that has to come first, for a tool that changes something."""

    name = "confirm"

    def propose(self, material: Material, demand: Demand) -> Iterator[Draft]:
        """At most one draft."""
        if is_read_only(material.scope.tool):
            return
        known = [case for case in material.cases if _is_unwanted(case) and _heard(case)]
        failing = [case for case in known if not _YES.found(_heard(case))]
        good = [call for call in material.references if _is_good(call)]
        if len(good) < MIN_SUCCESSES or any(not _YES.found(call.view.user_input) for call in good):
            return
        if _separation(failing, known, good).convinces(1, demand):
            yield self._draft(material, failing, known, good)

    def _draft(
        self,
        material: Material,
        failing: Sequence[FailureCase],
        known: Sequence[FailureCase],
        good: Sequence[ReferenceCall],
    ) -> Draft:
        chinese = speaks_chinese(failing)
        return Draft(
            synthesiser=self.name,
            trigger=Trigger(field="user_input", pattern="^", conditions=(NO_YES,)),
            action=Confirm(
                text=with_playbook(
                    _text(material.scope.tool, chinese=chinese), material.cause, chinese=chinese
                )
            ),
            cases=tuple(case.case_id for case in failing),
            explanation=(
                f"{len(failing)} of {len(known)} such calls were made without a yes in the person's last words; none of "
                f"{len(good)} calls of runs that did not fail."
            ),
        )


def _is_unwanted(case: FailureCase) -> bool:
    """Whether the tool wanted a word first, or no comparable run made the call."""
    if case.error_code == "outcome.extra_action":
        return True
    return case.error_code == "tool.error" and _WANTED.found(case.error_message)


def _heard(case: FailureCase) -> str:
    return case.view.user_input if case.view else ""


def _is_good(call: ReferenceCall) -> bool:
    return call.succeeded_run is not False and bool(call.view.user_input)


def _separation(
    failing: Sequence[FailureCase], known: Sequence[FailureCase], good: Sequence[ReferenceCall]
) -> Separation:
    return Separation(
        field="user_input",
        condition=NO_YES,
        failing=tuple(failing),
        known=tuple(known),
        worked=tuple(good),
        simplicity=1,
        english="",
        chinese="",
        explained=True,
    )


def _text(tool: str, *, chinese: bool) -> str:
    if chinese:
        return f"未执行 {tool}：用户尚未同意。请先向用户逐项说明将要做的更改，等待用户明确答复“是”。"
    return (
        f"{tool} was not called: the person has not said yes to it. Tell the person in detail what will be changed, and wait "
        f"for a yes."
    )
