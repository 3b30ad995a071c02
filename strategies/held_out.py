"""Rules held against recorded runs that they were not drafted from: what each firing would have been worth.

Judged on the record alone, or by a replayer where there is one. Silenced is not repaired.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from errata_client.decision import Decision
from errata_client.engine import Engine
from errata_client.jsontext import canonical
from errata_client.model import JsonValue
from errata_client.rule import Rule
from errata_client.view import CallView
from strategies.judgement import EVIDENT, names_what_is_asked
from strategies.replay.port import MadeCall, Replayed, Replayer, ReplayError, ReplayRequest

Worth = Literal["repaired", "stopped", "wrong", "unproven", "harmed", "hinted", "waited"]


@dataclass(frozen=True)
class Remedy:
    """A rule as a night filed it: who drafted it, and the masked errors that it was drafted from."""

    rule: Rule
    synthesiser: str
    errors: frozenset[str]


@dataclass(frozen=True)
class HeldOutCall:
    """A recorded call of the agent: its views, how it ended (`error_pattern` masked, "" where it worked), and whether the
    failure says nothing about the call (`down`)."""

    before: CallView
    after: CallView
    ok: bool
    error_pattern: str = ""
    down: bool = False


@dataclass(frozen=True)
class HeldOutRun:
    """The agent's calls of one run, in order."""

    run_id: str
    task_id: str | None
    calls: tuple[HeldOutCall, ...]


@dataclass(frozen=True)
class Firing:
    """One firing: the rules behind it, where, and what it was worth, in a word and in words."""

    rules: tuple[str, ...]
    run_id: str
    place: int
    worth: Worth
    why: str


@dataclass
class Siblings:
    """What worked in the runs of one task: tool and arguments. Runs of one task begin in the same world."""

    _worked: dict[str, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))

    def add(self, run: HeldOutRun) -> None:
        """Take in what worked in the run."""
        if run.task_id is not None:
            self._worked[run.task_id] |= {_key(call.before) for call in run.calls if call.ok}

    def worked(self, task_id: str | None, made: tuple[str, str]) -> bool:
        """Whether just this call worked in a run of the task."""
        return task_id is not None and made in self._worked.get(task_id, ())


