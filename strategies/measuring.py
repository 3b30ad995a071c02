"""The night's look at the live rules: what each did since it went live, and what a person should decide about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice

from errata_client.engine import Engine
from errata_client.model import JsonValue
from errata_client.rule import Rule
from knowledge.cases import FailureCase
from knowledge.effects import Effect
from knowledge.kinds import (
    ATTRIBUTIONS,
    CASES,
    DECISIONS,
    EFFECTS,
    PROJECTS,
    PUBLICATIONS,
    ROOT_CAUSES,
    RUN_RECORDS,
    STRATEGIES,
    SYSTEM,
)
from knowledge.runs import RunRecord
from knowledge.stage import Shift, StageReport
from knowledge.store import Query, Range, Stored
from knowledge.strategies import Publication, Strategy
from strategies import life
from strategies.effect import Arms, Marks, Trial, counted, measured, overcome
from strategies.material import view_after, view_before

NIGHT = "errata nightly"
BEFORE = timedelta(days=30)
"""How far back the runs reach that a rule is compared with where there is no holdout."""

BLOCK = 500
PROPOSED = "proposed for rollback"


def measure(shift: Shift) -> StageReport:
    """Measure every live rule; write the effects, and into the history of each that got worse that a person should
    roll it back. What was not counted is said."""
    trials = _trials(shift)
    if not trials:
        return StageReport({"measured": 0})
    found = _effects(shift, trials)
    shift.guard()
    shift.store.collection(shift.project, EFFECTS).put_many(found)
    proposed = sum(_proposed(shift, effect) for effect in found)
    kinds = Counter(alarm.kind for effect in found for alarm in effect.alarms)
    counts: dict[str, int] = {"measured": len(found), "proposed_for_rollback": proposed}
    counts.update({str(kind): count for kind, count in sorted(kinds.items())})
    return StageReport(counts, tuple(_left_out(effect) for effect in found if effect.uncounted))


def newest_effect(shift: Shift, strategy_id: str) -> Effect | None:
    """The latest measurement of a strategy; None where it was never measured."""
    query = Query(where={"strategy_id": strategy_id}, sort="at", descending=True)
    page = shift.store.collection(shift.project, EFFECTS).find(query, limit=1)
    return page.items[0].item if page.items else None


def _trials(shift: Shift) -> list[Trial]:
    """Each rule that agents have, with when they first had it as it is."""
    query = Query(where={"state": life.LIVE})
    live = [stored.item for stored in shift.store.collection(shift.project, STRATEGIES).scan(query)]
    first = _first_published(shift, live)
    project = shift.store.collection(SYSTEM, PROJECTS).get(shift.project)
    holdout = project.item.holdout if project else 0.0
    return [
        Trial(strategy, shift.project, holdout, first[strategy.strategy_id].at, found.revision)
        for strategy in live
        if (found := first.get(strategy.strategy_id)) is not None
    ]


def _first_published(shift: Shift, live: Sequence[Strategy]) -> dict[str, Publication]:
    """The first revision of the bundle since which each rule has been in it, unchanged and in its mode."""
    wanted = {s.strategy_id: (s.rule.revision, s.rule.mode) for s in live}
    first: dict[str, Publication] = {}
    history = shift.store.collection(shift.project, PUBLICATIONS).scan(Query(sort="revision"))
    for stored in history:
        rules = {rule.id: rule for rule in stored.item.rules}
        for strategy_id, form in wanted.items():
            rule = rules.get(strategy_id)
            if rule is None or (rule.revision, rule.mode) != form:
                first.pop(strategy_id, None)
            else:
                first.setdefault(strategy_id, stored.item)
    return first


def _effects(shift: Shift, trials: Sequence[Trial]) -> list[Effect]:
    """The runs are read once for all rules."""
    causes, heirs = _causes(shift), _heirs(shift)
    marks = [_marks(shift, trial, causes, heirs) for trial in trials]
    arms = [Arms.empty() for _ in trials]
    for runs in _runs(shift, min(trial.since for trial in trials) - BEFORE):
        arms = [
            counted(so_far, trial, mark, _recent(runs, trial))
            for so_far, trial, mark in zip(arms, trials, marks, strict=True)
        ]
    rows = zip(trials, arms, marks, strict=True)
    return [measured(trial, found, mark, shift.now) for trial, found, mark in rows]


def _recent(runs: Iterable[RunRecord], trial: Trial) -> Iterator[RunRecord]:
    return (run for run in runs if run.occurred_at >= trial.since - BEFORE)


def _runs(shift: Shift, since: datetime) -> Iterator[list[RunRecord]]:
    query = Query(ranges={"occurred_at": Range(since=since)})
    found = (stored.item for stored in shift.store.collection(shift.project, RUN_RECORDS).scan(query))
    while block := list(islice(found, BLOCK)):
        yield block


def _marks(shift: Shift, trial: Trial, causes: Mapping[str, str], heirs: Mapping[str, str]) -> Marks:
    rule, recurred, failed = trial.strategy.rule, set[str](), set[str]()
    is_for = _meant_for(rule, causes, heirs.get(rule.root_cause, rule.root_cause))
    for case in _cases(shift, trial):
        failed.add(case.run_id)
        if is_for(case) and not overcome(case):
            recurred.add(case.run_id)
    fired = _firings(shift, trial, {"firing.mode": "active", "arm": "treated"})
    would_fire = frozenset(_firings(shift, trial, {"firing.mode": "shadow"})) - set(fired)
    return Marks(frozenset(recurred), frozenset(failed), frozenset(fired), fired.total(), would_fire)


def _heirs(shift: Shift) -> dict[str, str]:
    """Where each cause that was merged into another went in the end."""
    found = shift.store.collection(shift.project, ROOT_CAUSES).scan(Query())
    went = {s.item.cause_id: s.item.merged_into for s in found if s.item.merged_into}
    heirs = {}
    for cause, into in went.items():
        seen = {cause}
        while into in went and into not in seen:
            seen.add(into)
            into = went[into]  # noqa: PLW2901 - followed to the end
        heirs[cause] = into
    return heirs


def _meant_for(rule: Rule, causes: Mapping[str, str], cause: str) -> Callable[[FailureCase], bool]:
    """Which failures in its scope a rule is to prevent: those of its cause; for a rule that asks what failed before, those that
    follow such a failure, whatever their cause: it ends loops, and these have many."""
    if not any(condition.kind in {"repeated", "last_error"} for condition in rule.trigger.conditions):
        return lambda case: causes.get(case.fingerprint) == cause
    engine = Engine([rule], treat_shadow_as_active=True)

    def fires(case: FailureCase) -> bool:
        view = view_before(case) if rule.trigger.phase == "before" else view_after(case)
        return view is not None and bool(engine.decide(view, rule.valid_until).fired)

    return fires


def _firings(shift: Shift, trial: Trial, of: dict[str, str]) -> Counter[str]:
    """How often the rule fired so, by run."""
    where = {"firing.rule_id": trial.strategy.rule.id, **of}
    query = Query(where=where, ranges={"at": Range(since=trial.since)})
    found = shift.store.collection(shift.project, DECISIONS).scan(query)
    return Counter(stored.item.run_id for stored in found)


def _cases(shift: Shift, trial: Trial) -> Iterator[FailureCase]:
    scope = trial.strategy.rule.scope
    query = Query(
        where={
            "trigger_step.step_id": scope.step_id,
            "trigger_step.tool": scope.tool,
            "requestor": "agent",
        },
        ranges={"occurred_at": Range(since=trial.since - BEFORE)},
    )
    return (stored.item for stored in shift.store.collection(shift.project, CASES).scan(query))


def _causes(shift: Shift) -> dict[str, str]:
    """Fingerprint to root cause, for the problems that have one."""
    query = Query(where={"verdict": "matched"})
    found = shift.store.collection(shift.project, ATTRIBUTIONS).scan(query)
    return {stored.item.fingerprint: stored.item.root_cause for stored in found if stored.item.root_cause}


def _proposed(shift: Shift, effect: Effect) -> bool:
    """Write the proposal into the strategy's history, once for as long as the rule stays as it is."""
    worse = next((alarm for alarm in effect.alarms if alarm.proposal == "rollback"), None)
    strategies = shift.store.collection(shift.project, STRATEGIES)
    stored: Stored[Strategy] | None = strategies.get(effect.strategy_id) if worse else None
    if worse is None or stored is None or stored.item.state not in life.LIVE:
        return False
    known = (step for step in stored.item.history if step.at >= effect.since)
    if any(step.reason.startswith(PROPOSED) for step in known):
        return False
    shift.guard()
    noted = life.noted(stored.item, shift.now, NIGHT, f"{PROPOSED}: {worse.text}"[:2000])
    strategies.put(noted, stored.version)
    return True


def _left_out(effect: Effect) -> dict[str, JsonValue]:
    return {
        "strategy": effect.strategy_id,
        "runs": effect.uncounted,
        "reason": "their records do not say that the client had the rule: active_revision is missing or older",
    }
