"""`errata calibrate`: refit attribution to labels, see what that is worth, and put it in force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from attribution.bench import as_labelled, bench_of
from attribution.evaluation import Figures, Labelled
from attribution.fits import accept_fit, fit_in_force, read_fits, roll_back
from attribution.fitting import Fitting
from attribution.parameters import Parameters
from attribution.refit import TARGET, Refit, refit
from attribution.stages import read_causes, read_people
from jobs.cli.output import count, show
from jobs.cli.session import ActorOption, JsonOption, ProjectOption, Session, actor_name, in_project
from jobs.cli.tables import print_table
from knowledge.errors import BadInputError, ConflictError
from knowledge.fits import Fit
from wiring.labelled import read_labels

SHOWN = 10


def calibrate(
    labels: Annotated[
        Path | None,
        typer.Argument(help="JSON lines: {id, case, root_cause, group}; the project's answers if not given."),
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Put the new fit in force, if its bound holds.")
    ] = False,
    target: Annotated[
        float, typer.Option("--target", min=0.0, max=0.5, help="Greatest share of false matches borne.")
    ] = TARGET,
    list_fits: Annotated[bool, typer.Option("--list", help="List the project's fits instead.")] = False,
    rollback: Annotated[
        bool, typer.Option("--rollback", help="Take the fit in force out of it instead.")
    ] = False,
    reason: Annotated[str, typer.Option("--reason", "-m", help="Why; kept in the history.")] = "",
    actor: ActorOption = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Refit weights, calibrations and thresholds to labels, and judge the fit on labels that it has not seen.

    Nothing changes without --accept: until then, and where the bound does not hold, the old fit stays in force.
    """
    with in_project(project) as session:
        if list_fits:
            fits = [stored.item for stored in read_fits(session.shift())]
            show(as_json, fits, lambda console: _print_fits(console, fits))
        elif rollback:
            fit = roll_back(session.shift(), actor_name(actor), session.masked(reason))
            show(as_json, fit, lambda console: console.print(f"fit {fit.fit_id} is no longer in force"))
        else:
            _calibrate(session, labels, target, (actor_name(actor), reason) if accept else None, as_json)


def _calibrate(
    session: Session, path: Path | None, target: float, accepted: tuple[str, str] | None, as_json: bool
) -> None:
    labels, unknown, not_read = _labels(session, path)
    found = _refit(session, labels, target)
    document = {
        **_document(found),
        "labels": len(labels),
        "of_unknown_causes": unknown,
        "not_read": not_read,
        "fit": None,
    }
    if accepted is not None and found.obstacle is None:
        document["fit"] = _accept(session, found, len(labels), *accepted)
    show(as_json, document, lambda console: _print(console, document))
    if accepted is not None and found.obstacle is not None:
        raise ConflictError(f"the new fit is not accepted: {found.obstacle}; the old one stays in force")


def _labels(session: Session, path: Path | None) -> tuple[list[Labelled], int, list[dict[str, str]]]:
    """The labels whose cause the project has, how many name another, and the lines that are none."""
    causes = {cause.cause_id for cause in read_causes(session.shift())}
    if path is None:
        said, broken = [as_labelled(one) for one in read_people(session.shift()).settled.values()], []
    else:
        read = read_labels(path)
        said, broken = read.labels, read.not_read
    kept = [one for one in said if one.root_cause is None or one.root_cause in causes]
    if not any(one.root_cause for one in kept):
        raise BadInputError(
            f"no label names a root cause of {session.project}: confirm problems, or `errata causes import` the causes"
        )
    return kept, len(said) - len(kept), broken


def _refit(session: Session, labels: Sequence[Labelled], target: float) -> Refit:
    """For the encoders that the project runs; those of its own have their calibrations from the fit in force."""
    bench = bench_of(session.shift(), session.errata.encoders_of(session.project))
    return refit(Fitting(bench, _base(session), target), labels, _in_force(session))


def _base(session: Session) -> Parameters:
    fit = fit_in_force(session.shift())
    packaged = session.errata.parameters
    if fit is None or not fit.specs:
        return packaged
    return packaged.model_copy(update={"calibrations": _in_force(session).calibrations})


def _in_force(session: Session) -> Parameters:
    """The parameters that the new ones are held against: a fit for other encoders is none."""
    fit = fit_in_force(session.shift())
    running = {encoder.id for encoder in session.errata.encoders_of(session.project)}
    fits = fit is not None and set(fit.encoders) == running
    return session.errata.parameters_of(session.project) if fits else session.errata.parameters


