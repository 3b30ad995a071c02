"""How the effect of a strategy looks on a terminal."""

from __future__ import annotations

from rich.console import Console

from jobs.cli.output import count
from jobs.cli.tables import cell, facts, print_table
from knowledge.effects import Comparison, Effect, Rate

MEASURES = {
    "recurrence": "its cause came back in its scope",
    "scope_failures": "something failed in its scope",
    "unsuccessful": "the run did not succeed",
}
CONTROLS = {
    "holdout": "runs that did not get it, at the same time",
    "before": "runs before it went live: whatever else changed since is in this too",
    "none": "too few runs to compare",
}


def print_effect(console: Console, effect: Effect) -> None:
    """Both arms with their intervals, and the alarms."""
    console.print(facts(_facts(effect)))
    rows = [
        (words, _share(found.treated), _share(found.control), _difference(found), _change(found))
        for name, words in MEASURES.items()
        if (found := getattr(effect, name)) is not None
    ]
    if rows:
        console.print()
        print_table(console, ("runs in which", "with the rule", "without", "difference", "change"), rows)
    for alarm in effect.alarms:
        told = f" → {alarm.proposal}?" if alarm.proposal else ""
        console.print(cell(f"{alarm.kind.replace('_', ' ')}{told}: {alarm.text}", "bold red"))


def _facts(effect: Effect) -> list[tuple[str, object]]:
    uncounted = (
        f"{count(effect.uncounted, 'run')} that do not say they had the rule" if effect.uncounted else None
    )
    return [
        ("strategy", effect.strategy_id),
        ("measured", f"{effect.at:%Y-%m-%d %H:%M} UTC, live since {effect.since:%Y-%m-%d %H:%M}"),
        ("runs", f"{effect.treated_group.runs:,} with the rule, {effect.control_group.runs:,} without"),
        ("compared with", CONTROLS[effect.control]),
        ("fired", f"{count(effect.fired, 'time')} in {count(effect.fired_runs, 'run')}"),
        ("would have touched", _spared(effect)),
        ("not counted", uncounted),
    ]


def _spared(effect: Effect) -> str | None:
    found = effect.spared
    return (
        None
        if found is None
        else f"{count(found.of, 'run')} without it, of which {found.count:,} went well in its scope"
    )


def _share(rate: Rate) -> str:
    return f"{rate.count:,} of {rate.of:,} ({rate.rate:.1%}, {rate.low:.1%} to {rate.high:.1%})"


def _difference(found: Comparison) -> str:
    return f"{found.difference:+.1%} ({found.difference_low:+.1%} to {found.difference_high:+.1%})"


def _change(found: Comparison) -> str:
    if found.change is None or found.change_low is None or found.change_high is None:
        return "–"
    return f"{found.change:+.0%} ({found.change_low:+.0%} to {found.change_high:+.0%})"
