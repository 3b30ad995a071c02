"""Actions that change one argument out of what the call itself holds: rewrite, set, rename, drop."""

from __future__ import annotations

from errata_client.actions.casts import CASTS, CastError
from errata_client.actions.effect import Apply, Changed, Hit
from errata_client.actions.templates import Template
from errata_client.actions.writing import placed, written
from errata_client.pointer import MISSING, get, pointer_of, removed
from errata_client.rule import Drop, Rename, Rewrite, Set


def rewrite(action: Rewrite) -> Apply:
    """Replace the argument by the template, filled with the trigger's captures."""
    template = Template(action.field, action.template)
    return lambda hit: template.written(hit, hit.captures)


def set_value(action: Set) -> Apply:
    """Put the constant, or what is there in another type."""
    pointer = pointer_of(action.field)
    if action.cast is None:
        return lambda hit: written(hit, pointer, action.value)
    cast = CASTS[action.cast]

    def apply(hit: Hit) -> Changed | None:
        current = get(hit.arguments, pointer)
        if current is MISSING:
            return None
        try:
            value = cast(current)
        except CastError:
            return None
        unchanged = type(value) is type(current) and value == current
        return None if unchanged else placed(hit.arguments, pointer, value)

    return apply


def rename(action: Rename) -> Apply:
    """Move the value to another name, unless that name is taken."""
    source, target = pointer_of(action.field), pointer_of(action.to)

    def apply(hit: Hit) -> Changed | None:
        value = get(hit.arguments, source)
        if value is MISSING or get(hit.arguments, target) is not MISSING:
            return None
        moved = placed(hit.arguments, target, value)
        return None if moved is None else _without(moved, source)

    return apply


def drop(action: Drop) -> Apply:
    """Leave the argument out."""
    pointer = pointer_of(action.field)

    def apply(hit: Hit) -> Changed | None:
        if get(hit.arguments, pointer) is MISSING:
            return None
        return _without(Changed(hit.arguments), pointer)

    return apply


def _without(changed: Changed, pointer: str) -> Changed | None:
    rest = removed(changed.arguments, pointer)
    return Changed(rest) if isinstance(rest, dict) else None
