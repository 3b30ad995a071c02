"""Rules that get in each other's way: found before approval, by running them over each other's recorded calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from errata_client.model import JsonValue
from errata_client.pointer import MISSING, get, pointer_of
from errata_client.rule import Drop, Rename, Rewrite, Rule, Set, compiled
from knowledge.strategies import Strategy

CHANGES = (Rewrite, Set, Rename, Drop)


def conflicts(candidate: Strategy, live: Iterable[Strategy]) -> list[str]:
    """In plain words, how the candidate would conflict with live rules of its scope; empty where it would not.

    Two rules that change one argument conflict where both match a recorded value; one chains into another where
    what it writes is matched by the other. Judged on the before and after rows of both.
    """
    same_scope = (other for other in live if other.rule.scope == candidate.rule.scope)
    return [words for other in same_scope for words in _between(candidate, other)]


def _between(one: Strategy, other: Strategy) -> Iterator[str]:
    if not (isinstance(one.rule.action, CHANGES) and isinstance(other.rule.action, CHANGES)):
        return
    if one.rule.action.field != other.rule.action.field:
        return
    rows = (*one.evidence.rows, *other.evidence.rows)
    first, second = one.rule, other.rule
    field = one.rule.action.field
    if any(_matches(first, row.before) and _matches(second, row.before) for row in rows):
        yield f"{first.id} and {second.id} both change {field} of the same calls"
    for maker, reader in ((one, second), (other, first)):
        if any(row.after is not None and _matches(reader, row.after) for row in maker.evidence.rows):
            yield f"what {maker.rule.id} writes to {field} would be changed again by {reader.id}"


def _matches(rule: Rule, arguments: dict[str, JsonValue]) -> bool:
    if not rule.trigger.field.startswith("args."):
        return False
    value = get(arguments, pointer_of(rule.trigger.field))
    return (
        value is not MISSING and isinstance(value, str) and bool(compiled(rule.trigger.pattern).search(value))
    )
