"""`errata evaluate`: what the levels are worth on runs whose right answers are known."""

from __future__ import annotations

import typer

from jobs.cli.evaluate_contrast import contrast

app = typer.Typer(help="Measure on labelled runs what Errata is worth.", no_args_is_help=True)
app.command("contrast")(contrast)