class Trial:
    """Rules as if they were live, asked about recorded calls."""

    def __init__(
        self, remedies: Iterable[Remedy], today: date, siblings: Siblings, replayer: Replayer | None = None
    ) -> None:
        self.remedies: Mapping[str, Remedy] = {item.rule.id: item for item in remedies}
        self._engine = Engine([item.rule for item in self.remedies.values()], treat_shadow_as_active=True)
        self._today, self._siblings, self._replayer = today, siblings, replayer

    def firings(self, run: HeldOutRun) -> list[Firing]:
        """The firings on the run's calls; each call counts once, before it goes out or else once it returned."""
        found = (self._fired(run, place) for place in range(len(run.calls)))
        return [firing for firing in found if firing is not None]

    def _fired(self, run: HeldOutRun, place: int) -> Firing | None:
        call = run.calls[place]
        hint: Decision | None = None
        for view in (call.before, call.after):
            decision = self._engine.decide(view, self._today)
            if decision.outcome not in {"pass", "hint"}:
                worth, why = self._judged(run, place, decision)
                return Firing(_rules(decision), run.run_id, place, worth, why)
            hint = decision if decision.outcome == "hint" else hint
        return (
            None
            if hint is None
            else Firing(_rules(hint), run.run_id, place, "hinted", "a hint changes no call")
        )

    def _judged(self, run: HeldOutRun, place: int, decision: Decision) -> tuple[Worth, str]:
        call = run.calls[place]
        if call.ok:
            return "harmed", "the call worked as it was"
        if canonical(decision.arguments) != canonical(call.before.arguments):
            return self._rewritten(run, place, decision.arguments)
        if decision.outcome == "retry":
            return self._retried(run, place)
        return self._stopped(run, place, decision)

    def _rewritten(self, run: HeldOutRun, place: int, arguments: dict[str, JsonValue]) -> tuple[Worth, str]:
        made = (run.calls[place].before.tool, same_form(arguments))
        if any(call.ok and _key(call.before) == made for call in run.calls[place + 1 :]):
            return "repaired", "it is the call that then worked in this run"
        if any(not call.ok and _key(call.before) == made for call in run.calls):
            return "wrong", "just this call failed in this run"
        replayed = self._replayed(run, place, arguments)
        if replayed is not None:
            return ("repaired" if replayed.ok else "wrong"), f"called for real: {replayed.text[:200]}"
        if self._siblings.worked(run.task_id, made):
            return "repaired", "just this call worked in another run of the task"
        return "unproven", "nobody made this call"

    def _replayed(self, run: HeldOutRun, place: int, arguments: dict[str, JsonValue]) -> Replayed | None:
        tool = run.calls[place].before.tool
        if self._replayer is None or not self._replayer.is_safe(tool):
            return None
        earlier = tuple(
            MadeCall(call.before.tool, call.before.arguments, call.ok) for call in run.calls[:place]
        )
        try:
            return self._replayer.replay(ReplayRequest(run.run_id, run.task_id, tool, arguments, earlier))
        except ReplayError:
            return None

    def _retried(self, run: HeldOutRun, place: int) -> tuple[Worth, str]:
        again = [
            call.ok for call in run.calls[place + 1 :] if _key(call.before) == _key(run.calls[place].before)
        ]
        if any(again):
            return "repaired", "the same call worked later in this run"
        if run.calls[place].down:
            return "waited", "the tool was down, and asking again would have cost a little time"
        return "wrong", "the same call was not made again, or failed again"

    def _stopped(self, run: HeldOutRun, place: int, decision: Decision) -> tuple[Worth, str]:
        """Right where the call failed with an error that the rule speaks of, and never worked as it was."""
        call = run.calls[place]
        again = [
            later for later in run.calls[place + 1 :] if later.ok and _key(later.before) == _key(call.before)
        ]
        if again:
            return _worked_later(call.before, again[0].before, decision)
        if call.down:
            return "wrong", "the tool was down: the call itself may have been right"
        remedies = [self.remedies[rule] for rule in _rules(decision)]
        kinds = {condition.kind for item in remedies for condition in item.rule.trigger.conditions}
        for kind in sorted(kinds & set(EVIDENT)):
            return "stopped", EVIDENT[kind]
        if any(
            call.error_pattern in item.errors or names_what_is_asked(item.rule, call.error_pattern)
            for item in remedies
        ):
            return "stopped", "the call failed for the reason that the rule gives"
        return "unproven", "the call failed, with an error that the rule does not speak of"


def _worked_later(before: CallView, again: CallView, decision: Decision) -> tuple[Worth, str]:
    """The very same call worked later: right only where what the rule asked for was done in between."""
    if decision.require_tool in {made.tool for made in again.calls_before if made.ok}:
        return "stopped", f"the very same call worked once {decision.require_tool} had been called"
    if decision.outcome == "confirm" and again.user_input != before.user_input:
        return "stopped", "the very same call worked once the person had been asked"
    return "wrong", "the very same call worked later in this run"


def same_form(arguments: JsonValue) -> str:
    """Arguments as text, alike where they are equal: 2 and 2.0 are."""
    return canonical(_plain(arguments))


def _plain(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {name: _plain(below) for name, below in value.items()}
    if isinstance(value, list):
        return [_plain(below) for below in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _key(view: CallView) -> tuple[str, str]:
    return view.tool, same_form(view.arguments)


def _rules(decision: Decision) -> tuple[str, ...]:
    return tuple(firing.rule_id for firing in decision.fired)


@dataclass
class Tally:
    """Counts of firings; with the errors and successes that were there to fire on."""

    errors: int = 0
    down: int = 0
    successes: int = 0
    worth: Counter[str] = field(default_factory=Counter)
    by_rule: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    firings: list[Firing] = field(default_factory=list)

    def take(self, run: HeldOutRun, firings: Sequence[Firing]) -> None:
        """Count a run. What was done about a tool that was down is no repair of an error of the agent's."""
        for call in run.calls:
            self.errors += not call.ok and not call.down
            self.down += call.down
            self.successes += call.ok
        for firing in firings:
            waited = run.calls[firing.place].down and firing.worth in {"repaired", "waited"}
            word = "retried" if waited else firing.worth
            self.worth[word] += 1
            self.firings.append(firing)
            for rule in firing.rules:
                self.by_rule[rule][word] += 1
