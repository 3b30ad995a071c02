"""`errata probe`: are the tools up?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import httpx
import typer
from rich.text import Text

from ingest.health.intervals import record_results, states
from jobs.cli.output import show
from jobs.cli.session import JsonOption, ProjectOption, opened
from jobs.cli.tables import print_table
from jobs.probing import load_probes, run_probes


def probe(
    file: Annotated[Path, typer.Argument(help="YAML with the probes.", metavar="FILE")],
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run the health probes of a file once, and keep what they saw. An error of a tool that was down is no agent's.

    The project is made where it is missing. Let a scheduler run this every minute.
    """
    probes = load_probes(file)
    with opened() as errata:
        chosen = project or errata.settings.project
        errata.ensure_project(chosen)
        shift, masker = errata.shift(chosen), errata.masker(chosen)
        with httpx.Client(follow_redirects=False) as client:
            results = [masker.model(result) for result in run_probes(probes, client, shift.now)]
        taken = record_results(shift, results)
        document = {"taken": taken, "tools": states(shift), "results": results}
    rows = [
        (
            result.probe,
            Text("up", "green") if result.up else Text("down", "red"),
            ", ".join(result.tools),
            result.detail,
        )
        for result in results
    ]
    show(as_json, document, lambda console: print_table(console, ("probe", "", "tools", "~saw"), rows))