def _accept(session: Session, found: Refit, labels: int, actor: str, reason: str) -> Fit:
    shift, before = session.shift(), fit_in_force(session.shift())
    encoders = [encoder.id for encoder in session.errata.encoders_of(session.project)]
    figures, specs = found.found.model_dump(mode="json"), before.specs if before else ()
    why = session.masked(reason)
    return accept_fit(shift, found.parameters, encoders, figures, labels, actor, why, specs=specs)


def _document(found: Refit) -> dict[str, Any]:
    parameters = found.parameters
    return {
        "acceptable": found.obstacle is None,
        "obstacle": found.obstacle,
        "target": found.target,
        "new": found.found,
        "in_force": found.now,
        "threshold": parameters.threshold,
        "weights": parameters.weights,
        "own_thresholds": parameters.thresholds,
        "informs": {name: list(parameters.informative_fields(name)) for name in parameters.calibrations},
        "thresholds": [
            {"threshold": one, **figures.model_dump(mode="json")} for one, figures in found.thresholds.items()
        ],
        "causes": {f"{one:.2f}": rows for one, rows in found.causes.items()},
        "reliability": found.reliability,
        "twins": found.twins,
        "mistakes": found.mistakes,
    }


def _print(console: Console, document: Mapping[str, Any]) -> None:
    console.print(f"{count(document['labels'], 'label')}, each decided by what the others taught\n")
    columns = ("fit", "#covered", "#false", "#false, at most", "#abstained")
    both = (("new", document["new"]), ("in force", document["in_force"]))
    print_table(console, columns, [(name, *_shares(found)) for name, found in both])
    console.print()
    rows = [(f"{row['threshold']:.2f}", *_shares(Figures(**_figures(row)))) for row in document["thresholds"]]
    print_table(console, ("threshold", *columns[1:]), rows)
    console.print()
    _print_causes(console, document["causes"])
    console.print()
    reliable = [
        (f"{row['from']:.1f}", row["cases"], _percent(row["share"])) for row in document["reliability"]
    ]
    print_table(console, ("score from", "#cases", "#right"), reliable)
    _print_lines(console, document)


def _print_causes(console: Console, causes: Mapping[str, Mapping[str, Any]]) -> None:
    """For each cause, coverage / precision at each threshold."""
    names = sorted({name for rows in causes.values() for name in rows})
    rows = [(name, *(_both(rows.get(name)) for rows in causes.values())) for name in names]
    print_table(console, ("covered / precise", *(f"#{threshold}" for threshold in causes)), rows)


def _print_lines(console: Console, document: Mapping[str, Any]) -> None:
    for one in document["twins"][:SHOWN]:
        console.print(f"twins: {' and '.join(one['causes'])} share {one['text']!r}", markup=False)
    for one in document["mistakes"][:SHOWN]:
        told = (
            f"wrong: {one.text[:120]!r} is {one.right}, was matched to {one.given} ({one.rung}: {one.reason})"
        )
        console.print(told, markup=False, style="red")
    for cause, threshold in document["own_thresholds"].items():
        console.print(f"{cause} gets a threshold of its own: {threshold}", markup=False)
    fit = document["fit"]
    if fit is not None:
        console.print(f"\nfit {fit.fit_id} is in force from the next night on")
    elif document["acceptable"]:
        console.print("\nit may be accepted: run it again with --accept --reason WHY")
    else:
        console.print(f"\nit may not be accepted: {document['obstacle']}", markup=False)


def _print_fits(console: Console, fits: Sequence[Fit]) -> None:
    rows = [
        (
            fit.fit_id,
            fit.state.replace("_", " "),
            f"{fit.at:%Y-%m-%d %H:%M}",
            fit.labels,
            fit.actor,
            fit.reason,
        )
        for fit in fits
    ]
    print_table(console, ("fit", "state", "at", "#labels", "by", "~reason"), rows)


def _figures(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "threshold"}


def _shares(found: Figures) -> tuple[str, ...]:
    shares = (found.coverage, found.false_match_rate, found.false_match_upper, found.abstain_rate)
    return tuple(map(_percent, shares))


def _both(found: Any) -> str:
    return f"{_percent(found.coverage)} / {_percent(found.precision)}" if found else "–"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"
