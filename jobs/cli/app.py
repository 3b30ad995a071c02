"""The commands, noun by noun."""

from __future__ import annotations

import typer

from jobs.cli import (
    cause_review,
    encoders,
    evaluate,
    orders,
    problem_review,
    projects,
    publish,
    strategy_review,
    tokens,
    tools,
)
from jobs.cli.bundle import bundle
from jobs.cli.calibrate import calibrate
from jobs.cli.doctor import doctor
from jobs.cli.ingest import ingest
from jobs.cli.nightly import nightly
from jobs.cli.probe import probe
from jobs.cli.schema import schema
from jobs.cli.serve import serve
from jobs.cli.watch import watch

app = typer.Typer(
    name="errata",
    help="Turns the failures of LLM agents into reviewed rules that the agents apply at run time.",
    epilog="Settings are variables named ERRATA_…; `errata doctor` looks whether everything is in place.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

app.command("ingest")(ingest)
app.command("schema")(schema)
app.command("nightly")(nightly)
app.add_typer(problem_review.app, name="problems")
app.add_typer(cause_review.app, name="causes")
app.add_typer(orders.app, name="orders")
app.add_typer(strategy_review.app, name="strategies")
app.add_typer(tools.app, name="tools")
app.command("bundle")(bundle)
app.add_typer(publish.app, name="publish")
app.add_typer(tokens.app, name="tokens")
app.add_typer(projects.app, name="projects")
app.command("watch")(watch)
app.command("probe")(probe)
app.command("serve")(serve)
app.add_typer(evaluate.app, name="evaluate")
app.command("calibrate")(calibrate)
app.add_typer(encoders.app, name="encoders")
app.command("doctor")(doctor)
