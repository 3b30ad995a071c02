"""How strategies look on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import orjson
from rich.console import Console
from rich.text import Text

from errata_client.rule import Rule
from jobs.cli.output import clean, count, shortened
from jobs.cli.tables import cell, facts, print_table
from knowledge.strategies import BeforeAfter, Evidence, Strategy
from strategies.conflicts import Conflict
from strategies.reach import reach_in_words
from strategies.rule_words import in_words

ROWS_SHOWN = 12
CELL = 240
RULE = 160
"""Characters of a rule in words that a list shows; `show` has them all."""
STATE_STYLES = {
    "in_review": "bold yellow",
    "active": "green",
    "shadow": "cyan",
    "expiring": "yellow",
    "rejected": "dim",
    "retired": "dim",
    "rolled_back": "red",
}
CONFLICT_STYLES = {"refused": "bold red", "acknowledge": "yellow", "note": "dim"}
CONFLICT_TOLD = {"refused": "cannot go live", "acknowledge": "to acknowledge", "note": "beside it"}
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


def print_one(
    console: Console, strategy: Strategy, conflicts: Sequence[Conflict] = (), *, brief: bool = False
) -> None:
    """The rule, its evidence, before and after, and its history; `brief` stops after the rule and the last change."""
    rule, last = strategy.rule, strategy.history[-1] if strategy.history else None
    state = Text(strategy.state, STATE_STYLES.get(strategy.state, ""))
    console.print(Text.assemble((strategy.strategy_id, "bold"), "  ", state, f"  {_where(rule)}"))
    console.print(cell(in_words(rule)))
    if brief:
        if last is not None:
            revision = f", bundle revision {last.revision}" if last.revision is not None else ""
            console.print(cell(f"{last.actor}: {last.reason}{revision}", "dim"))
        return
    console.print()
    console.print(facts(_facts(strategy)))
    _print_conflicts(console, conflicts)
    _print_rows(console, rule, strategy.evidence.rows)
    console.print()
    moves = [
        (m.at, m.actor, f"{m.source or 'new'} → {m.target}", m.revision, m.reason) for m in strategy.history
    ]
    print_table(console, ("when (UTC)", "who", "what", "#revision", "~why"), moves)


def print_exported(console: Console, told: Sequence[Mapping[str, object]]) -> None:
    """What was written as regression tests, and how to run it."""
    if not told:
        console.print("No strategy is live: nothing to test.")
        return
    print_table(console, ("id", "#cases", "~file"), [(one["id"], one["cases"], one["file"]) for one in told])
    console.print("Run them with pytest where errata-client is installed.", style="dim")


def evidence_told(evidence: Evidence) -> str:
    """`28 right, 1 wrong, 0 of 94 harmed`."""
    return f"{judged_told(evidence)}, {evidence.harmed:,} of {evidence.references:,} harmed"


def judged_told(evidence: Evidence) -> str:
    """What became of the failures it fired on; `unproven` ones are those of which the run does not tell."""
    unproven = f", {evidence.unproven:,} unproven" if evidence.unproven else ""
    return f"{evidence.right:,} right, {evidence.wrong:,} wrong{unproven}"


def _where(rule: Rule) -> str:
    """The tool, and the step where that is not called as the tool is."""
    scope = rule.scope
    return scope.tool if scope.tool == scope.step_id else f"{scope.tool} at {scope.step_id}"


def _row(strategy: Strategy) -> tuple[object, ...]:
    rule = strategy.rule
    return (
        strategy.strategy_id,
        Text(strategy.state, STATE_STYLES.get(strategy.state, "")),
        _where(rule),
        rule.root_cause,
        evidence_told(strategy.evidence),
        rule.valid_until.isoformat(),
        shortened(in_words(rule), RULE),
    )


def _facts(strategy: Strategy) -> list[tuple[str, object]]:
    rule, evidence = strategy.rule, strategy.evidence
    held_out = f"{evidence.held_out_right} of {evidence.held_out_fired} right on {evidence.held_out} from tasks it never saw"
    return [
        ("cause", rule.root_cause),
        ("mode", f"{rule.mode}, {rule.share:.0%} of runs, until {rule.valid_until.isoformat()}"),
        ("support", f"{count(evidence.support, 'case')} from {count(evidence.tasks, 'task')}"),
        ("fired on", f"{count(evidence.fired, 'failure')}: {judged_told(evidence)}{_precision(evidence)}"),
        ("harmed", f"{evidence.harmed} of {count(evidence.references, 'successful call')}"),
        ("would touch", reach_in_words(evidence.reach) if evidence.reach else None),
        ("held out", held_out if evidence.held_out else None),
        ("beware", ", ".join(flag.replace("_", " ") for flag in evidence.flags)),
        ("turned down", "; ".join(one.in_words() for one in evidence.resembles) or None),
        ("made by", strategy.synthesiser),
        ("because", evidence.explanation),
    ]


def _print_conflicts(console: Console, conflicts: Sequence[Conflict]) -> None:
    if not conflicts:
        return
    shown = [
        (
            Text(CONFLICT_TOLD[one.grade], CONFLICT_STYLES[one.grade]),
            one.words,
            f"{'' if one.recorded else 'made up: '}{orjson.dumps(one.call).decode()}"[:CELL],
            one.acknowledge if one.grade == "acknowledge" else "",
        )
        for one in conflicts
    ]
    console.print()
    print_table(console, ("conflict", "~what", "~call", "acknowledge as"), shown)


def _precision(evidence: Evidence) -> str:
    return f" (precision {evidence.precision:.3f})" if evidence.precision is not None else ""


def _print_rows(console: Console, rule: Rule, rows: Sequence[BeforeAfter]) -> None:
    if not rows:
        return
    shown = [
        (
            Text(row.judgement, JUDGEMENT_STYLES.get(row.judgement, "")),
            row.source.replace("_", " "),
            shortened(_before(rule, row), CELL),
            shortened(_after(rule, row), CELL),
            row.why,
        )
        for row in rows[:ROWS_SHOWN]
    ]
    console.print()
    print_table(console, ("", "from", "~before", "~after", "~why"), shown)
    if len(rows) > ROWS_SHOWN:
        console.print(f"… and {len(rows) - ROWS_SHOWN} more; --json shows them all", style="dim")


def _before(rule: Rule, row: BeforeAfter) -> str:
    """The arguments that the rule changes, or else those that it looks at; and how the call ended."""
    names = _changed(row) or _looked_at(rule) & set(row.before) or set(row.before)
    told = _arguments(row.before, names)
    return f"{told} → {clean(row.error)}" if row.error else told


def _after(rule: Rule, row: BeforeAfter) -> str:
    if row.after is not None and _changed(row):
        return _arguments(row.after, _changed(row))
    said_above = row.text is None or row.text in in_words(rule)
    return row.outcome if said_above else f"{row.outcome}: {row.text}"


def _changed(row: BeforeAfter) -> set[str]:
    after = row.before if row.after is None else row.after
    return {name for name in (*row.before, *after) if row.before.get(name) != after.get(name)}


def _looked_at(rule: Rule) -> set[str]:
    """The top-level arguments that the trigger names."""
    asked = [rule.trigger, *rule.trigger.conditions]
    fields = [getattr(one, name, "") for one in asked for name in ("field", "left", "right")]
    return {field.removeprefix("args.").partition("/")[0] for field in fields if field.startswith("args.")}


def _arguments(arguments: Mapping[str, object], names: set[str]) -> str:
    """These arguments as JSON; an ellipsis stands for the others."""
    kept = {name: value for name, value in arguments.items() if name in names}
    return orjson.dumps(kept).decode() + (" …" if len(kept) < len(arguments) else "")
