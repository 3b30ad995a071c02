"""Rules that get in each other's way: found before approval, by asking the client's engine about both at once.

Two rules of one scope are tried on calls that were recorded, and on calls made up so that one of them or both should fire: also
what no row shows yet is found. What is reported was seen to happen, so a call made up wrongly costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from errata_client.decision import Decision
from errata_client.engine import Engine
from errata_client.model import JsonValue, Model
from errata_client.rule import Rule
from errata_client.view import CallView
from strategies.conflict_samples import made_up

ConflictKind = Literal[
    "both_change",
    "shadows",
    "chains",
    "hides",
    "mended_first",
    "hands_over",
    "both_stop",
    "same_change",
    "both_speak",
]
Grade = Literal["refused", "acknowledge", "note"]

GRADES: dict[ConflictKind, Grade] = {
    "both_change": "refused",
    "shadows": "refused",
    "chains": "refused",
    "hides": "acknowledge",
    "hands_over": "acknowledge",
    "mended_first": "note",
    "both_stop": "note",
    "same_change": "acknowledge",
    "both_speak": "note",
}
"""What a conflict asks of an approval: it is refused, has to be acknowledged by name, or is only told."""

WORDS: dict[ConflictKind, str] = {
    "both_change": "{one} and {other} both change the same calls, each otherwise: what goes out depends on which comes first",
    "shadows": "{one} stops calls that {other} mends: the stop wins, and the mended call never goes out",
    "chains": "what {one} writes makes {other} fire, which would not have fired on the call itself",
    "hides": "{one} changes what {other} looks at, so {other} no longer fires",
    "mended_first": "{one} mends calls that {other} stops: mended first, they go out, whatever they would have been stopped for",
    "hands_over": "{one} hands a value on to {other}, which then changes it",
    "both_stop": "{one} and {other} both stop the same calls: the model is told what {one} says",
    "same_change": "{one} and {other} make the same of the same calls",
    "both_speak": "{one} and {other} both have something to say of the same calls",
}
CHANGES = frozenset({"rewrite", "set", "rename", "drop", "derive", "extract_json"})
STOPS = frozenset({"block", "require_call", "confirm", "replan"})
MOVES = frozenset({"rename", "drop", "extract_json"})


class Conflict(Model):
    """How two rules get in each other's way, in words, with a call on which they do; `recorded` says that the call was
    made. `acknowledge` names it in an approval."""

    kind: ConflictKind
    grade: Grade
    with_rule: str
    acknowledge: str
    words: str
    call: dict[str, JsonValue]
    recorded: bool


@dataclass(frozen=True)
class Placed:
    """A rule, and views of calls that it was made from or tried on."""

    rule: Rule
    views: tuple[CallView, ...] = ()


def conflicts(candidate: Placed, live: Iterable[Placed]) -> list[Conflict]:
    """Every way in which the candidate would conflict with live rules of its scope, the worst first."""
    same_scope = (other for other in live if other.rule.scope == candidate.rule.scope)
    found = [conflict for other in same_scope for conflict in _between(candidate, other)]
    order = list(GRADES)
    return sorted(found, key=lambda conflict: (order.index(conflict.kind), conflict.with_rule))


def _between(candidate: Placed, other: Placed) -> Iterator[Conflict]:
    """At most one conflict of each kind, with the first call that shows it: recorded ones come first."""
    if candidate.rule.trigger.phase != other.rule.trigger.phase:
        return
    pair, seen = _Pair.of(candidate.rule, other.rule), set[ConflictKind]()
    recorded = (*candidate.views, *other.views)
    calls = [
        *((view, True) for view in recorded),
        *((view, False) for view in made_up(*pair.rules, recorded)),
    ]
    for view, was_made in calls:
        found = pair.on(view)
        if found is not None and found[0] not in seen:
            kind, first, second = found
            seen.add(kind)
            yield Conflict(
                kind=kind,
                grade=GRADES[kind],
                with_rule=other.rule.id,
                acknowledge=f"{kind}:{other.rule.id}",
                words=WORDS[kind].format(one=first.id, other=second.id),
                call=view.arguments,
                recorded=was_made,
            )


Found = tuple[ConflictKind, Rule, Rule]


@dataclass(frozen=True)
class _Pair:
    """Two rules in the order in which they apply, with an engine for each alone and for both."""

    rules: tuple[Rule, Rule]
    alone: tuple[Engine, Engine]
    both: Engine

    @classmethod
    def of(cls, one: Rule, other: Rule) -> _Pair:
        first, second = sorted((one, other), key=lambda rule: rule.id)
        engines = [
            Engine(rules, treat_shadow_as_active=True) for rules in ([first], [second], [first, second])
        ]
        return cls((first, second), (engines[0], engines[1]), engines[2])

    def on(self, view: CallView) -> Found | None:
        """What the two do to each other on this call; None where nothing."""
        first, second = (engine.decide(view, date.min) for engine in self.alone)
        if not (first.fired or second.fired):
            return None
        together = self.both.decide(view, date.min)
        if first.fired and second.fired:
            return self._met(view, first, second, together)
        return self._led(together, (bool(first.fired), bool(second.fired)))

    def _met(self, view: CallView, first: Decision, second: Decision, together: Decision) -> Found | None:
        """Both fire on the call as it is."""
        one, other = self.rules
        kinds = one.action.kind, other.action.kind
        if all(kind in STOPS for kind in kinds):
            return "both_stop", one, other
        if all(kind in CHANGES for kind in kinds):
            return self._changed(view, first, second, together)
        for stop, mend in ((one, other), (other, one)):
            if stop.action.kind in STOPS and mend.action.kind in CHANGES:
                return ("shadows", stop, mend) if together.outcome in STOPS else ("mended_first", mend, stop)
        if other.id not in _fired(together) and one.action.kind in CHANGES:
            return "hides", one, other
        return None if any(kind in CHANGES for kind in kinds) else ("both_speak", one, other)

    def _changed(self, view: CallView, first: Decision, second: Decision, together: Decision) -> Found | None:
        one, other = self.rules
        if first.arguments == second.arguments:
            return "same_change", one, other
        if _touched(view, first) & _touched(view, second):
            return "both_change", one, other
        return None if other.id in _fired(together) else ("hides", one, other)

    def _led(self, together: Decision, fired: tuple[bool, bool]) -> Found | None:
        """One fires on the call as it is; the other perhaps on what becomes of it."""
        one, other = self.rules
        if fired == (False, True) or other.id not in _fired(together):
            return None  # a rule that comes later in order cannot make an earlier one fire
        if other.action.kind in CHANGES and one.action.kind in MOVES:
            return "hands_over", one, other
        return ("chains", one, other) if other.action.kind in CHANGES | STOPS else None


def _fired(decision: Decision) -> set[str]:
    return {firing.rule_id for firing in decision.fired}


def _touched(view: CallView, decision: Decision) -> set[str]:
    """The top-level arguments that the decision changed."""
    before, after = view.arguments, decision.arguments
    return {name for name in {*before, *after} if before.get(name) != after.get(name)}
