"""Errors that speak of a sum: "total price is 305, but paid 255", where 255 is what the call's own amounts come to.

Evidence: in every failing call one number of the error is the sum of one field over one list of the call; in every call that was
mended it is another number of the error, however it was shared out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import permutations

from errata_client.actions.writing import is_number
from errata_client.jsontext import as_text
from errata_client.model import JsonValue
from knowledge.cases import FailureCase

MIN_CASES = 3
MIN_MENDED = 2


@dataclass(frozen=True)
class SumLaw:
    """The sum of `field` over the list `name` is number `paid` of the error, and has to be number `due` (both from 0)."""

    name: str
    field: str
    paid: int
    due: int

    def restores(self, formula: str) -> bool:
        """Whether what the formula makes of one of the amounts leaves the right sum."""
        return formula == f"{{{self.due + 1}}} - {{{self.paid + 1}}} + {{value}}"

    def explains(self, case: FailureCase, numbers: Sequence[Decimal]) -> bool:
        """Whether the failing call has the sum that the error names, and the one that then worked the other."""
        stood = _sum(case.trigger_step.arguments, self.name, self.field)
        if stood is None or stood != numbers[self.paid]:
            return False
        return case.repair is None or _sum(case.repair.arguments, self.name, self.field) == numbers[self.due]


def sum_law(cases: Sequence[FailureCase], numbers: Mapping[str, Sequence[Decimal]]) -> SumLaw | None:
    """The law that holds in all of these cases, with numbers that differ; None where there is none, or too little to tell."""
    mended = sum(case.repair is not None for case in cases)
    told = {tuple(numbers[case.case_id]) for case in cases}
    if len(cases) < MIN_CASES or mended < MIN_MENDED or len(told) < 2:
        return None
    places = permutations(range(min(len(found) for found in told)), 2)
    laws = (SumLaw(*summed, *place) for place in places for summed in _sums(cases[0].trigger_step.arguments))
    return next(
        (law for law in laws if all(law.explains(case, numbers[case.case_id]) for case in cases)), None
    )


def _sums(arguments: Mapping[str, JsonValue]) -> list[tuple[str, str]]:
    """Each list of the call, with each number of its items."""
    return [
        (name, field)
        for name, value in sorted(arguments.items())
        if isinstance(value, list) and value and isinstance(value[0], dict)
        for field, found in sorted(value[0].items())
        if is_number(found)
    ]


def _sum(arguments: Mapping[str, JsonValue], name: str, field: str) -> Decimal | None:
    """What the field comes to over the list; None where an item has no such number."""
    items = arguments.get(name)
    if not isinstance(items, list):
        return None
    found = [item.get(field) if isinstance(item, dict) else None for item in items]
    if not found or not all(is_number(value) for value in found):
        return None
    return sum((Decimal(as_text(value)) for value in found if is_number(value)), Decimal(0))
