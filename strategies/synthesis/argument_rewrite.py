"""Argument repairs by example: the failing value, the value that then worked, and what makes one of the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from errata_client.pointer import MISSING, get, parts_of
from errata_client.rule import MAX_PATTERN, Rewrite, Trigger
from knowledge.cases import FailureCase
from strategies.material import Material
from strategies.synthesis.enumerated import spellings
from strategies.synthesis.generalise import Pair, rewritings
from strategies.synthesis.port import Demand, Draft
from strategies.synthesis.wording import listed

MAX_DRAFTS = 6
REPAIRABLE = ("tool.error", "args.schema_violation")
"""The codes whose failures a repaired argument explains; a guessed value or a loop is repaired by other means."""


class ArgumentRewrite:
    """For each argument whose value alone was changed by the repair: a pattern and a template."""

    name = "argument_rewrite"

    def propose(self, material: Material, demand: Demand) -> Iterator[Draft]:
        """At most six drafts for an argument, the one that explains most pairs first."""
        del demand
        for pointer, pairs in sorted(changed_alone(material.cases).items()):
            yield from self._for_argument(material, pointer, pairs)

    def _for_argument(self, material: Material, pointer: str, pairs: Sequence[Pair]) -> Iterator[Draft]:
        working = [*working_values(material, pointer), *(pair.working for pair in pairs)]
        failing = {pair.case_id: pair for pair in pairs}
        closed = [(item.pattern, item.value, item.cases) for item in spellings(pairs, working)]
        found = [(item.pattern, item.template, item.cases) for item in rewritings(pairs, working)]
        for pattern, template, cases in [*closed, *found][:MAX_DRAFTS]:
            if len(pattern) <= MAX_PATTERN:
                yield self._draft(pointer, pattern, template, [failing[case] for case in cases])

    def _draft(self, pointer: str, pattern: str, template: str, pairs: Sequence[Pair]) -> Draft:
        field = f"args.{pointer[1:]}"
        first = pairs[0]
        return Draft(
            synthesiser=self.name,
            trigger=Trigger(field=field, pattern=pattern),
            action=Rewrite(field=field, template=template),
            cases=tuple(sorted(pair.case_id for pair in pairs)),
            explanation=(
                f"In {len(pairs)} cases only {field} was changed, and then the call worked: "
                f"{listed([first.failing], chinese=False)} became {listed([first.working], chinese=False)}."
            ),
        )


def changed_alone(cases: Sequence[FailureCase]) -> dict[str, list[Pair]]:
    """By argument pointer, the pairs of cases in which the repair changed that text and nothing else."""
    found: dict[str, list[Pair]] = defaultdict(list)
    for case in cases:
        repair = case.repair
        if not case.error_code.startswith(REPAIRABLE):
            continue
        if repair is None or len(repair.changed) != 1 or repair.added or repair.removed:
            continue
        ((pointer, (failing, working)),) = repair.changed.items()
        if isinstance(failing, str) and isinstance(working, str) and failing != working and parts_of(pointer):
            found[pointer].append(Pair(case.case_id, failing, working))
    return found


def working_values(material: Material, pointer: str) -> list[str]:
    """What stood at `pointer` in the calls that worked, where it is text."""
    found = (get(call.arguments, pointer) for call in material.references)
    return [value for value in found if value is not MISSING and isinstance(value, str)]
