"""`errata encoders`: which sentence encoders a project is compared by, what others would change, and putting those in force."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console

from attribution.encoder_change import Running, Trial, accept_encoders, try_encoders
from attribution.encoders.port import Encoder
from attribution.encoders.registry import ENCODERS, make_encoder
from attribution.evaluation import Figures
from attribution.fits import fit_in_force
from attribution.refit import TARGET
from jobs.cli.output import count, show
from jobs.cli.session import (
    ActorOption,
    JsonOption,
    ProjectOption,
    ReasonOption,
    Session,
    actor_name,
    in_project,
)
from jobs.cli.tables import print_table
from knowledge.errors import SettingsError
from knowledge.fits import EncoderSpec, Fit
from wiring.encoders import spec_of

app = typer.Typer(help="The sentence encoders that texts are compared by.", no_args_is_help=True)

SHOWN = 20
NamesArgument = Annotated[
    list[str],
    typer.Argument(
        help="Packaged ones by name, or sentence-transformers models by folder or by `owner/name` in the local cache.",
        metavar="ENCODER…",
    ),
]


@app.command("list")
def list_encoders(project: ProjectOption = None, as_json: JsonOption = False) -> None:
    """List the packaged encoders, and those that the project runs."""
    with in_project(project) as session:
        rows = _listed(session)
    columns = ("encoder", "id", "calibration", "reads", "runs")
    told = [tuple(row[name] for name in columns) for row in rows]
    show(as_json, rows, lambda console: print_table(console, columns, told))


@app.command("try")
def try_command(
    names: NamesArgument,
    project: ProjectOption = None,
    target: Annotated[
        float, typer.Option("--target", min=0.0, max=0.5, help="Greatest share of false matches borne.")
    ] = TARGET,
    as_json: JsonOption = False,
) -> None:
    """Say what other encoders would change: texts are embedded beside the old vectors, calibrations measured anew, every
    problem decided by both. Nothing is decided by them."""
    with in_project(project) as session:
        trial, _ = _trial(session, names, target)
    show(as_json, trial, lambda console: _print(console, trial))


@app.command("accept")
def accept(
    names: NamesArgument,
    reason: ReasonOption,
    project: ProjectOption = None,
    target: Annotated[
        float, typer.Option("--target", min=0.0, max=0.5, help="Greatest share of false matches borne.")
    ] = TARGET,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put other encoders in force for the project, from the next night on. `errata calibrate --rollback` takes them back."""
    with in_project(project) as session:
        trial, specs = _trial(session, names, target)
        fit = accept_encoders(session.shift(), trial, specs, actor_name(actor), session.masked(reason))
    show(as_json, {"trial": trial, "fit": fit}, lambda console: _print(console, trial, fit))


def _trial(session: Session, names: list[str], target: float) -> tuple[Trial, list[EncoderSpec]]:
    errata = session.errata
    specs = [spec_of(name, errata.settings.device) for name in names]
    encoders = errata.made(specs)
    if len({encoder.id for encoder in encoders}) < len(encoders):
        raise SettingsError(f"{', '.join(names)} are not all different: name each once")
    trial = try_encoders(session.shift(), encoders, _running(session), errata.parameters, target)
    return trial, specs


def _running(session: Session) -> Running | None:
    """What decides now; None where it cannot be used any more, which is what a change may be there to mend."""
    try:
        encoders = session.errata.encoders_of(session.project)
        return Running(encoders, session.errata.parameters_of(session.project))
    except SettingsError:
        return None


def _listed(session: Session) -> list[dict[str, Any]]:
    errata, fit = session.errata, fit_in_force(session.shift())
    names = {make_encoder(name).id: name for name in ENCODERS}
    names |= dict(zip(fit.encoders, (spec.name for spec in fit.specs), strict=False)) if fit else {}
    running = {encoder.id: encoder for encoder in errata.encoders_of(session.project)}
    fitted = set(fit.encoders) if fit else set()
    return [
        {
            "encoder": name,
            "id": identity,
            "calibration": _calibration(identity, fitted, set(errata.parameters.calibrations)),
            "reads": _reads(running.get(identity) or errata.made([EncoderSpec(name=name)])[0]),
            "runs": identity in running,
        }
        for identity, name in names.items()
    ]


def _calibration(identity: str, fitted: set[str], packaged: set[str]) -> str:
    if identity in fitted:
        return "the project's fit"
    return "packaged" if identity in packaged else "none"


def _reads(encoder: Encoder) -> str:
    """Whether it reads English, Chinese or both, by a word of each."""
    return ", ".join(
        language for language, word in (("English", "order"), ("Chinese", "订单")) if encoder.reads(word)
    )


def _print(console: Console, trial: Trial, fit: Fit | None = None) -> None:
    console.print(f"{', '.join(trial.encoders)}: {_calibrated(trial)}", markup=False)
    if trial.labels:
        console.print(f"\n{count(trial.labels, 'answer')} of people, each decided by what the others taught")
        columns = ("encoders", "#cases", "#right", "#false", "#abstained")
        print_table(console, columns, [_figures("now", trial.now), _figures("new", trial.new)])
    console.print(f"\n{len(trial.moved)} of {count(trial.problems, 'problem')} would be decided otherwise")
    for move, number in trial.moves.items():
        console.print(f"  {number} {move}", markup=False)
    rows = [
        (
            one.fingerprint[:10],
            one.cases,
            one.was_cause or one.was,
            one.becomes_cause or one.becomes,
            one.error_pattern,
        )
        for one in trial.moved[:SHOWN]
    ]
    if rows:
        print_table(console, ("problem", "#cases", "was", "becomes", "~error"), rows)
    console.print(f"\n{_end(trial, fit)}", markup=False)


def _calibrated(trial: Trial) -> str:
    if trial.fitted:
        return "parameters fitted to people's answers"
    return f"calibrations as packaged, or measured on the starter causes as those were; not fitted to answers: {trial.not_fitted}"


def _end(trial: Trial, fit: Fit | None) -> str:
    if fit is not None:
        return f"fit {fit.fit_id} is in force from the next night on; `errata calibrate --rollback` takes it back"
    if trial.obstacle is not None:
        return f"they may not be accepted: {trial.obstacle}"
    return "they may be accepted: `errata encoders accept … --reason WHY`"


def _figures(name: str, found: Figures) -> tuple[object, ...]:
    return name, found.cases, found.right, found.wrong, found.abstained
