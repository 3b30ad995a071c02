"""Progress on stderr: bars on a terminal, a line per stage of a night everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from jobs.cli.output import clean, error_console
from knowledge.nights import StageRecord
from knowledge.stage import Progress as Moved

MARKS = {"done": ("✓", "green"), "failed": ("✗", "red"), "skipped": ("–", "yellow"), "running": (" ", "")}


def _bars() -> Progress:
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=error_console(),
        transient=True,
        disable=not error_console().is_terminal,
    )


@contextmanager
def progress_bar(what: str) -> Iterator[Moved]:
    """A bar that goes away again; give what it yields to a shift."""
    with _bars() as bars:
        task = bars.add_task(clean(what), total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


class NightBars:
    """Watches a night: a bar for the stage that runs, a line for each that ended. Quiet where asked to be."""

    def __init__(self, project: str) -> None:
        self._project = project
        self._bars = _bars()
        self._task = self._bars.add_task("", total=None, visible=False)

    def __enter__(self) -> NightBars:
        self._bars.console.print(f"Night of [bold]{self._project}[/]")
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def began(self, stage: str, position: int, stages: int) -> None:
        """Show the stage's bar."""
        self._bars.reset(self._task, total=None, visible=True, description=f"{position:>2}/{stages} {stage}")

    def moved(self, done: int, total: int | None) -> None:
        """Move the bar."""
        self._bars.update(self._task, completed=done, total=total)

    def ended(self, record: StageRecord) -> None:
        """Leave a line that says what the stage did."""
        self._bars.update(self._task, visible=False)
        told = clean(record.error or counts_told(record.counts))
        head = Text.assemble(" ", MARKS[record.status], f" {record.stage:<11}{_seconds(record):>7}")
        line = Table.grid(padding=(0, 2, 0, 0))
        line.add_column(no_wrap=True)
        line.add_column(overflow="fold")
        line.add_row(head, Text(told))
        for reason, times in reasons(record).items():
            again = f" ({times:,} times)" if times > 1 else ""
            line.add_row("", Text(f"not looked at: {clean(reason)}{again}", "dim"))
        self._bars.console.print(line)


def counts_told(counts: dict[str, int]) -> str:
    """`12 problems, 3 matched`; what is zero is left out, and where all is, there was nothing to do."""
    some = {name: number for name, number in counts.items() if number}
    return (
        "nothing to do"
        if not some
        else ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in some.items())
    )


def reasons(record: StageRecord) -> dict[str, int]:
    """How many things the stage did not look at, by reason."""
    told: dict[str, int] = {}
    for item in record.skipped:
        reason = str(item.get("reason", "no reason given"))
        told[reason] = told.get(reason, 0) + 1
    return told


def _seconds(record: StageRecord) -> str:
    if record.ended_at is None:
        return ""
    return f"{(record.ended_at - record.started_at).total_seconds():.1f} s"
