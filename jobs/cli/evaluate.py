"""`errata evaluate`: what the levels are worth, on labelled runs or on runs that they did not see."""

from __future__ import annotations

import typer

from jobs.cli.evaluate_attribution import attribution
from jobs.cli.evaluate_contrast import contrast
from jobs.cli.evaluate_decisive import decisive
from jobs.cli.evaluate_repair import repair

app = typer.Typer(help="Measure what Errata is worth, on labelled or held-out runs.", no_args_is_help=True)
app.command("attribution")(attribution)
app.command("contrast")(contrast)
app.command("repair")(repair)
app.command("decisive")(decisive)
