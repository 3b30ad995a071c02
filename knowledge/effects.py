"""Level 3, after approval: what a live rule did to the failures it was made for."""

from __future__ import annotations

from typing import Literal

from errata_client.model import Model, UtcDatetime

AlarmKind = Literal["touches_good_calls", "worse", "still_frequent", "scope_too_wide"]


class Group(Model):
    """Runs of one arm. `runs` all of them; `recurred` those with a case of the rule's cause in its scope; `failed` those
    with any case in its scope; `judged` those whose outcome is known, `unsuccessful` those of them that did not succeed.
    Each run counts once."""

    runs: int = 0
    recurred: int = 0
    failed: int = 0
    judged: int = 0
    unsuccessful: int = 0


class Rate(Model):
    """A share of runs with its Wilson score interval."""

    count: int
    of: int
    rate: float
    low: float
    high: float


class Comparison(Model):
    """One measure in both arms. `difference` is treated minus control (Newcombe's interval); `change` is treated over
    control minus 1, so -0.76 is 76 % less (MOVER interval on the ratio); None where control has no such run."""

    treated: Rate
    control: Rate
    difference: float
    difference_low: float
    difference_high: float
    change: float | None = None
    change_low: float | None = None
    change_high: float | None = None


class Alarm(Model):
    """Something about a live rule that a person should look at. `proposal` "rollback" asks for a decision."""

    kind: AlarmKind
    text: str
    proposal: Literal["rollback", "narrow"] | None = None


class Effect(Model):
    """What was measured of one live strategy in one night. `control` says what the treated runs are compared with:
    "holdout" (runs that never get the rule, at the same time), "before" (runs before it went live: whatever else
    changed since is in it), or "none" (too few of either). `fired` counts firings that changed a call, `fired_runs`
    their runs. `spared` are, of the runs without the rule in which it would have fired (shadow firings), those in whose
    scope nothing failed: calls that the rule would have touched though they work. `uncounted` are runs whose record does not say which revision their client had."""

    effect_id: str
    strategy_id: str
    at: UtcDatetime
    since: UtcDatetime
    revision: int
    control: Literal["holdout", "before", "none"]
    treated_group: Group
    control_group: Group
    recurrence: Comparison | None = None
    scope_failures: Comparison | None = None
    unsuccessful: Comparison | None = None
    spared: Rate | None = None
    fired: int = 0
    fired_runs: int = 0
    uncounted: int = 0
    alarms: tuple[Alarm, ...] = ()
