"""The blast radius: how many calls of its scope a rule would touch, before it does.

The run records say how many calls there were; the failing ones with their views and the reservoir of successful ones, which is a
uniform sample, say which share of each the rule fires on. Each share has its Wilson interval; that of the sum is put together
by MOVER (Zou and Donner, 2008), as for the effect.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from math import sqrt

from errata_client.engine import Engine
from errata_client.rule import Rule
from errata_client.view import CallView
from knowledge.cases import FailureCase
from knowledge.runs import ReferenceCall
from knowledge.strategies import Reach
from strategies.intervals import wilson
from strategies.material import Material, view_after, view_before

DAYS = 30
WINDOW = timedelta(days=DAYS)


@dataclass(frozen=True)
class Volume:
    """Calls of one scope in the window, and those of them that failed."""

    calls: int = 0
    failed: int = 0


def reach(rule: Rule, material: Material, volume: Volume) -> Reach:
    """The estimate for one rule, with its interval at 95 %; where all failing calls were tried, these are counted."""
    engine = Engine([rule], treat_shadow_as_active=True)
    failing = {(case.run_id, case.trigger_step.index): case for case in (*material.cases, *material.others)}
    failed, hit = _tried(engine, rule, failing.values(), material)
    worked, touched = _tried(engine, rule, material.references, material)
    bad, good = wilson(hit, failed), wilson(touched, worked)
    counted = failed >= volume.failed and failed > 0
    low_bad, high_bad = (bad.rate, bad.rate) if counted else (bad.low, bad.high)
    fine = volume.calls - volume.failed
    estimate = volume.failed * bad.rate + fine * good.rate
    below = volume.failed * (bad.rate - low_bad), fine * (good.rate - good.low)
    above = volume.failed * (high_bad - bad.rate), fine * (good.high - good.rate)
    return Reach(
        days=DAYS,
        calls=volume.calls,
        failed=volume.failed,
        tried_failed=failed,
        fired_failed=hit,
        tried_worked=worked,
        fired_worked=touched,
        touched=round(estimate, 1),
        low=round(max(0.0, estimate - sqrt(below[0] ** 2 + below[1] ** 2)), 1),
        high=round(min(float(volume.calls), estimate + sqrt(above[0] ** 2 + above[1] ** 2)), 1),
    )


def _tried(
    engine: Engine, rule: Rule, items: Iterable[FailureCase | ReferenceCall], material: Material
) -> tuple[int, int]:
    """How many have a view, and on how many of those the rule fires."""
    view_of = view_before if rule.trigger.phase == "before" else view_after
    views: list[CallView] = [view for view in map(view_of, items) if view is not None]
    return len(views), sum(bool(engine.decide(view, material.today).fired) for view in views)


def reach_in_words(found: Reach) -> str:
    """`about 120 of 4,000 calls in 30 days (estimate, 100 to 160)`."""
    if found.calls == 0:
        return f"no call of its scope was recorded in {found.days} days: how many it would touch is not known"
    rows = f"about {found.touched:,.0f} of {found.calls:,} calls in {found.days} days"
    return f"{rows} (estimate, {found.low:,.0f} to {found.high:,.0f} at 95 %)"
