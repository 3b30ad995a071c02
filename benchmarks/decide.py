"""Deciding on a call with 10,000 rules, against a bare RE2 set over the same patterns and texts, in one run."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from datetime import date
from time import perf_counter_ns
from typing import Any, TypeAlias

import re2

from errata_client.engine import Engine
from errata_client.rule import Rewrite as RewriteAction
from errata_client.rule import Rule, Scope, Trigger
from errata_client.view import CallView

RULES = 10_000
CALLS = 20_000
Work: TypeAlias = Callable[..., Any]
Asked: TypeAlias = Sequence[tuple[Any, ...]]
TODAY = date(2026, 1, 1)


def rules() -> list[Rule]:
    """All of one scope and field, which is the hardest case: one set of 10,000 patterns."""
    return [
        Rule(
            id=f"ST-{number:05d}",
            revision=1,
            root_cause="RC-001",
            scope=Scope(step_id="fetch_order", tool="get_order"),
            trigger=Trigger(field="args.order_id", pattern=rf"^#?W?({number:05d}\d{{2}})$"),
            action=RewriteAction(field="args.order_id", template="#W{1}"),
            mode="active",
            valid_until=date(2099, 1, 1),
        )
        for number in range(RULES)
    ]


def texts() -> list[str]:
    """Values that no rule is about, as nearly every call's are; a few hundred different ones."""
    return [f"#W{9_000_000 + number}" if number % 2 else f"user_{number}" for number in range(400)]


def nanoseconds(works: Sequence[tuple[Work, Asked]]) -> list[list[int]]:
    """For each work the sorted times of its calls. The works take turns, so a busy machine slows all alike."""
    taken: list[list[int]] = [[] for _ in works]
    for number in range(CALLS):
        for (work, asked), times in zip(works, taken, strict=True):
            arguments = asked[number % len(asked)]
            start = perf_counter_ns()
            work(*arguments)
            times.append(perf_counter_ns() - start)
    return [sorted(times) for times in taken]


def bare_set(of: Sequence[Rule]) -> Callable[[str], object]:
    """The floor: the patterns in an RE2 set, and nothing else."""
    options = re2.Options()
    options.max_mem = 1 << 30
    options.log_errors = False
    found = re2.Set.SearchSet(options)
    for rule in of:
        found.Add(rule.trigger.pattern)
    found.Compile()
    match: Callable[[str], object] = found.Match
    return match


def main() -> None:
    """Print p50 and p99 of a decision, and their ratio to the bare set's."""
    made = rules()
    engine, floor, values = Engine(made), bare_set(made), texts()
    works: list[tuple[Work, Asked]] = [
        (floor, [(value,) for value in values]),
        (engine.decide, [asked(value) for value in values]),
    ]
    firing: list[tuple[Work, Asked]] = [
        (engine.decide, [asked(f"{number:05d}56") for number in range(0, RULES, 25)])
    ]
    assert engine.decide(*firing[0][1][0]).outcome == "rewrite"
    for warm_up in (works, firing):
        nanoseconds(warm_up)
    gc.collect()
    (bare, passing), (rewriting,) = nanoseconds(works), nanoseconds(firing)
    for name, share in (("p50", 0.50), ("p99", 0.99)):
        at = int(CALLS * share)
        print(
            f"decide {RULES} rules {name}: {passing[at] / 1000:.2f} µs, bare RE2 set {bare[at] / 1000:.2f} µs, "
            f"ratio {passing[at] / bare[at]:.2f}; where a rewrite fires {rewriting[at] / 1000:.2f} µs"
        )


def asked(value: str) -> tuple[CallView, date]:
    """What the engine is asked about a call with this value."""
    view = CallView(run_id="r", step_id="fetch_order", tool="get_order", arguments={"order_id": value})
    return view, TODAY


if __name__ == "__main__":
    main()
