"""The rule engine: which rules fire on a call, and what then becomes of it. Pure: no clock, no I/O.

Rules are sorted by (step_id, tool), phase and field into RE2 sets, so a call asks one set per field that its
own scope's rules look at, however many rules there are elsewhere.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from threading import Lock
from typing import get_args

from errata_client import conditions
from errata_client.actions import action_of
from errata_client.actions.effect import Apply, Hit
from errata_client.actions.registry import needs_context
from errata_client.conditions import Asked, Check
from errata_client.course import Course
from errata_client.decision import Decision, Firing
from errata_client.matching import Pattern, Read, argument_name, encoded, pattern_set, reader
from errata_client.model import JsonValue
from errata_client.rule import Mode, Rule
from errata_client.view import CallView


class Engine:
    """Compiled rules; safe to ask from many threads.

    `treat_shadow_as_active` is for the backtest: what would the rules do, were they live. `unanswerable` counts
    how often a rule matched that needs a run context (its conditions, `derive`, `require_call`) on a view
    without one: such a rule never fires there.
    """

    def __init__(self, rules: Iterable[Rule], *, treat_shadow_as_active: bool = False) -> None:
        ordered = sorted(rules, key=lambda rule: rule.id)
        prepared = [
            _Prepared.of(rule, live=treat_shadow_as_active or rule.mode == "active") for rule in ordered
        ]
        self._programs = {
            phase: _programs([item for item in prepared if item.rule.trigger.phase == phase])
            for phase in ("before", "after")
        }
        self._before, self._after = self._programs["before"], self._programs["after"]
        self._counting = Lock()
        self.unanswerable = 0

    def decide(self, view: CallView, today: date, *, withheld: Container[str] = ()) -> Decision:
        """What becomes of the call in `view` on `today` (UTC).

        Rules apply in the order of their ids, each at most once; a later one sees what a rewrite made. The first
        stop wins over every rewrite, a rewrite over hints. Rules past their `valid_until` never apply. Rules in
        shadow, and those whose id is in `withheld`, are only recorded in `fired`.
        """
        programs = self._before if view.phase == "before" else self._after
        program = programs.get((view.step_id, view.tool))
        if program is None:
            return Decision.passing(view.arguments)
        hits = program.hits(view, view.arguments)
        if not hits:
            return Decision.passing(view.arguments)
        return self._walked(program, hits, view, today, withheld)

    def _walked(
        self, program: _Program, hits: list[int], view: CallView, today: date, withheld: Container[str]
    ) -> Decision:
        course = Course(view)
        while hits:
            at, *hits = hits
            item = program.items[at]
            if item.rule.valid_until >= today and self._answerable(item, view):
                changed = item.fire(course, live=item.live and item.rule.id not in withheld)
                hits = program.hits(view, course.arguments, beyond=at) if changed else hits
        return course.decision()

    def _answerable(self, item: _Prepared, view: CallView) -> bool:
        if view.has_context or not item.needs_context:
            return True
        with self._counting:
            self.unanswerable += 1
        return False


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A rule with everything about it compiled."""

    rule: Rule
    live: bool
    needs_context: bool
    read: Read
    pattern: Pattern | None
    checks: tuple[Check, ...]
    apply: Apply
    firings: dict[Mode, Firing]

    @classmethod
    def of(cls, rule: Rule, *, live: bool) -> _Prepared:
        trigger, action = rule.trigger, rule.action
        return cls(
            rule=rule,
            live=live,
            needs_context=needs_context(action) or any(map(conditions.needs_context, trigger.conditions)),
            read=reader(trigger.field),
            pattern=Pattern(trigger.pattern) if action.kind == "rewrite" else None,
            checks=tuple(conditions.check_of(condition) for condition in trigger.conditions),
            apply=action_of(action),
            firings={mode: _firing(rule, mode) for mode in get_args(Mode)},
        )

    def fire(self, course: Course, *, live: bool) -> bool:
        """Let the rule act on `course`, if its conditions hold; whether the arguments changed."""
        asked = Asked(course.view, course.arguments)
        if not all(check(asked) for check in self.checks):
            return False
        effect = self.apply(Hit(course.view, course.arguments, self._captures(course)))
        return effect is not None and course.take(
            effect, self.firings["active" if live else "shadow"], live=live
        )

    def _captures(self, course: Course) -> Sequence[str | None]:
        if self.pattern is None:
            return ()
        return self.pattern.captures(self.read(course.view, course.arguments) or "") or ()


def _firing(rule: Rule, mode: Mode) -> Firing:
    """What is recorded when the rule fires; the arguments are filled in where it changes them."""
    trigger = rule.trigger
    reasons = [f"{trigger.field} matches {trigger.pattern}", *map(conditions.said, trigger.conditions)]
    return Firing(
        rule_id=rule.id,
        rule_revision=rule.revision,
        mode=mode,
        kind=rule.action.kind,
        field=getattr(rule.action, "field", trigger.field),
        reason="; ".join(reasons),
    )


class _Program:
    """The rules of one scope and phase, in the order of their ids, with one pattern set per field."""

    def __init__(self, items: Sequence[_Prepared]) -> None:
        self.items = tuple(items)
        by_field: dict[str, list[int]] = {}
        for at, item in enumerate(items):
            by_field.setdefault(item.rule.trigger.field, []).append(at)
        self._fields = tuple(
            (
                argument_name(field),
                reader(field),
                pattern_set([items[at].rule.trigger.pattern for at in places]),
                tuple(places),
            )
            for field, places in by_field.items()
        )

    def hits(self, view: CallView, arguments: dict[str, JsonValue], *, beyond: int = -1) -> list[int]:
        """The positions (above `beyond`) of the rules whose pattern matches, in order."""
        found: list[int] = []
        for key, read, match, places in self._fields:
            text = arguments.get(key) if key else None
            if type(text) is not str:  # the common case is read here, without a call
                text = read(view, arguments)
                if text is None:
                    continue
            try:
                matched = match(text)
            except UnicodeEncodeError:
                matched = match(encoded(text))
            if matched:
                found += [places[at] for at in matched if places[at] > beyond]
        if found:
            found.sort()
        return found


def _programs(items: list[_Prepared]) -> dict[tuple[str, str], _Program]:
    def scope(item: _Prepared) -> tuple[str, str]:
        return item.rule.scope.step_id, item.rule.scope.tool

    return {key: _Program(list(group)) for key, group in groupby(sorted(items, key=scope), key=scope)}
