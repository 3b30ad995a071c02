"""What a live rule did: its runs against those that did not get it. Pure.

Every run whose client had the revision counts, whether or not it came to the rule's scope: a rule that stops calls
changes which runs come there, so only the whole arms can be compared (intention to treat).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from errata_client.arms import arm_of, in_share
from knowledge.cases import FailureCase
from knowledge.effects import Alarm, Comparison, Effect, Group, Rate
from knowledge.runs import RunRecord
from knowledge.strategies import Strategy
from strategies.intervals import Z95, Z99, compared, wilson

ENOUGH_RUNS = 20
"""Runs that each arm needs before anything is compared."""

REMAINS = 0.30
"""Share of the recurrence that may be left before a rule is flagged."""

HARMLESS = 0.05
"""Share of the calls that a rule touches which may be ones that work: what the gate asks of its precision."""

ENOUGH_SPARED = 3
"""Runs that went well where the rule would have acted, before that is more than an oddity."""

LEAVES_AS_IT_IS = frozenset({"hint", "retry"})
"""Kinds of action that leave a call that works as it is."""

TOO_WIDE = 2.0
"""How many times more runs a rule may touch than would have failed without it."""

Measure = Callable[[Group], tuple[int, int]]


@dataclass(frozen=True)
class Trial:
    """What is being measured: a strategy since it went live with bundle `revision`, in a project with a holdout share."""

    strategy: Strategy
    project: str
    holdout: float
    since: datetime
    revision: int


@dataclass(frozen=True)
class Marks:
    """What happened in the rule's scope: the ids of runs with a case of its cause, and with any case; of runs in which
    it changed a call, with how often that was; and of runs without it in which it would have."""

    recurred: frozenset[str]
    failed: frozenset[str]
    fired_runs: frozenset[str]
    fired: int = 0
    would_fire: frozenset[str] = frozenset()


@dataclass
class Arms:
    """The runs counted so far, by arm; `uncounted` are those that cannot be placed."""

    treated: Group
    holdout: Group
    before: Group
    uncounted: int = 0

    @classmethod
    def empty(cls) -> Arms:
        """Nothing counted yet."""
        return cls(Group(), Group(), Group())


def counted(arms: Arms, trial: Trial, marks: Marks, runs: Iterable[RunRecord]) -> Arms:
    """`arms` with these runs added."""
    groups = {"treated": arms.treated, "holdout": arms.holdout, "before": arms.before}
    uncounted = arms.uncounted
    for run in runs:
        place = placed(run, trial)
        if place is None:
            uncounted += 1
        else:
            groups[place] = _added(groups[place], run, marks)
    return Arms(groups["treated"], groups["holdout"], groups["before"], uncounted)


def placed(run: RunRecord, trial: Trial) -> str | None:
    """The arm of a run: "before" the rule was live, or since then, with the revision, "treated" or "holdout" (a run
    outside the rule's share, or while it is in shadow, is one too); None where its client had an older revision or did not say."""
    if run.occurred_at < trial.since:
        return "before"
    if run.active_revision is None or run.active_revision < trial.revision:
        return None
    if trial.strategy.rule.mode == "shadow":
        return "holdout"
    arm = run.arm or arm_of(run.run_id, trial.project, trial.holdout)
    rule = trial.strategy.rule
    if arm == "treated" and not in_share(run.run_id, f"share:{rule.id}", rule.share):
        return "holdout"
    return arm


def overcome(case: FailureCase) -> bool:
    """Whether the very same call worked later in the run: what a retry is for, so no recurrence."""
    repair = case.repair
    return repair is not None and not (repair.changed or repair.added or repair.removed)


def measured(trial: Trial, arms: Arms, marks: Marks, at: datetime) -> Effect:
    """The effect with its alarms. Compared are the treated runs with the holdout, or where that is too small with the
    runs before."""
    control, group = _control(arms)
    comparisons = {name: _compared(arms.treated, group, measure, Z95) for name, measure in MEASURES.items()}
    effect = Effect(
        effect_id=f"{trial.strategy.strategy_id}:{at.date().isoformat()}",
        strategy_id=trial.strategy.strategy_id,
        at=at,
        since=trial.since,
        revision=trial.revision,
        control=control,
        treated_group=arms.treated,
        control_group=group,
        spared=_spared(trial, marks),
        fired=marks.fired,
        fired_runs=len(marks.fired_runs),
        uncounted=arms.uncounted,
        **comparisons,
    )
    return effect.model_copy(update={"alarms": alarms(effect)})


def alarms(effect: Effect) -> tuple[Alarm, ...]:
    """What a person should look at. Looked at every night, so "worse" has to hold at 99 %."""
    found = [*_touches_good_calls(effect), *_worse(effect), *_still_frequent(effect), *_too_wide(effect)]
    return tuple(found)


MEASURES: dict[str, Measure] = {
    "recurrence": lambda group: (group.recurred, group.runs),
    "scope_failures": lambda group: (group.failed, group.runs),
    "unsuccessful": lambda group: (group.unsuccessful, group.judged),
}
IN_WORDS = {
    "recurrence": "its cause comes back in its scope",
    "scope_failures": "something fails in its scope",
    "unsuccessful": "the run does not succeed",
}


def _added(group: Group, run: RunRecord, marks: Marks) -> Group:
    judged = run.outcome.status in {"success", "failure"}
    return Group(
        runs=group.runs + 1,
        recurred=group.recurred + (run.run_id in marks.recurred),
        failed=group.failed + (run.run_id in marks.failed),
        judged=group.judged + judged,
        unsuccessful=group.unsuccessful + (judged and run.outcome.status == "failure"),
    )


def _control(arms: Arms) -> tuple[str, Group]:
    if arms.treated.runs < ENOUGH_RUNS:
        return "none", arms.holdout
    if arms.holdout.runs >= ENOUGH_RUNS:
        return "holdout", arms.holdout
    return ("before", arms.before) if arms.before.runs >= ENOUGH_RUNS else ("none", arms.holdout)


def _compared(treated: Group, control: Group, measure: Measure, z: float) -> Comparison | None:
    one, other = measure(treated), measure(control)
    if min(treated.runs, control.runs, one[1], other[1]) < ENOUGH_RUNS:
        return None
    return compared(one, other, z)


def _spared(trial: Trial, marks: Marks) -> Rate | None:
    """Of the runs in which the rule would have fired, had they had it, those that went well in its scope. A run is the same
    up to that firing with the rule and without, so this needs no arms of equal size."""
    if trial.strategy.rule.action.kind in LEAVES_AS_IT_IS or not marks.would_fire:
        return None
    return wilson(len(marks.would_fire - marks.failed), len(marks.would_fire), Z99)


def _touches_good_calls(effect: Effect) -> list[Alarm]:
    found = effect.spared
    if found is None or found.count < ENOUGH_SPARED or found.low <= HARMLESS:
        return []
    text = (
        f"of {found.of} runs without it in which it would have acted, {found.count} went well in its scope "
        f"({found.low:.1%} or more at 99 %): it touches calls that work"
    )
    return [Alarm(kind="touches_good_calls", text=text, proposal="rollback")]


def _worse(effect: Effect) -> list[Alarm]:
    for name, measure in MEASURES.items():
        strict = _compared(effect.treated_group, effect.control_group, measure, Z99)
        if strict is not None and strict.difference_low > 0 and effect.control != "none":
            text = (
                f"{IN_WORDS[name]} in {strict.treated.rate:.1%} of {strict.treated.of} runs with the rule, "
                f"against {strict.control.rate:.1%} of {strict.control.of} {_others(effect)}: "
                f"{strict.difference_low:+.1%} or more at 99 %"
            )
            return [Alarm(kind="worse", text=text, proposal="rollback")]
    return []


def _still_frequent(effect: Effect) -> list[Alarm]:
    """More than REMAINS is left; whether surely or perhaps, the interval says."""
    found = effect.recurrence
    if found is None or found.change is None or found.change_low is None or 1 + found.change <= REMAINS:
        return []
    if found.treated.count < 3:
        return []
    left = f"{1 + found.change:.0%} of the recurrence is left"
    sure = "surely" if 1 + found.change_low > REMAINS else "perhaps"
    return [
        Alarm(
            kind="still_frequent",
            text=f"{left} ({found.treated.rate:.1%} of runs against {found.control.rate:.1%} {_others(effect)}), "
            f"{sure} more than {REMAINS:.0%}",
        )
    ]


def _too_wide(effect: Effect) -> list[Alarm]:
    """It stops or changes calls in far more runs than would have failed: the cause alone does not explain them."""
    found = effect.recurrence
    if found is None or not effect.treated_group.runs:
        return []
    touched = compared(
        (min(effect.fired_runs, effect.treated_group.runs), effect.treated_group.runs),
        (effect.control_group.recurred, effect.control_group.runs),
        Z99,
    )
    if touched.treated.low <= TOO_WIDE * touched.control.high:
        return []
    text = (
        f"it changed calls in {touched.treated.rate:.1%} of runs, though only {touched.control.rate:.1%} "
        f"{_others(effect)} fail by its cause: more is in its scope than it was made for"
    )
    return [Alarm(kind="scope_too_wide", text=text, proposal="narrow")]


def _others(effect: Effect) -> str:
    return "of the runs before it" if effect.control == "before" else "of those without"
