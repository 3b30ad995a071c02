"""Level 3: strategies, their evidence, and their life."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from errata_client.decision import DecisionReport
from errata_client.model import JsonValue, Model, UtcDatetime
from errata_client.rule import Rule

State = Literal[
    "draft",
    "in_review",
    "shadow",
    "active",
    "expiring",
    "retired",
    "rejected",
    "rolled_back",
]


class BeforeAfter(Model):
    """One concrete call and what the rule makes of it. `judgement`: right, wrong, unproven, idle, harmed or untouched;
    `expected` are the arguments that worked in the run, where it has a repair."""

    source: Literal["support", "held_out", "reference"]
    origin_id: str
    run_id: str
    before: dict[str, JsonValue]
    outcome: str
    after: dict[str, JsonValue] | None = None
    text: str | None = None
    error: str | None = None
    expected: dict[str, JsonValue] | None = None
    judgement: Literal["right", "wrong", "unproven", "idle", "harmed", "untouched"]
    why: str


class Resemblance(Model):
    """A strategy that was turned down and that another is like, with the reason that was given then."""

    strategy_id: str
    state: State
    reason: str

    def in_words(self) -> str:
        """`like ST-0009, rejected: the tool will be mended`."""
        return f"like {self.strategy_id}, {self.state.replace('_', ' ')}: {self.reason}"


class Reach(Model):
    """How many calls of its scope a rule would touch, of those made in the `days` before the night: an estimate.

    `calls` were made, by the run records, `failed` of them; of those that failed `tried_failed` were tried and
    `fired_failed` touched, of a sample of those that worked `tried_worked` and `fired_worked`. `touched` is what that comes
    to, from `low` to `high` at 95 %.
    """

    days: int
    calls: int
    failed: int
    tried_failed: int
    fired_failed: int
    tried_worked: int
    fired_worked: int
    touched: float
    low: float
    high: float


class Evidence(Model):
    """What the backtest found. `support`: cases the draft was made from; `references`: successful calls tried;
    of all failures tried, `fired` counts firings, `right` + `wrong` + `unproven` + `idle` = fired,
    where unproven means that the run does not tell (nobody tried again), and idle that nothing was gained or lost;
    `precision` = right / (right + wrong); `harmed`: references changed for the worse; `held_out*`: the same on tasks that the draft never saw. `flags` are words for the reviewer, such as
    "insufficient_reference"; `reach` is its blast radius, and `resembles` what it is like of what was turned down."""

    support: int
    tasks: int
    references: int
    fired: int
    right: int
    wrong: int
    unproven: int = 0
    idle: int = 0
    harmed: int
    held_out: int = 0
    held_out_fired: int = 0
    held_out_right: int = 0
    precision: float | None = None
    flags: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    rows: tuple[BeforeAfter, ...] = ()
    explanation: str = ""
    reach: Reach | None = None
    resembles: tuple[Resemblance, ...] = ()


class Transition(Model):
    """One step of a strategy's life. `revision` is the bundle revision that it made, where it made one."""

    at: UtcDatetime
    actor: str
    source: State | None
    target: State
    reason: Annotated[str, Field(min_length=1, max_length=2000)]
    revision: int | None = None


class Strategy(Model):
    """A candidate or live remedy. `draft_key` identifies the idea by meaning: scope, cause, trigger and action.

    `history` only grows.
    """

    strategy_id: str
    draft_key: str
    synthesiser: str
    state: State
    rule: Rule
    evidence: Evidence
    history: tuple[Transition, ...] = ()


class Candidate(Model):
    """A draft between the stages of a night: made by a synthesiser, judged by the backtest, not filed yet."""

    draft_key: str
    night_id: str
    synthesiser: str
    rule: Rule
    cases: tuple[str, ...]
    explanation: str
    flags: tuple[str, ...] = ()
    evidence: Evidence | None = None
    verdict: Literal["pending", "pass", "fail"] = "pending"
    failures: tuple[str, ...] = ()


class Publication(Model):
    """One revision of a project's bundle: which rules it holds, and the project's holdout when it was made."""

    revision: int
    at: UtcDatetime
    rules: tuple[Rule, ...]
    actor: str
    reason: str
    holdout: float | None = None


class ReportedDecision(DecisionReport):
    """A decision report as stored, with when the service took it in."""

    received_at: UtcDatetime
