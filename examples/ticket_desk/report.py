"""The story, told on a page: what was counted, what was drafted, what changed, where to look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from errata_client.jsontext import as_text
from errata_client.model import JsonValue
from errata_client.rule import Rule
from examples.ticket_desk.mistakes import MISTAKES
from examples.ticket_desk.office import PROJECT
from examples.ticket_desk.story import Story
from examples.ticket_desk.tally import ended_well, mistakes_of
from knowledge.strategies import BeforeAfter, Evidence, Strategy

SHOWN_DRAFTS = 14
WIDTH = 110
SHORT = 76


def tell(console: Console, story: Story, seconds: float) -> None:
    """Print it all."""
    console.print(Group(*_page(story, seconds)))


def _page(story: Story, seconds: float) -> Iterable[RenderableType]:
    yield Text()
    yield from _week_one(story)
    yield Text()
    yield from _drafts(story)
    yield Text()
    yield _groups(story)
    yield from _came_back(story)
    yield Text()
    yield from _where(story, seconds)


def _week_one(story: Story) -> Iterable[RenderableType]:
    report, night = story.ingested, story.night
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in night.attributed.items())
    yield _line("Week 1", f"{len(story.first)} runs without rules, {ended_well(story.first)} ended well")
    yield _line(
        "Ingested",
        f"{report.calls} calls: {report.cases} failure cases in {report.problems} problems, "
        f"{report.reference_calls} successful calls kept",
    )
    yield _line("Night", f"{night.status}: {verdicts}; {night.drafted} drafts passed the gate")
    for record in night.stages:
        if record.status != "done":
            yield _line("", f"stage {record.stage} {record.status}: {record.error}", "red")


def _drafts(story: Story) -> Iterable[RenderableType]:
    review, names = story.review, story.recurrence.names
    title = f"{len(review.drafts)} drafts, {len(review.approved)} approved → bundle revision {story.revision}"
    yield Text(title, style="bold")
    for draft in review.drafts[:SHOWN_DRAFTS]:
        strategy = draft.strategy
        fired = story.decisions.get(strategy.strategy_id, 0)
        yield _headline(strategy, names.get(strategy.rule.root_cause, strategy.rule.root_cause), fired)
        yield _row(strategy)
    if len(review.drafts) > SHOWN_DRAFTS:
        yield Text(f"  … and {len(review.drafts) - SHOWN_DRAFTS} more", style="dim")
    for refused in review.refused:
        yield Text(f"  not approved: {refused}", style="yellow")


def _headline(strategy: Strategy, cause: str, fired: int) -> Text:
    rule, evidence = strategy.rule, strategy.evidence
    told = Text("  ")
    told.append(strategy.strategy_id, "cyan")
    told.append(f"  {rule.action.kind:<12} {rule.scope.tool}: {cause}")
    told.append(f"  ({_evidence(evidence)}; fired {fired}×)", "dim")
    return told


def _evidence(evidence: Evidence) -> str:
    flags = f", {', '.join(flag.replace('_', ' ') for flag in evidence.flags)}" if evidence.flags else ""
    return f"support {evidence.support}, harmed {evidence.harmed} of {evidence.references}{flags}"


def _row(strategy: Strategy) -> Text:
    """One before → after row: a call that failed, and what the rule makes of it."""
    rows = strategy.evidence.rows
    row = next((row for row in rows if row.judgement == "right"), rows[0] if rows else None)
    if row is None:
        return Text("           no row", style="dim")
    told = Text("           ")
    told.append(_short(_changed_part(row.before, row.after)), "red")
    told.append(" → ")
    told.append(_short(_after(strategy.rule, row)), "green")
    return told


def _after(rule: Rule, row: BeforeAfter) -> str:
    if row.text:
        return row.text
    if row.after is not None and row.after != row.before:
        return _changed_part(row.after, row.before)
    return f"{row.outcome} ({rule.action.kind})"


def _changed_part(arguments: Mapping[str, JsonValue], other: Mapping[str, JsonValue] | None) -> str:
    """The arguments that differ; all of them where none does or there is nothing to compare with."""
    differing = {k: v for k, v in arguments.items() if other is not None and other.get(k) != v}
    shown = differing or arguments
    return ", ".join(f"{name}={as_text(value)}" for name, value in shown.items()) or "(no arguments)"


def _groups(story: Story) -> Table:
    """Failures by kind in both groups of the second week."""
    control, treated = mistakes_of(story.control), mistakes_of(story.treated)
    made = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, title_justify="left", title_style="bold"
    )
    made.title = f"Week 2: the same {len(story.control)} tasks, the same agent"
    made.add_column("failures", min_width=22)
    for name in ("without rules", "with rules", "change"):
        made.add_column(name, justify="right", min_width=14)
    for mistake in sorted({*MISTAKES, *control, *treated}):
        made.add_row(mistake, *_compared(control[mistake], treated[mistake]))
    made.add_section()
    made.add_row("all failures", *_compared(control.total(), treated.total()), style="bold")
    made.add_row("runs that ended well", *_compared(ended_well(story.control), ended_well(story.treated)))
    return made


def _compared(before: int, after: int) -> tuple[str, str, str]:
    return str(before), str(after), f"{after / before - 1:+.0%}" if before else "–"


def _came_back(story: Story) -> Iterable[RenderableType]:
    found = story.recurrence
    if found.change is None:
        yield _line("Recurrence", "no rule was approved, or no cause of one came back without it")
        return
    yield _line(
        "Recurrence",
        f"the causes that now have a rule: {found.control.total()} runs without rules, "
        f"{found.treated.total()} with rules ({found.change:+.0%}), by the service's own cases",
    )
    left = Counter({found.names.get(cause, cause): n for (cause, _, _), n in found.treated.items()})
    if left:
        yield _line(
            "", "still there: " + ", ".join(f"{name} ({n})" for name, n in left.most_common(4)), "dim"
        )


def _where(story: Story, seconds: float) -> Iterable[RenderableType]:
    folder = story.plan.folder
    yield _line("Look", f"{folder}/errata.db (SQLite), {folder}/runs/*.jsonl (the runs, native format)")
    at = f"ERRATA_DATA_DIR={folder} .venv/bin/errata"
    for command in ("strategies list", "strategies show ST-0001", "problems list", "bundle"):
        yield Text(f"  {at} {command} --project {PROJECT}", style="cyan")
    yield Text(
        f"{seconds:.0f} s, seed {story.plan.seed}; every figure above was counted in this run.", style="dim"
    )


def _line(name: str, text: str, style: str = "") -> Text:
    told = Text(f"{name:<11}", style="bold")
    told.append(text, style or "not bold")
    return told


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= SHORT else f"{one_line[: SHORT - 1]}…"
