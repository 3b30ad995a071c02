"""A month of the ticket desk, day by day: runs, a night, a morning; and what the rules did, by Errata's own measure.

Three months with one seed: one in which drafts are approved as they come, one in which the agent says that it has the
rules and does not follow them (A/A: nothing may be found), and one with a rule that a hasty person approved though it
stops good calls (it must be proposed for rollback).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from errata_client.client import RuleClient
from errata_client.rule import Block, Rule, Scope, Trigger
from errata_client.run import Run
from examples.ticket_desk.agent import DeskAgent
from examples.ticket_desk.calendar import Calendar
from examples.ticket_desk.line import NoRules, Rules
from examples.ticket_desk.mistakes import Mistakes
from examples.ticket_desk.office import PROJECT, cleared, hand_in, night, office, served, token
from examples.ticket_desk.tasks import Task, tasks_of_week
from examples.ticket_desk.world import make_world
from knowledge.effects import Comparison, Effect, Rate
from knowledge.kinds import EFFECTS, PROJECTS, STRATEGIES, SYSTEM
from knowledge.stage import Shift
from knowledge.store import Query
from knowledge.strategies import Evidence, Strategy
from strategies import life, review
from strategies.intervals import compared
from strategies.neighbours import conflicts_ahead
from wiring.build import Errata

Follows = Literal["rules", "nothing"]
FIRST = datetime(2026, 3, 2, tzinfo=UTC)
HASTY = "ST-9001"


@dataclass(frozen=True)
class Month:
    """What to play. `follows`: whether the agent does what the rules say; `hasty`: whether the harmful rule is approved
    after the first night."""

    seed: int
    days: int
    runs: int
    holdout: float
    encoders: str
    follows: Follows = "rules"
    hasty: bool = False


@dataclass(frozen=True)
class Outcome:
    """The last measurement of each rule, the strategies as they ended, and in which night after its first firing the hasty rule
    was proposed for rollback (None: never)."""

    effects: tuple[Effect, ...]
    strategies: tuple[Strategy, ...]
    noticed: int | None


def play(month: Month, folder: Path, say: Callable[[str], None]) -> Outcome:
    """Play it in `folder`."""
    calendar = Calendar(FIRST + timedelta(days=14))
    with office(cleared(folder), calendar, month.encoders) as errata, served(errata) as url:
        _set_holdout(errata, month.holdout)
        desk = _Desk(month, errata, calendar, url, folder)
        for day in range(month.days):
            desk.work(day)
            say(f"day {day + 1} of {month.days}")
        return desk.outcome()


class _Desk:
    """The desk and the service it reports to, a day at a time."""

    def __init__(self, month: Month, errata: Errata, calendar: Calendar, url: str, folder: Path) -> None:
        self._month, self._errata, self._calendar, self._folder = month, errata, calendar, folder
        self._world = make_world(month.seed, FIRST.date())
        self._agent = DeskAgent(self._world, Mistakes(month.seed))
        self._url, self._secret = url, token(errata, "ticket desk", "rules:read")
        self._tasks = [task for week in range(month.days // 7 + 1) for task in self._week(week)]

    def work(self, day: int) -> None:
        """The day's runs, the night, and the morning's approvals."""
        begins = FIRST + timedelta(days=day)
        self._calendar.set(begins)
        runs = list(self._runs(begins))
        self._calendar.set(begins + timedelta(days=1, hours=2))
        hand_in(self._errata, runs, self._folder / "runs" / f"day-{day:02d}.jsonl")
        night(self._errata)
        self._calendar.set(begins + timedelta(days=1, hours=8))
        self._approve()

    def outcome(self) -> Outcome:
        """How it all stands."""
        store = self._errata.store
        effects = [stored.item for stored in store.collection(PROJECT, EFFECTS).scan(Query(sort="at"))]
        strategies = [stored.item for stored in store.collection(PROJECT, STRATEGIES).scan(Query())]
        hasty = [effect for effect in effects if effect.strategy_id == HASTY]
        nights = [effect.fired > 0 for effect in hasty]
        alarmed = [any(alarm.proposal == "rollback" for alarm in effect.alarms) for effect in hasty]
        noticed = sum(nights[: alarmed.index(True) + 1]) if True in alarmed else None
        latest = {effect.strategy_id: effect for effect in effects}
        return Outcome(tuple(latest.values()), tuple(strategies), noticed)

    def _week(self, week: int) -> list[Task]:
        monday = FIRST + timedelta(days=7 * week)
        return tasks_of_week(self._world, self._month.seed, week, monday, self._month.runs * 7)

    def _runs(self, begins: datetime) -> Iterator[Run]:
        today = [task for task in self._tasks if begins <= task.at < begins + timedelta(days=1)]
        with self._client() as client:
            client.refresh()
            for task in today:
                self._calendar.set(task.at)
                arm = client.arm(task.task_id)
                rules: Rules = client if self._month.follows == "rules" else NoRules()
                agent = replace(
                    self._agent,
                    rules=rules,
                    revision=lambda: client.active_revision,
                    arm="holdout" if arm == "holdout" else "treated",
                )
                yield agent.work(task, task.task_id)
            client.flush()

    @contextmanager
    def _client(self) -> Iterator[RuleClient]:
        client = RuleClient(
            self._url, self._secret, project=PROJECT, clock=self._calendar, agent="ticket-desk"
        )
        try:
            yield client
        finally:
            client.close()

    def _approve(self) -> None:
        shift = self._errata.shift(PROJECT)
        strategies = self._errata.store.collection(PROJECT, STRATEGIES)
        if self._month.hasty and strategies.get(HASTY) is None:
            strategies.put(_hasty(shift.now), None)
        waiting = [stored.item for stored in strategies.scan(Query(where={"state": "in_review"}))]
        for strategy in waiting:
            if not self._month.hasty or strategy.strategy_id == HASTY:
                _approved(shift, strategy)


def _approved(shift: Shift, strategy: Strategy) -> None:
    """As a person would: what is harmless is acknowledged; a rule that mends takes the place of one that only stops; any other
    conflict leaves the strategy in review."""
    found = conflicts_ahead(shift, strategy)
    refused = {one.with_rule for one in found if one.grade == "refused"}
    shadowed = {one.with_rule for one in found if one.kind == "shadows"}
    if len(refused) > 1 or refused - shadowed:
        return
    review.approve(
        shift,
        strategy.strategy_id,
        "morning review",
        "read, and found right",
        acknowledge=[one.acknowledge for one in found],
        supersedes=next(iter(refused), None),
    )


def _hasty(now: datetime) -> Strategy:
    """A rule that stops every refund, "to be safe", with evidence that nobody looked at."""
    rule = Rule(
        id=HASTY,
        revision=1,
        root_cause="RC-001",
        scope=Scope(step_id="pay_back", tool="refund_order"),
        trigger=Trigger(field="args.order_id", pattern="."),
        action=Block(text="Refunds are not made here: decline."),
        valid_until=date(2027, 1, 1),
    )
    evidence = Evidence(support=3, tasks=3, references=0, fired=3, right=3, wrong=0, harmed=0)
    drafted = Strategy(
        strategy_id=HASTY,
        draft_key="hasty",
        synthesiser="by hand",
        state="draft",
        rule=rule,
        evidence=evidence,
    )
    return life.moved(life.begun(drafted, now, "hasty", "by hand"), "in_review", now, "hasty", "looks fine")


def _set_holdout(errata: Errata, share: float) -> None:
    projects = errata.store.collection(SYSTEM, PROJECTS)
    stored = projects.get(PROJECT)
    assert stored is not None
    projects.put(stored.item.model_copy(update={"holdout": share}), stored.version)


def pooled(effects: Sequence[Effect]) -> Comparison | None:
    """All rules together: a run counts once for each rule that was live when it ran."""
    known = [effect.recurrence for effect in effects if effect.recurrence is not None]
    if not known:
        return None
    treated = sum(one.treated.count for one in known), sum(one.treated.of for one in known)
    control = sum(one.control.count for one in known), sum(one.control.of for one in known)
    return compared(treated, control)


def tell(name: str, outcome: Outcome) -> None:
    """Print a line a rule, and all of them together."""
    print(f"-- {name}")
    by_id = {strategy.strategy_id: strategy for strategy in outcome.strategies}
    for effect in sorted(outcome.effects, key=lambda one: one.strategy_id):
        rule = by_id[effect.strategy_id].rule
        alarms = ", ".join(alarm.kind for alarm in effect.alarms) or "no alarm"
        print(
            f"  {effect.strategy_id} {rule.action.kind} {rule.scope.tool}: {_told(effect.recurrence)}; {alarms}"
        )
    print(f"  all rules: {_told(pooled(outcome.effects))}")


def _told(found: Comparison | None) -> str:
    if found is None:
        return "too few runs"
    if found.change is None or found.change_low is None or found.change_high is None:
        return f"{_rate(found.treated)} against {_rate(found.control)}"
    change = f"{found.change:+.0%} ({found.change_low:+.0%} to {found.change_high:+.0%})"
    return f"recurrence {_rate(found.treated)} with it, {_rate(found.control)} in the holdout: {change}"


def _rate(rate: Rate) -> str:
    return f"{rate.count} of {rate.of}"


def main(arguments: Sequence[str] = ()) -> None:
    """Play the three months and print them."""
    options = _options(arguments)
    month = Month(options.seed, options.days, options.runs, options.holdout, options.encoders)
    print(f"seed {month.seed}, {month.days} days of {month.runs} runs, holdout {month.holdout:.0%}")
    with TemporaryDirectory() as folder:
        tell("rules approved as they come", play(month, Path(folder) / "rules", _silent))
        apart = play(replace(month, follows="nothing"), Path(folder) / "aa", _silent)
        tell("A/A: the agent has the rules and follows none", apart)
        hasty = play(replace(month, hasty=True), Path(folder) / "hasty", _silent)
        tell("a hasty rule that stops every refund", hasty)
    noticed = "never" if hasty.noticed is None else f"in night {hasty.noticed} after it first fired"
    print(f"  proposed for rollback: {noticed}")


def _silent(_: str) -> None:
    """Nobody looks."""


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.month", description=__doc__)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--days", type=int, default=28)
    parser.add_argument("--runs", type=int, default=80, help="runs a day")
    parser.add_argument("--holdout", type=float, default=0.25)
    parser.add_argument("--encoders", default="minilm,use-multilingual")
    return parser.parse_args(list(arguments))


if __name__ == "__main__":
    main(sys.argv[1:])
