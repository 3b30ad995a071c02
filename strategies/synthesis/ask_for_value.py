"""Block and ask: a value that nobody gave is asked for, not guessed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from errata_client.facts import call_ids
from errata_client.pointer import get, parts_of
from errata_client.rule import Block, Trigger, Unseen
from errata_client.words import is_email, normal
from knowledge.cases import FailureCase
from knowledge.runs import ReferenceCall
from strategies.material import Material
from strategies.synthesis.port import Demand, Draft
from strategies.synthesis.retry import is_transient
from strategies.synthesis.wording import speaks_chinese, with_playbook

UNSEEN = frozenset({"prompt", "nowhere"})
ANSWERABLE = ("tool.error", "args.")
"""The codes whose failures a missing value may explain; a loop or a broken output has another reason."""

ENOUGH_FOR_ANY_VALUE = 30


class AskForValue:
    """For each argument whose value stood nowhere when the call failed, and never so when it worked."""

    name = "ask_for_value"

    def propose(self, material: Material, demand: Demand) -> Iterator[Draft]:
        """One draft for an argument, the one with most cases first; none where any call worked with such a value."""
        del demand
        unseen = _unseen(material.cases)
        for pointer in sorted(unseen, key=lambda place: (-len(unseen[place]), place)):
            if _may_ask(pointer, unseen[pointer], material.references):
                yield self._draft(material, pointer, unseen[pointer])

    def _draft(self, material: Material, pointer: str, cases: Sequence[FailureCase]) -> Draft:
        field = f"args.{pointer[1:]}"
        known = sum(pointer in call.view.provenance for call in material.references)
        chinese = speaks_chinese(cases)
        return Draft(
            synthesiser=self.name,
            trigger=Trigger(field=field, pattern="^", conditions=(Unseen(field=field),)),
            action=Block(
                text=with_playbook(_text(pointer, chinese=chinese), material.cause, chinese=chinese)
            ),
            cases=tuple(case.case_id for case in cases),
            explanation=(
                f"In {len(cases)} failing calls the value of {field} had been given by no person and by no tool; "
                f"in none of {known} calls that worked."
            ),
        )


def _unseen(cases: Sequence[FailureCase]) -> dict[str, list[FailureCase]]:
    """By pointer, the cases whose value there stood nowhere; places inside lists are left to their first item."""
    found: dict[str, list[FailureCase]] = defaultdict(list)
    for case in cases:
        if case.view is None or not case.view.has_context or is_transient(case):
            continue
        if not case.error_code.startswith(ANSWERABLE):
            continue
        for pointer, provenance in case.view.provenance.items():
            if provenance in UNSEEN and not _is_later_item(pointer):
                found[pointer].append(case)
    return found


def _is_later_item(pointer: str) -> bool:
    return any(part.isdigit() and part != "0" for part in parts_of(pointer))


def _may_ask(pointer: str, cases: Sequence[FailureCase], references: Sequence[ReferenceCall]) -> bool:
    """Ids may be asked for at once; words only where many calls speak for it; a number that is no id may be reckoned."""
    known = [call.view.provenance[pointer] for call in references if pointer in call.view.provenance]
    if any(provenance in UNSEEN for provenance in known):
        return False
    named = sum(_is_identifying(pointer, case) for case in cases)
    worded = all(isinstance(get(case.trigger_step.arguments, pointer), str) for case in cases)
    return named * 2 > len(cases) or (worded and len(known) >= ENOUGH_FOR_ANY_VALUE)


def _is_identifying(pointer: str, case: FailureCase) -> bool:
    """Whether the value names one thing or person: an id or an address."""
    value = get(case.trigger_step.arguments, pointer)
    if not isinstance(value, str | int) or isinstance(value, bool):
        return False
    return is_email(normal(str(value))) or str(value) in call_ids({parts_of(pointer)[-1]: value}).values()


def _text(pointer: str, *, chinese: bool) -> str:
    name = pointer[1:]
    if chinese:
        return f"未执行该调用：{name} 的值既不是用户提供的，也不是任何工具返回的。不要猜测，请先向用户询问，或用工具查到它。"
    return (
        f"This call was not made: the value of {name} was given neither by the person nor by any tool's result. "
        f"Do not guess it: ask the person for it, or look it up with a tool first."
    )
