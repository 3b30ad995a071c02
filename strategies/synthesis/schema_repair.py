"""Repairs of a call's shape: an argument under another name, one too many, one missing, one of another type.

Evidence: repairs in which just that was changed and the call then worked; no call that worked has the shape that is mended.
What a missing argument is set to is the value of (nearly) every call that worked, a word or a number of the tool's and no
customer's: seen in calls of many tasks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from errata_client.actions.casts import CASTS, CastError
from errata_client.jsontext import as_text, canonical
from errata_client.model import JsonValue
from errata_client.pointer import MISSING, get, parts_of
from errata_client.rule import Absent, Action, Drop, Rename, Set, Trigger
from knowledge.cases import FailureCase, Repair
from strategies.material import Material, task_of, tasks_of
from strategies.synthesis.argument_rewrite import REPAIRABLE
from strategies.synthesis.port import Demand, Draft

Cast = Literal["string", "integer", "number", "boolean", "array", "object"]
TYPES: tuple[tuple[type, Cast], ...] = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
)
DEFAULT_SHARE = 0.95
DEFAULT_TASKS = 10


@dataclass(frozen=True)
class _Mending:
    """What a repair did to the shape of a call: the argument that shows it, the action, and both in words."""

    field: str
    action: Action
    words: str


class SchemaRepair:
    """A rename, drop, default or cast for what the repairs of a cause did."""

    name = "schema_repair"

    def propose(self, material: Material, demand: Demand) -> Iterator[Draft]:
        """One draft for each thing that was done in enough cases, the most frequent first."""
        found: dict[str, tuple[_Mending, list[FailureCase]]] = {}
        for case in material.cases:
            mending = _mending(case)
            if mending is not None:
                key = f"{mending.field} {canonical(mending.action.model_dump(mode='json'))}"
                found.setdefault(key, (mending, []))[1].append(case)
        for key in sorted(found, key=lambda name: (-len(found[name][1]), name)):
            mending, cases = found[key]
            enough = len(cases) >= demand.cases and len(tasks_of(cases)) >= demand.tasks
            if enough and _is_general(mending.action, material):
                yield self._draft(mending, cases)

    def _draft(self, mending: _Mending, cases: Sequence[FailureCase]) -> Draft:
        trigger = Trigger(field=mending.field, pattern="^")
        if isinstance(mending.action, Set) and mending.action.cast is None:
            trigger = Trigger(
                field=mending.field, pattern="^", conditions=(Absent(field=mending.action.field),)
            )
        return Draft(
            synthesiser=self.name,
            trigger=trigger,
            action=mending.action,
            cases=tuple(case.case_id for case in cases),
            explanation=f"In {len(cases)} cases only {mending.words}, and then the call worked.",
        )


def _mending(case: FailureCase) -> _Mending | None:
    repair = case.repair
    if repair is None or not case.error_code.startswith(REPAIRABLE):
        return None
    changed = set(repair.changed) - set(repair.added) - set(repair.removed)
    if not changed:
        return _reshaped(case, repair)
    if repair.added or repair.removed:
        return _retyped(case, repair)
    return _retyped(case, repair)


def _reshaped(case: FailureCase, repair: Repair) -> _Mending | None:
    """A rename, a drop or an addition, of one argument."""
    removed, added = _tops(repair.removed), _tops(repair.added)
    before, after = case.trigger_step.arguments, repair.arguments
    if len(removed) == 1 and len(added) == 1 and removed != added:
        old, new = removed[0], added[0]
        if old in before and new not in before and canonical(before[old]) == canonical(after.get(new)):
            action = Rename(field=f"args.{old}", to=f"args.{new}")
            return _Mending(f"args.{old}", action, f"{old} was called {new} instead")
    if len(removed) == 1 and not added and removed[0] not in after:
        return _Mending(f"args.{removed[0]}", Drop(field=f"args.{removed[0]}"), f"{removed[0]} was left out")
    if len(added) == 1 and not removed and added[0] not in before:
        others = sorted(name for name in before if _is_plain(name))
        if others:
            default = Set(field=f"args.{added[0]}", value=after[added[0]])
            return _Mending(
                f"args.{others[0]}", default, f"{added[0]} was given as {as_text(after[added[0]])}"
            )
    return None


def _retyped(case: FailureCase, repair: Repair) -> _Mending | None:
    """A cast of one argument, where a cast of the failing value gives the working one."""
    names = _tops(tuple(repair.changed))
    if len(names) != 1 or names[0] not in repair.arguments or names[0] not in case.trigger_step.arguments:
        return None
    before, after = case.trigger_step.arguments[names[0]], repair.arguments[names[0]]
    for kind, cast in TYPES:
        if isinstance(after, kind) and not isinstance(before, kind) and _casts(cast, before, after):
            action = Set(field=f"args.{names[0]}", cast=cast)
            return _Mending(f"args.{names[0]}", action, f"{names[0]} was given as {cast}")
    return None


def _casts(cast: Cast, before: JsonValue, after: JsonValue) -> bool:
    try:
        return canonical(CASTS[cast](before)) == canonical(after)
    except CastError:
        return False


def _tops(pointers: Sequence[str]) -> list[str]:
    """The arguments that the pointers lead into, if a rule can name them."""
    names = sorted({parts_of(pointer)[0] for pointer in pointers if parts_of(pointer)})
    return names if all(map(_is_plain, names)) else ["", ""]


def _is_plain(name: str) -> bool:
    return bool(name) and not set(name) & set("/~")


def _is_general(action: Action, material: Material) -> bool:
    """Whether a default is the tool's and no customer's; all else is."""
    if not isinstance(action, Set) or action.cast is not None:
        return True
    given: dict[str, set[str]] = defaultdict(set)
    for call in material.references:
        value = get(call.arguments, f"/{action.field[5:]}")
        if value is not MISSING:
            given[canonical(value)].add(task_of(call))
    mine = given.get(canonical(action.value), set())
    return len(mine) >= DEFAULT_TASKS and len(mine) >= DEFAULT_SHARE * len(set().union(*given.values()))
