"""The action `derive`: an argument computed from an error or an earlier observation."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from errata_client import words
from errata_client.actions.effect import Apply, Changed, Hit
from errata_client.actions.templates import Template
from errata_client.actions.writing import is_number, written
from errata_client.arithmetic import Formula
from errata_client.jsontext import as_text
from errata_client.matching import Pattern
from errata_client.model import JsonValue
from errata_client.pointer import MISSING, Missing, get, pointer_of
from errata_client.rule import Derive
from errata_client.view import CallView


def derive(action: Derive) -> Apply:
    """Search the pattern in the source text and put the filled or computed template at the field."""
    pointer, pattern = pointer_of(action.field), Pattern(action.pattern)
    formula = Formula(action.template) if action.arithmetic else None
    template = Template(action.field, action.template) if formula is None else None

    def apply(hit: Hit) -> Changed | None:
        captures = pattern.captures(_source(action, hit.view))
        if captures is None:
            return None
        if template is not None:
            return template.written(hit, captures)
        number = _number(formula, captures, get(hit.arguments, pointer)) if formula else None
        return None if number is None else written(hit, pointer, number)

    return apply


def _source(action: Derive, view: CallView) -> str:
    """The error of this very call, the error of the latest failed call, or the start of the latest successful result; else
    empty."""
    if action.source == "error":
        return view.error or ""
    if action.source == "last_observation":
        return view.last_observation or ""
    failed = (call.error for call in reversed(view.calls_before) if not call.ok)
    return next(failed, None) or ""


def _number(
    formula: Formula, captures: Sequence[str | None], current: JsonValue | Missing
) -> int | float | None:
    standing = None if current is MISSING else _decimal(as_text(current))
    if formula.uses_value and not is_number(current):
        return None
    value = formula.value([*(_decimal(capture) for capture in captures), standing])
    if value is None:
        return None
    return int(value) if value == value.to_integral_value() else float(value)


def _decimal(capture: str | None) -> Decimal | None:
    plain = words.number(words.normal(capture)) if capture else None
    return None if plain is None else Decimal(plain)
