"""Deciding on a call with 10,000 rules, against a bare RE2 set over the same patterns and texts, in one run."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from datetime import date
from time import perf_counter_ns

import re2

from errata_client.engine import Engine
from errata_client.rule import Rewrite as RewriteAction
from errata_client.rule import Rule, Scope, Trigger
from errata_client.view import CallView

RULES = 10_000
CALLS = 20_000
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


def nanoseconds(work: Callable[..., object], asked: Sequence[tuple[object, ...]]) -> list[int]:
    """The time of each of CALLS calls of `work` with the arguments `asked` in turn, sorted."""
    taken = []
    for number in range(CALLS):
        arguments = asked[number % len(asked)]
        start = perf_counter_ns()
        work(*arguments)
        taken.append(perf_counter_ns() - start)
    return sorted(taken)


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
    asked: list[tuple[object, ...]] = [
        (CallView(run_id="r", step_id="fetch_order", tool="get_order", arguments={"order_id": value}), TODAY)
        for value in values
    ]
    bare_asked: list[tuple[object, ...]] = [(value,) for value in values]
    nanoseconds(floor, bare_asked)
    nanoseconds(engine.decide, asked)
    gc.collect()
    bare, ours = nanoseconds(floor, bare_asked), nanoseconds(engine.decide, asked)
    hit = engine.decide(
        CallView(run_id="r", step_id="fetch_order", tool="get_order", arguments={"order_id": "0123456"}),
        TODAY,
    )
    assert hit.outcome == "rewrite"
    for name, share in (("p50", 0.50), ("p99", 0.99)):
        at = int(CALLS * share)
        print(
            f"decide {RULES} rules {name}: {ours[at] / 1000:.2f} µs, bare RE2 set {bare[at] / 1000:.2f} µs, "
            f"ratio {ours[at] / bare[at]:.2f}"
        )


if __name__ == "__main__":
    main()
