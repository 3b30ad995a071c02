"""`errata schema`: the native format's JSON Schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ingest.native_schema import native_schema
from jobs.cli.output import say, show
from jobs.cli.session import JsonOption
from jobs.files import write_whole


def schema(
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write it to this file; stdout if not given.", metavar="FILE"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print the JSON Schema of a run in the native format. It is JSON, with --json or without."""
    made = native_schema()
    if out is None:
        show(True, made, lambda _: None)
        return
    write_whole(out, json.dumps(made, indent=2, ensure_ascii=False) + "\n")
    if as_json:
        show(True, {"file": str(out)}, lambda _: None)
    else:
        say(f"The schema of a run was written to {out}.")
