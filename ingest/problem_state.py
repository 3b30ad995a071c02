"""Whether a problem is new, goes on, escalates or came back. Pure: counts and dates in, a state and its reason out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import exp, lgamma, log

from packaging.version import InvalidVersion, Version

from knowledge.cases import FailureCase, Problem, ProblemState

RECENT = timedelta(days=7)
EARLIER = timedelta(days=28)
STAYS_REGRESSED = timedelta(days=14)
ENOUGH = 5
"""Cases of the last week that an escalation needs."""
CHANCE = 0.001
"""How unlikely so many cases must be, were the rate that of the weeks before."""

FirstSeen = Callable[[str], datetime | None]
"""When the first run of an agent version was; None where there was none."""


@dataclass(frozen=True)
class Window:
    """A stretch of time: cases of the problem, and runs of the project."""

    cases: int
    runs: int


def state_of(problem: Problem, recent: Window, earlier: Window, now: datetime) -> tuple[ProblemState, str]:
    """The state, and the counts that it comes from. A regression is told for two weeks, then the counts alone say."""
    told = (
        f"{recent.cases} cases in {recent.runs} runs of the last {RECENT.days} days, "
        f"{earlier.cases} in {earlier.runs} of the {EARLIER.days} days before"
    )
    if problem.regressed_at is not None and now - problem.regressed_at < STAYS_REGRESSED:
        since = f"resolved {problem.resolved_at:%Y-%m-%d}" if problem.resolved_at else "resolved"
        version = f" in version {problem.resolved_in}" if problem.resolved_in else ""
        return "regressed", f"{since}{version}, seen again {problem.regressed_at:%Y-%m-%d}; {told}"
    if problem.first_seen > now - RECENT:
        return "new", f"first seen {problem.first_seen:%Y-%m-%d}; {told}"
    if escalates(recent, earlier):
        return "escalating", told
    return "ongoing", told


def escalates(recent: Window, earlier: Window) -> bool:
    """Whether there are more recent cases per run than the earlier rate explains: the exact conditional test of two Poisson
    rates (Przyborowski and Wilenski 1940)."""
    if recent.cases < ENOUGH or not recent.runs or not earlier.runs:
        return False
    share = recent.runs / (recent.runs + earlier.runs)
    return at_least(recent.cases, recent.cases + earlier.cases, share) < CHANCE


def at_least(count: int, of: int, share: float) -> float:
    """The chance of `count` or more of `of`, each with chance `share` (strictly between 0 and 1)."""
    total, term = 0.0, 0.0
    for number in range(count, of + 1):
        ways = lgamma(of + 1) - lgamma(number + 1) - lgamma(of - number + 1)
        term = exp(ways + number * log(share) + (of - number) * log(1 - share))
        total += term
        if number > of * share and term < 1e-12:
            break
    return min(1.0, total)


def is_regression(problem: Problem, case: FailureCase, first_seen: FirstSeen) -> bool:
    """Whether a case tells that a resolved problem came back: it is later than the resolution, and its agent's version is not
    older than the one that holds the remedy. A case that does not say its version counts by its date alone."""
    if problem.resolved_at is None or case.occurred_at <= problem.resolved_at:
        return False
    wanted, found = problem.resolved_in, case.agent.version
    return wanted is None or found is None or not older(found, wanted, first_seen)


def older(version: str, than: str, first_seen: FirstSeen) -> bool:
    """Whether an agent version came before another: by their numbers where both have some, else by their first runs."""
    if version == than:
        return False
    one, other = _parsed(version), _parsed(than)
    if one is not None and other is not None:
        return one < other
    began, began_other = first_seen(version), first_seen(than)
    return began is not None and (began_other is None or began < began_other)


def _parsed(version: str) -> Version | None:
    try:
        return Version(version)
    except InvalidVersion:
        return None
