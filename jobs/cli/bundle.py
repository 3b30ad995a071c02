"""`errata bundle`: the rules that agents download."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from errata_client.bundle import Bundle
from jobs.cli.output import count, say, show
from jobs.cli.session import JsonOption, ProjectOption, in_project
from jobs.files import write_whole
from strategies.bundles import bundle_at, current_bundle


def bundle(
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write it to this file; stdout if not given.", metavar="FILE"),
    ] = None,
    revision: Annotated[
        int | None,
        typer.Option(
            "--revision", min=1, help="That of this revision, as it was made; else the current one."
        ),
    ] = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the current bundle, or that of an earlier revision, sealed with its digest, as agents get it. It is JSON, with --json or without."""
    with in_project(project) as session:
        errata = session.errata
        made = (
            current_bundle(errata.store, session.project, errata.clock())
            if revision is None
            else bundle_at(errata.store, session.project, revision)
        )
    if out is None:
        show(True, made, lambda _: None)
        return
    write_whole(out, made.model_dump_json(indent=2) + "\n")
    told = f"Revision {made.revision} with {count(len(made.rules), 'rule')} written to {out}."
    if as_json:
        show(True, _told(made, out), lambda _: None)
    else:
        say(told)


def _told(made: Bundle, out: Path) -> dict[str, object]:
    return {"revision": made.revision, "rules": len(made.rules), "digest": made.digest, "file": str(out)}
