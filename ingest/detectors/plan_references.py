"""Which steps of a plan use which others' output: by `depends_on`, and by references in their arguments."""

from __future__ import annotations

import re

from errata_client.deliberation import Plan, PlanStep
from errata_client.pointer import leaves

_REFERENCE = re.compile(
    r"\$\{\s*(?:steps?\.)?([^\s{}.\[\]]{1,60})[^{}]{0,120}\}"
    r"|\{\{\s*(?:steps?\.)?([^\s{}.\[\]]{1,60})[^{}]{0,120}\}\}"
    r"|\$(?:steps?\.)?([A-Za-z_]\w{0,60})(?=[.\[])"
)
_EVIDENCE = re.compile(r"#E(\d{1,3})\b")


def dependencies(plan: Plan) -> dict[str, list[str]]:
    """For each step by name, the steps of the plan that it needs, each once; itself included where it says so."""
    names = [step.step_id for step in plan.steps]
    known = frozenset(names)
    return {step.step_id: needs_of(step, names, known) for step in plan.steps}


def needs_of(step: PlanStep, names: list[str], known: frozenset[str]) -> list[str]:
    """The names that a step needs of those that the plan has. `#E2` is the step of that name, else the second one."""
    found = [name for name in step.depends_on if name in known]
    for _, value in leaves(step.arguments):
        if isinstance(value, str) and ("$" in value or "{{" in value or "#E" in value):
            found += _referred(value, names, known)
    return list(dict.fromkeys(found))


def _referred(value: str, names: list[str], known: frozenset[str]) -> list[str]:
    found = [next(filter(None, match.groups())) for match in _REFERENCE.finditer(value)]
    for match in _EVIDENCE.finditer(value):
        number = int(match.group(1))
        by_name = next((name for name in (match.group(), f"E{number}") if name in known), None)
        by_place = names[number - 1] if 0 < number <= len(names) else None
        found += [name for name in (by_name or by_place,) if name]
    return [name for name in found if name in known]


def is_reference(value: object) -> bool:
    """Whether a planned argument stands for what another step gives, so that its value is not known beforehand."""
    return isinstance(value, str) and bool(_REFERENCE.search(value) or _EVIDENCE.search(value))
