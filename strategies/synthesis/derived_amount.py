"""Amounts that the error itself tells: "total price is 305, but paid 255" names what is missing.

Evidence: repairs in which one number was changed, and nothing else, to what a formula of the error's numbers (and of the number that
stood there) gives; of the calls that were mended at all, most were mended just so. Where the error names the plain sum of a list
(error_sums), a call that was mended by sharing it out otherwise does not speak against it. Where a neighbour of the number names a kind,
such as that of a payment, each kind needs such evidence of its own. The formula is the shortest that explains most repairs, checked arithmetic
at run time, and the call is made again once, at the moment of its error.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import permutations

import re2

from errata_client.actions.writing import is_number
from errata_client.arithmetic import Formula
from errata_client.jsontext import as_text
from errata_client.matching import Pattern
from errata_client.model import JsonValue
from errata_client.pointer import MISSING, get, leaves, parts_of, replaced
from errata_client.rule import MAX_PATTERN, ArgumentIs, Derive, Trigger
from knowledge.cases import FailureCase
from strategies.material import Material, tasks_of
from strategies.synthesis.error_sums import sum_law
from strategies.synthesis.error_texts import number_pattern
from strategies.synthesis.port import Demand, Draft
from strategies.synthesis.wording import usual_error

MOSTLY_UNPROVEN = "mostly_unproven"
MIN_SHARE = 0.75
MAX_NUMBERS = 4
MAX_GUARDS = 20
_PREFIX = re.compile(r"[^\W\d]+[_:/-](?=[\w])")


@dataclass(frozen=True)
class _Way:
    """One field and one formula."""

    pointer: str
    formula: str

    def made(self, case: FailureCase, numbers: Sequence[Decimal]) -> dict[str, JsonValue] | None:
        """The call as the formula would have it; None where it cannot be computed or changes nothing."""
        arguments = case.trigger_step.arguments
        current = get(arguments, self.pointer)
        if current is MISSING or not is_number(current):
            return None
        standing = Decimal(as_text(current))
        value = Formula(self.formula).value([None, *numbers, standing])
        if value is None or value == standing:
            return None
        number: JsonValue = int(value) if value == value.to_integral_value() else float(value)
        changed = replaced(arguments, self.pointer, number)
        return changed if isinstance(changed, dict) else None


class DerivedAmount:
    """One draft for each of the cause's errors that tells numbers."""

    name = "derived_amount"

    def propose(self, material: Material, demand: Demand) -> Iterator[Draft]:
        """Repairs of enough tasks that one formula explains."""
        for pattern, cases in sorted(_by_pattern(material.cases).items()):
            mended = [case for case in cases if case.repair is not None]
            if len(mended) >= demand.cases and len(pattern) <= MAX_PATTERN:
                yield from self._for_error(pattern, cases, mended, demand)

    def _for_error(
        self, pattern: str, cases: Sequence[FailureCase], mended: Sequence[FailureCase], demand: Demand
    ) -> Iterator[Draft]:
        numbers = {case.case_id: _numbers(pattern, case.error_message) for case in cases}
        explained = {way: _explained(way, mended, numbers) for way in _ways(mended, numbers)}
        ranked = sorted(
            explained, key=lambda way: (-len(explained[way]), len(way.formula), way.pointer, way.formula)
        )
        for way in ranked[:1]:
            law = sum_law(cases, numbers)
            shared_out = law is not None and law.restores(way.formula)
            just_so = {case.case_id for case in explained[way]}
            tried = [
                case
                for case in mended
                if way.made(case, numbers[case.case_id]) and (case.case_id in just_so or not shared_out)
            ]
            for guard in _guards(way, explained[way], tried, demand):
                right, others = _guarded(guard, explained[way]), _guarded(guard, tried)
                if _suffices(right, others, demand):
                    yield self._draft(pattern, way, guard, right, _guarded(guard, cases))

    def _draft(
        self,
        pattern: str,
        way: _Way,
        guard: ArgumentIs | None,
        right: Sequence[FailureCase],
        reached: Sequence[FailureCase],
    ) -> Draft:
        field = f"args.{way.pointer[1:]}"
        return Draft(
            synthesiser=self.name,
            trigger=Trigger(field="error", pattern=pattern, conditions=(guard,) if guard else ()),
            action=Derive(
                field=field, source="error", pattern=pattern, template=way.formula, arithmetic=True
            ),
            cases=tuple(case.case_id for case in right),
            explanation=(
                f'"{usual_error(right)}" tells what is wrong: {field} has to be {way.formula}. In {len(right)} cases the '
                f"call with just that worked; {len(reached)} calls failed so."
            ),
            flags=(MOSTLY_UNPROVEN,) if len(reached) > 2 * len(right) else (),
        )


