"""Other encoders for a project: what they would change, measured before they decide anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attribution.bench import bench_of, people_said
from attribution.encoders.measuring import measured
from attribution.encoders.port import Encoder
from attribution.evaluation import Figures, Labelled, figures
from attribution.fits import accept_fit
from attribution.fitting import FOLDS, Fitting
from attribution.held_out import Bench, each_held_out
from attribution.parameters import FieldCalibrations, Parameters
from attribution.refit import Refit, refit
from attribution.stages import attributor_of, read_problems
from errata_client.model import Model
from knowledge.cases import ErrorCode
from knowledge.causes import Attribution
from knowledge.errors import ConflictError
from knowledge.fits import EncoderSpec, Fit
from knowledge.kinds import ATTRIBUTIONS
from knowledge.stage import Shift
from knowledge.store import Query


@dataclass(frozen=True)
class Running:
    """Encoders with the parameters that they decide by."""

    encoders: Sequence[Encoder]
    parameters: Parameters


class Moved(Model):
    """One problem that would be decided otherwise."""

    fingerprint: str
    cases: int
    error_code: ErrorCode
    error_pattern: str
    was: str
    was_cause: str | None
    becomes: str
    becomes_cause: str | None
    reason: str


class Trial(Model):
    """What a change of encoders comes to. `moves` counts the problems by verdict before and after, such as `matched → abstained`
    or, to another cause, `matched → matched`; `now` and `new` are figures on people's answers, each decided by what the
    others taught; `parameters` are fitted to them where the bound of a fit holds, else measured on the starter causes
    (`fitted` says which, `not_fitted` why). `obstacle` is why it may not be accepted."""

    encoders: tuple[str, ...]
    parameters: Parameters
    fitted: bool
    not_fitted: str | None
    labels: int
    now: Figures
    new: Figures
    problems: int
    moves: dict[str, int]
    moved: tuple[Moved, ...]
    obstacle: str | None = None


def try_encoders(
    shift: Shift, new: Sequence[Encoder], running: Running | None, packaged: Parameters, target: float
) -> Trial:
    """Embed what the project knows with the new encoders, recalibrate to people's answers, and decide every problem by both.

    Nothing is written but vectors, under the new encoders' ids. `running` None: what runs now cannot be loaded any more;
    then the last night's decisions are compared with. SettingsError where an encoder cannot be loaded.
    """
    base = measured_for(new, packaged)
    labels = people_said(shift)
    bench = bench_of(shift, new)
    found = (
        refit(Fitting(bench, base, target), labels, base) if any(one.root_cause for one in labels) else None
    )
    parameters = found.parameters if found and found.obstacle is None else base
    old = (
        _reached(bench_of(shift, running.encoders), labels, running.parameters)
        if running
        else figures([], [])
    )
    reached = found.found if found and found.obstacle is None else _reached(bench, labels, base)
    before, after = _before(shift, running), _decided(shift, Running(new, parameters))
    moved = tuple(_moves(shift, before, after))
    return Trial(
        encoders=tuple(encoder.id for encoder in new),
        parameters=parameters,
        fitted=parameters is not base,
        not_fitted=_why_not(found),
        labels=len(labels),
        now=old,
        new=reached,
        problems=len(after),
        moves=dict(sorted(Counter(f"{one.was} → {one.becomes}" for one in moved).items())),
        moved=moved,
        obstacle=_obstacle(new, parameters, old, reached),
    )


def accept_encoders(shift: Shift, trial: Trial, specs: Sequence[EncoderSpec], actor: str, reason: str) -> Fit:
    """Put the encoders of a trial in force for the project, as a fit that can be rolled back. ConflictError where the trial
    found an obstacle."""
    if trial.obstacle is not None:
        raise ConflictError(f"the encoders are not accepted: {trial.obstacle}; what ran before goes on")
    figures_of = trial.new.model_dump(mode="json")
    return accept_fit(
        shift, trial.parameters, trial.encoders, figures_of, trial.labels, actor, reason, specs=tuple(specs)
    )


def measured_for(encoders: Sequence[Encoder], packaged: Parameters) -> Parameters:
    """The packaged parameters, with a calibration for each encoder: its own, or one measured as the packaged ones were. One
    that is not packaged and runs alone takes the threshold of a lone one, since none can disagree with it."""
    calibrations = {
        encoder.id: packaged.calibrations.get(encoder.id)
        or FieldCalibrations(error_pattern=measured(encoder))
        for encoder in encoders
    }
    lone = len(encoders) == 1 and encoders[0].id not in packaged.calibrations
    alone = {"threshold": packaged.lone_threshold} if lone else {}
    return packaged.model_copy(update={"calibrations": calibrations, **alone})


def _reached(bench: Bench, labels: Sequence[Labelled], parameters: Parameters) -> Figures:
    """What parameters reach on answers that they were not taught."""
    held = each_held_out(bench, labels, FOLDS, lambda _: parameters)
    pairs = [pair for asked, own in held for pair in asked.under(own)]
    return figures([label for label, _ in pairs], [decided for _, decided in pairs])


def _decided(shift: Shift, running: Running) -> dict[str, Attribution]:
    attributor = attributor_of(shift, running.encoders, running.parameters)
    return {one.fingerprint: one for one in attributor.attribute(read_problems(shift))}


def _before(shift: Shift, running: Running | None) -> Mapping[str, Attribution]:
    if running is not None:
        return _decided(shift, running)
    stored = shift.store.collection(shift.project, ATTRIBUTIONS).scan(Query())
    return {one.item.fingerprint: one.item for one in stored}


def _moves(shift: Shift, before: Mapping[str, Attribution], after: Mapping[str, Attribution]) -> list[Moved]:
    """Those with most cases first."""
    problems = sorted(read_problems(shift), key=lambda one: (-one.count, one.fingerprint))
    moved = []
    for problem in problems:
        was, becomes = before.get(problem.fingerprint), after[problem.fingerprint]
        if was and (was.verdict, was.root_cause) != (becomes.verdict, becomes.root_cause):
            moved.append(
                Moved(
                    fingerprint=problem.fingerprint,
                    cases=problem.count,
                    error_code=problem.error_code,
                    error_pattern=problem.error_pattern,
                    was=was.verdict,
                    was_cause=was.root_cause,
                    becomes=becomes.verdict,
                    becomes_cause=becomes.root_cause,
                    reason=becomes.reason,
                )
            )
    return moved


def _why_not(found: Refit | None) -> str | None:
    if found is None:
        return "nobody has confirmed a problem for a cause yet"
    return found.obstacle


def _obstacle(encoders: Sequence[Encoder], parameters: Parameters, now: Figures, new: Figures) -> str | None:
    blind = [one.id for one in encoders if not parameters.informative_fields(one.id)]
    if blind:
        return f"{', '.join(blind)} does not tell the errors of different causes apart"
    if new.wrong > now.wrong and now.cases:
        return (
            f"of people's answers, each decided by what the others taught, {new.wrong} of {new.matched} matches would be "
            f"false; what runs now makes {now.wrong} of {now.matched}"
        )
    return None
