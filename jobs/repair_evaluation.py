"""How good the night's rules are on tasks that they never saw: drafted from one half of the runs, held against the other.

Works in a store of its own, which its caller throws away. The half that rules are drafted from is masked as ever; the
other half is not, since an agent's client sees what is really said.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from attribution.starter import seed_causes
from errata_client.replay import StepView, replay
from errata_client.run import Run
from ingest.adapters.port import NotAnalysed
from ingest.adapters.replies import UNKNOWN_TOOL
from ingest.bounds import bounded
from ingest.error_kind import TRANSIENT, error_kind
from ingest.service import ingest_runs
from ingest.text import error_pattern
from jobs.stages import STAGES
from knowledge.causes import RootCause
from knowledge.kinds import ATTRIBUTIONS, CANDIDATES, CASES, ROOT_CAUSES, STRATEGIES
from knowledge.stage import Progress, Shift, silent
from knowledge.store import Query
from knowledge.strategies import Strategy
from strategies.held_out import HeldOutCall, HeldOutRun, Remedy, Siblings, Tally, Trial
from strategies.replay.port import Replayer
from strategies.rule_words import in_words
from wiring.build import Errata

Split = Literal["task", "run"]
Runs = Callable[[], Iterable[Run | NotAnalysed]]
"""The runs, read anew at each call: they are never all in memory."""

DRAFTING = frozenset({"group", "embed", "attribute", "synthesize", "backtest", "file"})
"""The stages of the night that lead to drafts."""


@dataclass(frozen=True)
class Plan:
    """What is to be evaluated: the runs, how they are halved (`seed` picks another halving), with whose causes (the
    starter set's, where there are none), and by what a rewritten call may be tried for real."""

    runs: Runs
    split: Split = "task"
    seed: int = 0
    causes: Sequence[RootCause] = ()
    replayer: Replayer | None = None

    def half_of(self, run: Run) -> int:
        """0 or 1; all runs of a task are of one half, where the split is by task and the source names tasks."""
        unit = f"task:{run.task_id}" if self.split == "task" and run.task_id else f"run:{run.run_id}"
        return hashlib.sha256(f"half\0{self.seed}\0{unit}".encode()).digest()[0] % 2


@dataclass(frozen=True)
class Direction:
    """One half drafted from, the other held out: what the night filed, and what came of it."""

    name: str
    strategies: tuple[Strategy, ...]
    tally: Tally
    candidates: int
    problems: Counter[str]


def evaluate(errata: Errata, plan: Plan, progress: Progress = silent) -> list[Direction]:
    """Both directions: each half once drafted from, and once held out."""
    return [_direction(errata, plan, half, progress) for half in (0, 1)]


def _direction(errata: Errata, plan: Plan, half: int, progress: Progress) -> Direction:
    project = f"half-{half}"
    errata.ensure_project(project)
    shift = errata.shift(project, night_id=project, progress=progress)
    drafted_from = (item for item in plan.runs() if isinstance(item, Run) and plan.half_of(item) == half)
    ingest_runs(drafted_from, shift, errata.masker(project))
    _seed(shift, plan.causes)
    for stage in STAGES:
        if stage.name in DRAFTING:
            stage.work(errata, shift)
    strategies = tuple(stored.item for stored in shift.store.collection(project, STRATEGIES).scan(Query()))
    return Direction(
        name=f"half {half + 1} drafted from, half {2 - half} held out",
        strategies=strategies,
        tally=_held_out(plan, half, shift, strategies),
        candidates=sum(1 for _ in shift.store.collection(project, CANDIDATES).scan(Query())),
        problems=Counter(
            stored.item.verdict for stored in shift.store.collection(project, ATTRIBUTIONS).scan(Query())
        ),
    )


def _seed(shift: Shift, causes: Sequence[RootCause]) -> None:
    if causes:
        shift.store.collection(shift.project, ROOT_CAUSES).add_many(causes)
    else:
        seed_causes(shift)


def _held_out(plan: Plan, half: int, shift: Shift, strategies: Sequence[Strategy]) -> Tally:
    """The rules on the runs of the other half; a run that two files hold counts once."""
    siblings, tally = Siblings(), Tally()
    for run in _other_half(plan, half):
        siblings.add(run)
    trial = Trial([_remedy(shift, item) for item in strategies], shift.now.date(), siblings, plan.replayer)
    for run in _other_half(plan, half):
        tally.take(run, trial.firings(run))
    return tally


def _other_half(plan: Plan, half: int) -> Iterator[HeldOutRun]:
    seen: set[str] = set()
    for item in plan.runs():
        if isinstance(item, Run) and plan.half_of(item) != half and item.run_id not in seen:
            seen.add(item.run_id)
            yield held_out_run(item)


def _remedy(shift: Shift, strategy: Strategy) -> Remedy:
    """The rule, live, with the errors that it speaks of."""
    known = shift.store.collection(shift.project, CASES).get_many(strategy.evidence.cases)
    return Remedy(
        rule=strategy.rule,
        synthesiser=strategy.synthesiser,
        errors=frozenset(stored.item.error_pattern for stored in known.values()),
    )


def held_out_run(run: Run) -> HeldOutRun:
    """The agent's calls of a recorded run, as its client would have seen them."""
    calls = [_held_out_call(call) for call in replay(bounded(run)[0]) if _counts(call)]
    return HeldOutRun(run.run_id, run.task_id, tuple(calls))


def _counts(call: StepView) -> bool:
    step = call.step
    answered = step.answered and step.paired and step.requestor == "agent"
    return answered and not (step.error is not None and step.error.type == UNKNOWN_TOOL)


def _held_out_call(call: StepView) -> HeldOutCall:
    error = call.step.error
    if error is None:
        return HeldOutCall(call.before, call.after, ok=True)
    kind = error_kind(error.message, error.status, error.type)
    return HeldOutCall(call.before, call.after, False, error_pattern(error.message), kind in TRANSIENT)


RIGHT = ("repaired", "stopped")
WORDS = (*RIGHT, "wrong", "harmed", "unproven", "hinted", "retried")
SHOWN_FIRINGS = 200


def document(plan: Plan, directions: Sequence[Direction]) -> dict[str, object]:
    """Everything as one object: sums over both directions, by synthesiser, by draft."""
    tallies = [direction.tally for direction in directions]
    worth = sum((tally.worth for tally in tallies), Counter[str]())
    errors = sum(tally.errors for tally in tallies)
    right = sum(worth[word] for word in RIGHT)
    return {
        "split": plan.split,
        "seed": plan.seed,
        "errors": errors,
        "down": sum(tally.down for tally in tallies),
        "successes": sum(tally.successes for tally in tallies),
        **_counts_of(worth),
        "right": right,
        "right_share": _share(right, errors),
        "precision": _share(right, right + worth["wrong"]),
        "by_synthesiser": _by_synthesiser(directions),
        "drafts": [draft for direction in directions for draft in _drafts(direction)],
        "directions": [
            {
                "name": direction.name,
                "problems": dict(sorted(direction.problems.items())),
                "candidates": direction.candidates,
                "drafts": len(direction.strategies),
                "errors": direction.tally.errors,
                **_counts_of(direction.tally.worth),
            }
            for direction in directions
        ],
        "not_right": [row for direction in directions for row in _not_right(direction)][:SHOWN_FIRINGS],
    }


def _counts_of(worth: Counter[str]) -> dict[str, int]:
    fired = sum(worth[word] for word in WORDS if word not in {"hinted", "retried"})
    return {"fired": fired, **{word: worth[word] for word in WORDS}}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _by_synthesiser(directions: Sequence[Direction]) -> dict[str, dict[str, int]]:
    """Where several rules made one rewrite together, each counts."""
    counts: dict[str, Counter[str]] = {}
    for direction in directions:
        for strategy in direction.strategies:
            found = counts.setdefault(strategy.synthesiser, Counter())
            found["drafts"] += 1
            found.update(direction.tally.by_rule[strategy.strategy_id])
    return {name: {"drafts": found["drafts"], **_counts_of(found)} for name, found in sorted(counts.items())}


def _drafts(direction: Direction) -> Iterator[dict[str, object]]:
    for strategy in direction.strategies:
        evidence = strategy.evidence
        yield {
            "direction": direction.name,
            "strategy": strategy.strategy_id,
            "synthesiser": strategy.synthesiser,
            "scope": strategy.rule.scope.model_dump(),
            "rule": in_words(strategy.rule),
            "root_cause": strategy.rule.root_cause,
            "support": evidence.support,
            "tasks": evidence.tasks,
            "references": evidence.references,
            "flags": list(evidence.flags),
            "held_out": _counts_of(direction.tally.by_rule[strategy.strategy_id]),
        }


def _not_right(direction: Direction) -> Iterator[dict[str, object]]:
    """The firings that a person would want to look at."""
    for firing in direction.tally.firings:
        if firing.worth in {"wrong", "harmed", "unproven"}:
            yield {
                "direction": direction.name,
                "strategies": list(firing.rules),
                "run_id": firing.run_id,
                "call": firing.place,
                "worth": firing.worth,
                "why": firing.why,
            }
