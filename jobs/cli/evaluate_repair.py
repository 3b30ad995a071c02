"""`errata evaluate repair`: drafts from one half of the tasks, held against the other half."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import httpx
import typer
from pydantic import SecretStr
from rich.console import Console

from attribution.causes import check_text
from errata_client.run import Run
from ingest.adapters.port import NotAnalysed
from ingest.adapters.records import open_source
from ingest.adapters.registry import AUTO, adapter_named, recognise
from jobs.cli.output import count, show
from jobs.cli.progress import progress_bar
from jobs.cli.session import JsonOption
from jobs.cli.tables import facts, print_table
from jobs.files import read_text
from jobs.repair_evaluation import Plan, document, evaluate
from knowledge.causes import RootCause
from wiring.build import build
from wiring.logs import configure_logs
from wiring.replayers import make_replayer
from wiring.settings import Settings, load_settings

SECRET = "the throwaway store of an evaluation"  # noqa: S105 - nothing is kept under it: figures are repeatable
COLUMNS = ("drafts", "fired", "repaired", "stopped", "wrong", "unproven", "harmed", "hinted", "retried")


def repair(
    files: Annotated[
        list[Path], typer.Argument(help="Files of runs, of any known shape; .gz too.", metavar="RUNS…")
    ],
    split: Annotated[
        Literal["task", "run"], typer.Option("--split", help="What is never on both sides.")
    ] = "task",
    seed: Annotated[int, typer.Option("--seed", help="Another number halves them otherwise.")] = 0,
    causes: Annotated[
        Path | None,
        typer.Option("--causes", help="YAML with the root causes; the starter set's if not given."),
    ] = None,
    source: Annotated[
        str, typer.Option("--source", help="The files' shape; recognised if not given.")
    ] = AUTO,
    replayer: Annotated[
        str | None,
        typer.Option(
            "--replayer",
            help="Where rewritten calls are tried for real: module:function, or the address of an HTTP tool.",
        ),
    ] = None,
    safe_tools: Annotated[
        list[str] | None,
        typer.Option("--safe-tool", help="A tool that the replayer may call; may be given more than once."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Draft rules from one half of the tasks and hold them against the other half's recorded calls, and the reverse.

    Works in a store of its own that is thrown away; nothing of the project is read or changed.
    """
    if source != AUTO:
        adapter_named(source)
    with tempfile.TemporaryDirectory(prefix="errata-") as folder, httpx.Client() as http:
        plan = Plan(
            runs=lambda: _runs(files, source),
            split=split,
            seed=seed,
            causes=_causes(causes),
            replayer=make_replayer(replayer, safe_tools or (), http) if replayer else None,
        )
        found = _evaluated(_settings(Path(folder)), plan)
    show(as_json, found, lambda console: _print(console, found))


def _settings(folder: Path) -> Settings:
    """The settings, but for a data folder that is thrown away, and a fixed key."""
    thrown_away = {"data_dir": folder, "store_url": None, "secret": SecretStr(SECRET), "publish_folder": None}
    return load_settings().model_copy(update=thrown_away)


def _evaluated(settings: Settings, plan: Plan) -> dict[str, object]:
    configure_logs(settings.model_copy(update={"log_level": "warning"}))
    errata = build(settings)
    try:
        with progress_bar("evaluate repair") as moved:
            return document(plan, evaluate(errata, plan, moved))
    finally:
        errata.close()


def _causes(path: Path | None) -> Sequence[RootCause]:
    return check_text(read_text(path), str(path)) if path else ()


def _runs(files: Sequence[Path], source: str) -> Iterator[Run | NotAnalysed]:
    for path in files:
        opening = open_source(path)
        yield from recognise(opening, source).adapter.read(opening)


def _print(console: Console, found: dict[str, Any]) -> None:
    known = found["precision"]
    rows = [
        ("held out", f"{count(found['errors'], 'tool error')}, {found['successes']:,} calls that worked"),
        ("right", f"{found['right']:,} ({found['right_share'] or 0:.1%} of the errors)"),
        ("repaired", f"{found['repaired']:,}"),
        ("stopped", f"{found['stopped']:,}"),
        (
            "wrong",
            f"{found['wrong']:,}" + ("" if known is None else f" (right / (right + wrong): {known:.3f})"),
        ),
        ("unproven", f"{found['unproven']:,}"),
        ("harmed", f"{found['harmed']:,}"),
    ]
    console.print(facts(rows))
    console.print()
    table = [
        (name, *(f"{counts[column]:,}" for column in COLUMNS))
        for name, counts in found["by_synthesiser"].items()
    ]
    print_table(console, ("synthesiser", *(f"#{column}" for column in COLUMNS)), table, "no drafts")
    console.print()
    drafts = [
        (draft["strategy"], draft["scope"]["tool"], f"{draft['support']:,}", draft["rule"])
        for draft in found["drafts"]
    ]
    print_table(console, ("draft", "tool", "#support", "~rule"), drafts)
