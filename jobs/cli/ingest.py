"""`errata ingest`: runs in, failure cases out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ingest.service import IngestReport, ingest_file
from jobs.cli.exit_codes import BAD_INPUT
from jobs.cli.output import count, plain, say, show
from jobs.cli.progress import progress_bar
from jobs.cli.session import JsonOption, ProjectOption, opened
from jobs.cli.tables import facts, print_table
from knowledge.errors import BadInputError
from knowledge.kinds import PROBLEMS, REFERENCE_CALLS
from knowledge.stage import Guard
from knowledge.store import Query
from wiring.build import Errata

SUMS = ("runs", "calls", "cases", "new_cases")
SHOWN_UNREAD = 10


def ingest(
    files: Annotated[
        list[Path], typer.Argument(help="Files of runs, of any known shape; .gz too.", metavar="FILE…")
    ],
    source: Annotated[
        str, typer.Option("--source", help="The files' shape; recognised if not given.")
    ] = "auto",
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read runs, mask them, and keep their failures, their records and their successful calls.

    The project is made where it is missing, unless nothing could be read. Reading a file twice changes nothing.
    """
    with opened() as errata:
        chosen = project or errata.settings.project
        guard = errata.project_at_first(chosen)
        results = [(path, _ingest_one(errata, chosen, path, source, guard)) for path in files]
        document = summary(results) | _standing(errata, chosen)
    if as_json or any(isinstance(result, IngestReport) for _, result in results):
        show(as_json, document, lambda console: _print(console, chosen, document))
    failed = [(path, result) for path, result in results if isinstance(result, BadInputError)]
    for path, error in failed:
        say(f"errata: {error}" if str(path) in str(error) else f"errata: {path}: {error}")
    if failed:
        raise typer.Exit(BAD_INPUT)


def _ingest_one(
    errata: Errata, project: str, path: Path, source: str, guard: Guard
) -> IngestReport | BadInputError:
    """The report of one file, or why nothing of it could be used; the other files go on."""
    try:
        with progress_bar(path.name) as moved:
            shift = errata.shift(project, guard=guard, progress=moved)
            return ingest_file(path, source, shift, errata.masker(project))
    except BadInputError as error:
        return error
    except OSError as error:
        return BadInputError(f"{path}: cannot be read: {error.strerror or error}")


def summary(results: Sequence[tuple[Path, IngestReport | BadInputError]]) -> dict[str, object]:
    """One object for all files: sums, what was not analysed, and with several files what became of each."""
    reports = [result for _, result in results if isinstance(result, IngestReport)]
    several = len(results) > 1
    document: dict[str, object] = {name: sum(getattr(report, name) for report in reports) for name in SUMS}
    for name in ("by_error_code", "masked"):
        total: Counter[str] = Counter()
        for report in reports:
            total.update(getattr(report, name))
        document[name] = dict(sorted(total.items()))
    document["not_analysed"] = [
        {
            "position": f"{path.name}:{item['position']}" if several else item["position"],
            "reason": item["reason"],
        }
        for path, result in results
        if isinstance(result, IngestReport)
        for item in _unread(result)
    ]
    if several:
        document["files"] = [_file(path, result) for path, result in results]
    elif reports:
        document |= {"source": reports[0].source, "why": reports[0].why}
    return document | _errors(results)


def _standing(errata: Errata, project: str) -> dict[str, object]:
    """How many problems and reference calls the project has now, whatever file they came from."""
    problems = errata.store.collection(project, PROBLEMS).tally(Query(), "status")
    references = errata.store.collection(project, REFERENCE_CALLS).tally(Query(), "tool")
    totals = {"problems": problems, "reference_calls": references}
    return {name: sum(tally.count for tally in tallies) for name, tallies in totals.items()}


def _unread(report: IngestReport) -> list[dict[str, object]]:
    fields = plain(report)
    assert isinstance(fields, dict)
    return list(fields["not_analysed"])


def _file(path: Path, result: IngestReport | BadInputError) -> dict[str, object]:
    if isinstance(result, BadInputError):
        return {"file": str(path), "error": {"code": result.code, "message": str(result)}}
    fields = plain(result)
    assert isinstance(fields, dict)
    return {"file": str(path), **fields}


def _errors(results: Sequence[tuple[Path, IngestReport | BadInputError]]) -> dict[str, object]:
    told = [str(result) for _, result in results if isinstance(result, BadInputError)]
    return {"error": {"code": BadInputError.code, "message": "; ".join(told)}} if told else {}


def _print(console: Console, project: str, document: dict[str, object]) -> None:
    numbers = {name: int(str(document[name])) for name in (*SUMS, "problems", "reference_calls")}
    codes, unread = document["by_error_code"], document["not_analysed"]
    assert isinstance(codes, dict)
    assert isinstance(unread, list)
    rows = [
        ("project", project),
        ("read as", f"{document['source']} ({document['why']})" if "source" in document else None),
        ("runs", f"{numbers['runs']:,} with {count(numbers['calls'], 'call')}"),
        ("cases", f"{numbers['cases']:,}, {numbers['new_cases']:,} of them new"),
        (
            "now in all",
            f"{count(numbers['problems'], 'problem')}, {count(numbers['reference_calls'], 'reference call')}",
        ),
    ]
    console.print(facts(rows))
    if codes:
        ordered = sorted(codes.items(), key=lambda item: (-item[1], item[0]))
        console.print()
        print_table(console, ("error code", "#cases"), ordered)
    _print_unread(console, unread)


def _print_unread(console: Console, unread: list[dict[str, object]]) -> None:
    if not unread:
        return
    console.print()
    rows = [(item["position"], item["reason"]) for item in unread[:SHOWN_UNREAD]]
    print_table(console, ("not analysed", "~why"), rows)
    if len(unread) > SHOWN_UNREAD:
        console.print(f"… and {len(unread) - SHOWN_UNREAD:,} more; --json lists them all", style="dim")
