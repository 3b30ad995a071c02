"""`errata doctor`: is everything in place?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from attribution.encoders.port import Encoder
from jobs.cli.exit_codes import FAILED
from jobs.cli.findings import Finding, examine_cases
from jobs.cli.output import count, show
from jobs.cli.session import JsonOption
from jobs.cli.tables import print_table
from jobs.night import LEASE
from knowledge.errors import ErrataError
from knowledge.kinds import NIGHTS, STAGES
from knowledge.nights import Night
from knowledge.store import Query
from wiring.build import Errata, build
from wiring.logs import configure_logs
from wiring.secret import installation_key
from wiring.settings import Settings, load_settings, unknown_variables
from wiring.tokens import list_tokens

STYLES = {"ok": "green", "warning": "yellow", "failed": "red"}
FEW = 6
"""Good findings of single projects that are still shown one by one, and projects that are named of which the same is said."""
SAMPLE = ("order not found", "找不到订单")


def doctor(
    encoders: Annotated[
        bool, typer.Option("--encoders/--no-encoders", help="Load each encoder and encode a sentence.")
    ] = True,
    cases: Annotated[
        int,
        typer.Option("--cases", min=0, help="How many of the newest cases of each project to look through."),
    ] = 2_000,
    as_json: JsonOption = False,
) -> None:
    """Look at settings, key, stores, encoders, tokens, nights and cases, and say what is wrong and what to do."""
    settings = load_settings()
    configure_logs(settings)
    findings = list(examine(settings, with_encoders=encoders, cases=cases))
    bad = any(finding.status == "failed" for finding in findings)
    document = {"ok": not bad, "findings": [asdict(finding) for finding in findings]}
    show(as_json, document, lambda console: _print(console, findings))
    if bad:
        raise typer.Exit(FAILED)


def examine(settings: Settings, *, with_encoders: bool = True, cases: int = 2_000) -> Iterator[Finding]:
    """Everything that was looked at, in order; what needs a store is left out where none answers."""
    yield _settings()
    yield _tried("key", lambda: _key(settings))
    try:
        errata = build(settings)
    except ErrataError as error:
        yield Finding("store", "failed", str(error))
        return
    try:
        yield from _examine_service(errata, with_encoders=with_encoders)
        for project in errata.projects() if cases else ():
            yield from examine_cases(errata, project.project_id, cases)
    finally:
        errata.close()


def _examine_service(errata: Errata, *, with_encoders: bool) -> Iterator[Finding]:
    yield _tried("store", lambda: f"{errata.store.ping()} at {errata.settings.store_shown}")
    if errata.objects is not None:
        yield _tried("objects", errata.objects.ping)
    for encoder in errata.encoders if with_encoders else ():
        yield _encoder(encoder)
    yield _tokens(errata)
    projects = errata.projects()
    if not projects:
        yield Finding("projects", "warning", "none yet: `errata ingest FILE --project P` makes one")
    for project in projects:
        yield from _own_encoders(errata, project.project_id) if with_encoders else ()
        yield _night(errata, project.project_id)


def _tried(what: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(what, "ok", look())
    except ErrataError as error:
        return Finding(what, "failed", str(error))


def _settings() -> Finding:
    unknown = unknown_variables()
    if unknown:
        return Finding("settings", "warning", f"no setting of Errata: {', '.join(unknown)}; misspelt?")
    return Finding("settings", "ok", "all can be used")


def _key(settings: Settings) -> str:
    installation_key(settings)
    return (
        "from ERRATA_SECRET"
        if settings.secret
        else f"kept in {settings.data_dir}; back it up with the database"
    )


def _encoder(encoder: Encoder) -> Finding:
    """Loading a model runs code of others, and files may be missing: whatever it raises is what to tell."""
    what = f"encoder {encoder.id}"
    texts = [text for text in SAMPLE if encoder.reads(text)]
    try:
        vectors = encoder.encode(texts)
    except Exception as error:  # noqa: BLE001 - told as the finding that it is
        return Finding(what, "failed", f"{type(error).__name__}: {error}")
    read = (
        "English and Chinese"
        if len(texts) == len(SAMPLE)
        else "English"
        if texts[:1] == [SAMPLE[0]]
        else "Chinese"
    )
    return Finding(what, "ok", f"{vectors.shape[1]} dimensions, reads {read}")


def _own_encoders(errata: Errata, project: str) -> Iterator[Finding]:
    """Those that were accepted for the project alone."""
    try:
        found = errata.encoders_of(project)
        errata.parameters_of(project)
    except ErrataError as error:
        yield Finding(f"encoders of {project}", "failed", str(error))
    else:
        yield from (_encoder(one) for one in found if one not in errata.encoders)


def _tokens(errata: Errata) -> Finding:
    good = [token for token in list_tokens(errata) if token.revoked_at is None]
    if not good:
        return Finding(
            "tokens", "warning", "none: `errata tokens create NAME --scope admin` makes one for the service"
        )
    return Finding("tokens", "ok", count(len(good), "token"))


def _night(errata: Errata, project: str) -> Finding:
    """How long ago the last good night was, and whether one runs."""
    what = f"nights of {project}"
    lease = errata.store.leases.holder(LEASE.format(project=project))
    if lease is not None and lease.expires_at > errata.clock():
        return Finding(what, "ok", f"one runs now, by {lease.holder.rsplit(':', 1)[0]}")
    page = errata.store.collection(project, NIGHTS).find(Query(sort="as_of", descending=True), 1)
    if not page.items:
        return Finding(
            what, "warning", "none yet: `errata nightly` runs one, `errata serve` does every night"
        )
    night = page.items[0].item
    age = errata.clock() - night.as_of
    said = f"the last was as of {night.as_of:%Y-%m-%d %H:%M} UTC: {night.status}"
    if night.status == "running":
        return Finding(what, "warning", f"{said}, cut short; `errata nightly --project {project}` resumes it")
    if night.status == "failed":
        return Finding(what, "failed", f"{said}; {_faults(errata, project, night)}")
    stale = age > timedelta(hours=errata.settings.stale_night_hours)
    return Finding(what, "warning" if stale else "ok", f"{said}{', which is long ago' if stale else ''}")


def _faults(errata: Errata, project: str, night: Night) -> str:
    query = Query(where={"night_id": night.night_id, "status": "failed"}, sort="position")
    records = errata.store.collection(project, STAGES).scan(query)
    return "; ".join(f"{stored.item.stage}: {stored.item.error}" for stored in records)


def _grouped(findings: Sequence[Finding]) -> list[tuple[str, str, str]]:
    """Status, what and what is said, in order; what is said alike of several projects once, with their number."""
    told: dict[tuple[str, str, str], list[str]] = {}
    for finding in findings:
        what, _, project = finding.what.partition(" of ")
        told.setdefault((finding.status, what, finding.said), []).append(project)
    return [
        (status, f"{what}{f' of {_few(projects)}' if any(projects) else ''}", said)
        for (status, what, said), projects in told.items()
    ]


def _few(projects: list[str]) -> str:
    more = len(projects) - FEW
    return f"{', '.join(projects[:FEW])}{f' and {more} more' if more > 0 else ''}"


def _print(console: Console, findings: list[Finding]) -> None:
    """What is fine with single projects is counted, so that what is not can be seen."""
    quiet = [finding for finding in findings if finding.status == "ok" and finding.of_project]
    shown = findings if len(quiet) <= FEW else [finding for finding in findings if finding not in quiet]
    rows = [(Text(status, STYLES[status]), what, said) for status, what, said in _grouped(shown)]
    print_table(console, ("", "what", "~said"), rows)
    if len(shown) < len(findings):
        console.print(f"… and {len(quiet)} more of single projects are ok; --json lists them", style="dim")
