"""`errata evaluate decisive`: is the decisive step the one that people named?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from jobs.cli.output import count, show
from jobs.cli.session import JsonOption, loaded
from jobs.cli.tables import print_table
from jobs.evaluation.decisive import PUBLISHED, evaluate
from jobs.evaluation.labelled_steps import labelled_runs


def decisive(
    files: Annotated[
        list[Path],
        typer.Argument(help="Labelled chats; tau-bench files and the labels of their runs.", metavar="FILE…"),
    ],
    as_json: JsonOption = False,
) -> None:
    """Find the decisive step of labelled failed runs, and say how often it is the labelled one.

    The labels are read by this command alone; no rule sees them, nor the right answer.
    """
    loaded()
    document = evaluate(labelled_runs(files))
    show(as_json, document, lambda console: _print(console, document))


def _print(console: Console, document: Mapping[str, Any]) -> None:
    files = document["files"]
    for name, found in files.items():
        _print_figures(console, name, found)
    if len(files) > len(document["together"]):
        for name, found in document["together"].items():
            _print_figures(console, f"all {name}", found)
    for name, figures in PUBLISHED.items():
        assert isinstance(figures, dict)
        told = ", ".join(f"{label.replace('_', ' ')} {share:.1%}" for label, share in figures.items())
        console.print(f"\npublished for {name.replace('_', ' ')}: {told}", style="dim")


def _print_figures(console: Console, name: str, found: Mapping[str, Any]) -> None:
    console.print(f"\n{name}: {count(found['runs'], 'labelled run')}", style="bold")
    constants = (found["best_constant"], found["best_constant_from_the_end"])
    rows = [
        ("rules", found["rules"]),
        *((f"rules, half {number}", half) for number, half in enumerate(found["halves"], 1)),
        *((f"best constant: {part['guess']}", part) for part in constants),
    ]
    shown = [(label, part["runs"], *_shares(part)) for label, part in rows]
    chance = ("random guess", found["runs"], f"{found['random_guess']['exact']:.1%}", "")
    print_table(console, ("", "#runs", "#exact", "#within one"), [*shown, chance])
    for title, key in (("rule", "by_rule"), ("what people say went wrong", "by_kind")):
        parts = [(label, part["runs"], *_shares(part)) for label, part in found[key].items()]
        print_table(console, (title, "#runs", "#exact", "#within one"), parts)
    apart = [
        (rule, ", ".join(f"{told} {number}" for told, number in off.items()))
        for rule, off in found["confusion"].items()
    ]
    print_table(console, ("rule", "~where the label stood"), apart)


def _shares(part: Mapping[str, Any]) -> tuple[str, str]:
    return (
        f"{part['exact']} ({part['exact_share']:.1%})",
        f"{part['within_one']} ({part['within_one_share']:.1%})",
    )
