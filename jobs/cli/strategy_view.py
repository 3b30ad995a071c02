"""How strategies look on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

import orjson
from rich.console import Console
from rich.text import Text

from jobs.cli.output import clean, count
from jobs.cli.rule_text import in_words
from jobs.cli.tables import cell, facts, print_table
from knowledge.strategies import BeforeAfter, Evidence, Strategy

ROWS_SHOWN = 12
STATE_STYLES = {
    "in_review": "bold yellow",
    "active": "green",
    "shadow": "cyan",
    "expiring": "yellow",
    "rejected": "dim",
    "retired": "dim",
    "rolled_back": "red",
}
JUDGEMENT_STYLES = {"right": "green", "wrong": "yellow", "harmed": "bold red", "untouched": "dim"}


def print_list(console: Console, strategies: Sequence[Strategy]) -> None:
    """One line each."""
    if not strategies:
        console.print("No strategy like that.")
        return
    print_table(
        console,
        ("id", "state", "step, tool", "cause", "evidence", "valid until", "~rule"),
        map(_row, strategies),
    )
    waiting = sum(strategy.state == "in_review" for strategy in strategies)
    if waiting:
        console.print(
            f"{waiting} to review: errata strategies show ID, then approve or reject ID --reason …",
            style="dim",
        )


def print_one(console: Console, strategy: Strategy, *, brief: bool = False) -> None:
    """The rule, its evidence, before and after, and its history; `brief` stops after the rule and the last change."""
    rule, last = strategy.rule, strategy.history[-1] if strategy.history else None
    state = Text(strategy.state, STATE_STYLES.get(strategy.state, ""))
    console.print(
        Text.assemble(
            (strategy.strategy_id, "bold"), "  ", state, f"  {rule.scope.tool} at {rule.scope.step_id}"
        )
    )
    console.print(cell(in_words(rule)))
    if brief:
        if last is not None:
            revision = f", bundle revision {last.revision}" if last.revision is not None else ""
            console.print(cell(f"{last.actor}: {last.reason}{revision}", "dim"))
        return
    console.print()
    console.print(facts(_facts(strategy)))
    _print_rows(console, strategy.evidence.rows)
    console.print()
    moves = [
        (m.at, m.actor, f"{m.source or 'new'} → {m.target}", m.revision, m.reason) for m in strategy.history
    ]
    print_table(console, ("when (UTC)", "who", "what", "#revision", "~why"), moves)


def evidence_told(evidence: Evidence) -> str:
    """`28 of 30 right, 0 of 94 harmed`."""
    return f"{evidence.right} of {evidence.fired} right, {evidence.harmed} of {evidence.references} harmed"


def _row(strategy: Strategy) -> tuple[object, ...]:
    rule = strategy.rule
    where = (
        rule.scope.tool
        if rule.scope.tool == rule.scope.step_id
        else f"{rule.scope.tool} at {rule.scope.step_id}"
    )
    return (
        strategy.strategy_id,
        Text(strategy.state, STATE_STYLES.get(strategy.state, "")),
        where,
        rule.root_cause,
        evidence_told(strategy.evidence),
        rule.valid_until.isoformat(),
        in_words(rule)[:200],
    )


def _facts(strategy: Strategy) -> list[tuple[str, object]]:
    rule, evidence = strategy.rule, strategy.evidence
    held_out = f"{evidence.held_out_right} of {evidence.held_out_fired} right on {evidence.held_out} from tasks it never saw"
    return [
        ("cause", rule.root_cause),
        ("mode", f"{rule.mode}, {rule.share:.0%} of runs, until {rule.valid_until.isoformat()}"),
        ("support", f"{count(evidence.support, 'case')} from {count(evidence.tasks, 'task')}"),
        ("fired", f"{evidence.fired}: {evidence.right} right, {evidence.wrong} wrong{_precision(evidence)}"),
        ("harmed", f"{evidence.harmed} of {count(evidence.references, 'successful call')}"),
        ("held out", held_out if evidence.held_out else None),
        ("beware", ", ".join(flag.replace("_", " ") for flag in evidence.flags)),
        ("made by", strategy.synthesiser),
        ("because", evidence.explanation),
    ]


def _precision(evidence: Evidence) -> str:
    return f" (precision {evidence.precision:.3f})" if evidence.precision is not None else ""


def _print_rows(console: Console, rows: Sequence[BeforeAfter]) -> None:
    if not rows:
        return
    shown = [
        (
            Text(row.judgement, JUDGEMENT_STYLES[row.judgement]),
            row.source.replace("_", " "),
            _before(row),
            _after(row),
            row.why,
        )
        for row in rows[:ROWS_SHOWN]
    ]
    console.print()
    print_table(console, ("", "from", "~before", "~after", "~why"), shown)
    if len(rows) > ROWS_SHOWN:
        console.print(f"… and {len(rows) - ROWS_SHOWN} more; --json shows them all", style="dim")


def _before(row: BeforeAfter) -> str:
    """What the rule changes, where it changes arguments; else the whole call."""
    told = _arguments(
        {k: v for k, v in row.before.items() if row.after is None or row.after.get(k) != v} or row.before
    )
    return f"{told} → {clean(row.error)}" if row.error else told


def _after(row: BeforeAfter) -> str:
    if row.after is not None and row.after != row.before:
        changed = {name: value for name, value in row.after.items() if row.before.get(name) != value}
        return _arguments(changed or row.after)
    return f"{row.outcome}: {row.text}" if row.text else row.outcome


def _arguments(arguments: object) -> str:
    return orjson.dumps(arguments).decode()
