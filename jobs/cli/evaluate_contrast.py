"""`errata evaluate contrast`: are the differences that contrast names true ones?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console

from attribution.encoders.port import Encoder
from attribution.encoders.registry import make_encoder
from attribution.vectors import one_for_all
from ingest.contrast.intents import Encode
from jobs.cli.output import count, show
from jobs.cli.session import JsonOption, loaded
from jobs.cli.tables import print_table
from jobs.evaluation.contrast import evaluate, judged
from jobs.evaluation.right_answers import answered_runs


def contrast(
    files: Annotated[
        list[Path], typer.Argument(help="tau-bench and tau2-bench files; .gz too.", metavar="FILE…")
    ],
    as_json: JsonOption = False,
) -> None:
    """Compare silent failures with successful runs, and judge what is named by the files' hidden right answers.

    All files are one project. The right answers are read by this command alone.
    """
    settings = loaded()
    encoders = tuple(make_encoder(name, device=settings.device) for name in settings.encoders)
    runs = [one for path in files for one in judged(path.name, answered_runs(path))]
    document = evaluate(runs, _remembering(encoders))
    show(as_json, document, lambda console: _print(console, document))


def _remembering(encoders: Sequence[Encoder]) -> Encode:
    """Encodes each text once."""
    encoder = one_for_all(encoders)
    known: dict[str, NDArray[np.float32]] = {}

    def encode(texts: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        if encoder is None:
            return {}
        new = sorted({text for text in texts if text and text not in known and encoder.reads(text)})
        known.update(zip(new, encoder.encode(new), strict=True) if new else ())
        return {text: known[text] for text in texts if text in known}

    return encode


def _print(console: Console, document: Mapping[str, Any]) -> None:
    console.print(
        f"{count(document['runs'], 'run')}, {document['failed']:,} failed, {document['silent']:,} of them silently"
    )
    for title, key in (
        ("with runs of the same task", "same_task"),
        ("with other tasks' runs alone", "other_tasks"),
    ):
        part = document[key]
        rows = [(name, *_row(found)) for name, found in part["files"].items()]
        console.print(f"\n{title}", style="bold")
        print_table(
            console,
            ("file", "#runs", "#named", "share", "#differences", "true"),
            [*rows, ("all", *_row(part))],
        )
        codes = [(code, found["named"], found["true"]) for code, found in part["by_code"].items()]
        if codes:
            print_table(console, ("code", "#named", "#true"), codes)


def _row(found: Mapping[str, Any]) -> tuple[object, ...]:
    return (
        found["runs"],
        found["named"],
        _percent(found["named_share"]),
        found["differences"],
        _percent(found["true_share"]),
    )


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"
