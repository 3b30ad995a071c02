"""The conditions of a trigger: one function per kind, in one registry.

All but `arguments`, `argument` and `absent` speak of the run so far, so they hold only in a view that has context.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from errata_client.facts import ID
from errata_client.jsontext import as_text, canonical
from errata_client.matching import Pattern
from errata_client.model import JsonValue
from errata_client.pointer import MISSING, Missing, get, leaves, pointer_of
from errata_client.rule import (
    Absent,
    ArgumentIs,
    Arguments,
    Called,
    Condition,
    FactIs,
    LastError,
    NotCalled,
    Repeated,
    Said,
    Unseen,
    Unstopped,
)
from errata_client.view import CallView


@dataclass(frozen=True, slots=True)
class Asked:
    """What a condition looks at: the view, and the arguments as earlier rules left them."""

    view: CallView
    arguments: dict[str, JsonValue]

    @property
    def changed(self) -> bool:
        """Whether an earlier rule changed the arguments."""
        return self.arguments is not self.view.arguments


Check: TypeAlias = Callable[[Asked], bool]


def check_of(condition: Condition) -> Check:
    """The condition, compiled."""
    return CONDITIONS[condition.kind](condition)


def needs_context(condition: Condition) -> bool:
    """Whether only a client that keeps a run context can answer it."""
    return not isinstance(condition, Arguments | ArgumentIs | Absent)


def said(condition: Condition) -> str:
    """The condition in words, for the reason of a firing."""
    fields = condition.model_dump(exclude={"kind"})
    return f"{condition.kind}({', '.join(f'{name}={value}' for name, value in fields.items())})"


def _unseen(condition: Unseen) -> Check:
    pointer = pointer_of(condition.field)
    below = pointer + "/"

    def check(asked: Asked) -> bool:
        if asked.changed and get(asked.arguments, pointer) != get(asked.view.arguments, pointer):
            return False  # an earlier rule made the value
        return any(
            seen in {"prompt", "nowhere"}
            for at, seen in asked.view.provenance.items()
            if at == pointer or at.startswith(below)
        )

    return check


def _has_succeeded(view: CallView, tool: str) -> bool:
    return any(call.tool == tool and call.ok for call in view.calls_before)


def _called(condition: Called) -> Check:
    return lambda asked: _has_succeeded(asked.view, condition.tool)


def _not_called(condition: NotCalled) -> Check:
    return lambda asked: not _has_succeeded(asked.view, condition.tool)


def _repeated(condition: Repeated) -> Check:
    pattern = Pattern(condition.error) if condition.error is not None else None
    unless = Pattern(condition.unless) if condition.unless is not None else None

    def check(asked: Asked) -> bool:
        if asked.changed or asked.view.repeats < condition.times:
            return False
        error = asked.view.repeated_error
        if error is None:
            return pattern is None
        return (pattern is None or pattern.found(error)) and not (unless and unless.found(error))

    return check


def _last_error(condition: LastError) -> Check:
    pattern = Pattern(condition.pattern)

    def check(asked: Asked) -> bool:
        last = asked.view.calls_before[-1] if asked.view.calls_before else None
        return last is not None and not last.ok and pattern.found(last.error or "")

    return check


def _fact(condition: FactIs) -> Check:
    pattern, tool, path, of_ids = (
        Pattern(condition.pattern),
        condition.tool,
        condition.path,
        ID in condition.path,
    )
    about = pointer_of(condition.about) if condition.about is not None else None

    def check(asked: Asked) -> bool:
        told: set[str] = set()
        for fact in asked.view.facts:
            if fact.path != path or (tool is not None and fact.tool != tool) or fact.about in told:
                continue
            if about is not None and not _names(asked, about, fact.about):
                continue
            told.add(fact.about)
            if pattern.found(as_text(fact.value)) != condition.negate:
                return True
            if not of_ids:
                return False
        return False

    return check


def _names(asked: Asked, pointer: str, about: str) -> bool:
    """Whether the id stands in the argument."""
    value = get(asked.arguments, pointer)
    return value is not MISSING and any(as_text(found) == about for _, found in leaves(value))


def _argument(condition: ArgumentIs) -> Check:
    pattern, pointer = Pattern(condition.pattern), pointer_of(condition.field)

    def check(asked: Asked) -> bool:
        value = get(asked.arguments, pointer)
        return value is not MISSING and pattern.found(as_text(value)) != condition.negate

    return check


def _said(condition: Said) -> Check:
    pattern = Pattern(condition.pattern)

    def check(asked: Asked) -> bool:
        heard = asked.view.user_input
        return bool(heard) and pattern.found(heard) != condition.negate

    return check


def _unstopped(_condition: Unstopped) -> Check:
    return lambda asked: asked.view.stops == 0


def _absent(condition: Absent) -> Check:
    pointer = pointer_of(condition.field)
    return lambda asked: get(asked.arguments, pointer) is MISSING


def _arguments(condition: Arguments) -> Check:
    left, right = pointer_of(condition.left), pointer_of(condition.right)
    relation = _RELATIONS[condition.relation]
    return lambda asked: relation(get(asked.arguments, left), get(asked.arguments, right)) is True


def _equal(left: JsonValue | Missing, right: JsonValue | Missing) -> bool | None:
    if left is MISSING or right is MISSING:
        return None
    if _is_number(left) and _is_number(right):
        return left == right
    return canonical(left) == canonical(right)


def _same_length(left: JsonValue | Missing, right: JsonValue | Missing) -> bool | None:
    """Lists with lists, objects with objects, strings with strings; nothing else has a length to compare."""
    for kind in (list, dict, str):
        if isinstance(left, kind) and isinstance(right, kind):
            return len(left) == len(right)
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _negated(
    relation: Callable[[JsonValue | Missing, JsonValue | Missing], bool | None],
) -> Callable[[JsonValue | Missing, JsonValue | Missing], bool | None]:
    def negated(left: JsonValue | Missing, right: JsonValue | Missing) -> bool | None:
        holds = relation(left, right)
        return None if holds is None else not holds

    return negated


_RELATIONS: Mapping[str, Callable[[JsonValue | Missing, JsonValue | Missing], bool | None]] = {
    "equal": _equal,
    "different": _negated(_equal),
    "same_length": _same_length,
    "different_length": _negated(_same_length),
}

CONDITIONS: Mapping[str, Callable[[Any], Check]] = {
    "unseen": _unseen,
    "not_called": _not_called,
    "called": _called,
    "repeated": _repeated,
    "last_error": _last_error,
    "fact": _fact,
    "arguments": _arguments,
    "argument": _argument,
    "absent": _absent,
    "said": _said,
    "unstopped": _unstopped,
}
"""Every kind of condition; a new kind is a model in rule.py and a line here."""