def _by_pattern(cases: Sequence[FailureCase]) -> dict[str, list[FailureCase]]:
    """The tool's errors that hold numbers, by their text with the numbers as captures."""
    found: dict[str, list[FailureCase]] = defaultdict(list)
    for case in cases:
        pattern = number_pattern(case.error_message) if case.error_code == "tool.error" else None
        if pattern is not None and 1 <= re2.compile(pattern).groups <= MAX_NUMBERS:
            found[pattern].append(case)
    return found


def _numbers(pattern: str, error: str) -> list[Decimal]:
    captures = Pattern(pattern).captures(error) or ()
    return [Decimal(found) for found in captures[1:] if found is not None]


def _ways(cases: Sequence[FailureCase], numbers: Mapping[str, Sequence[Decimal]]) -> list[_Way]:
    """Every numeric place that a repair changed, with every formula that is not absurd."""
    pointers: dict[str, None] = {}
    for case in cases:
        if case.repair is not None and len(case.repair.changed) == 1:
            (pointer,) = case.repair.changed
            if is_number(get(case.trigger_step.arguments, pointer)):
                pointers.setdefault(_last(pointer, case.trigger_step.arguments))
                pointers.setdefault(pointer)
    count = max((len(found) for found in numbers.values()), default=0)
    return [_Way(pointer, formula) for pointer in pointers for formula in _formulas(count)]


def _formulas(count: int) -> list[str]:
    groups = [f"{{{number}}}" for number in range(1, count + 1)]
    pairs = list(permutations(groups, 2))
    return [
        *groups,
        *(f"{one} - {other}" for one, other in pairs),
        *(f"{{value}} {sign} {one}" for one in groups for sign in "+-"),
        *(f"{one} - {other} + {{value}}" for one, other in pairs),
    ]


def _last(pointer: str, arguments: dict[str, JsonValue]) -> str:
    """The pointer with `-` for each index that is the last of its list."""
    parts, found = parts_of(pointer), ""
    value: JsonValue = arguments
    for part in parts:
        last = isinstance(value, list) and part == str(len(value) - 1)
        found += "/-" if last else f"/{part.replace('~', '~0').replace('/', '~1')}"
        below = get(arguments, found)
        value = None if below is MISSING else below
    return found


def _explained(
    way: _Way, cases: Sequence[FailureCase], numbers: Mapping[str, Sequence[Decimal]]
) -> list[FailureCase]:
    """The cases in which the formula's call is the one that then worked."""
    return [
        case
        for case in cases
        if case.repair is not None and way.made(case, numbers[case.case_id]) == case.repair.arguments
    ]


def _suffices(right: Sequence[FailureCase], tried: Sequence[FailureCase], demand: Demand) -> bool:
    """Enough cases of enough tasks, and most of those that were mended at all."""
    enough = len(right) >= demand.cases and len(tasks_of(right)) >= demand.tasks
    return enough and len(right) >= MIN_SHARE * len(tried)


def _guards(
    way: _Way, right: Sequence[FailureCase], tried: Sequence[FailureCase], demand: Demand
) -> Iterator[ArgumentIs | None]:
    """For each neighbour of the number that names a kind, those kinds that have evidence of their own: what holds for a
    credit card need not hold for a voucher. None where there is no such neighbour."""
    parent = way.pointer.rpartition("/")[0]
    kinds: dict[str, dict[str, None]] = defaultdict(dict)
    for case in right:
        beside = get(case.trigger_step.arguments, parent)
        for name, value in leaves(beside) if isinstance(beside, dict) else ():
            prefix = _PREFIX.match(value) if isinstance(value, str) else None
            if prefix and name.count("/") == 1:
                kinds[f"args.{parent[1:]}{name}".replace("args./", "args.")].setdefault(prefix.group())
    if not kinds:
        yield None
    for field, prefixes in kinds.items():
        alone = [
            ArgumentIs(field=field, pattern=f"^{re2.escape(prefix)}")
            for prefix in list(prefixes)[:MAX_GUARDS]
        ]
        proven = [one for one in alone if _suffices(_guarded(one, right), _guarded(one, tried), demand)]
        if proven:
            yield ArgumentIs(field=field, pattern=f"^(?:{'|'.join(one.pattern[1:] for one in proven)})")


def _guarded(guard: ArgumentIs | None, cases: Sequence[FailureCase]) -> list[FailureCase]:
    if guard is None:
        return list(cases)
    pattern, pointer = Pattern(guard.pattern), f"/{guard.field[5:]}"
    found = ((case, get(case.trigger_step.arguments, pointer)) for case in cases)
    return [case for case, value in found if value is not MISSING and pattern.found(as_text(value))]
