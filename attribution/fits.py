"""The fits of a project: kept version by version; the newest accepted one is what the night decides by."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.corrections import audit, check_reason
from attribution.encoders.port import Encoder
from attribution.parameters import Parameters, check_parameters
from errata_client.model import JsonValue
from knowledge.errors import NotFoundError, SettingsError
from knowledge.fits import EncoderSpec, Fit
from knowledge.kinds import FITS
from knowledge.stage import Shift
from knowledge.store import Query, Stored


def read_fits(shift: Shift) -> list[Stored[Fit]]:
    """All fits of the project, the oldest first."""
    found = shift.store.collection(shift.project, FITS).scan(Query())
    return sorted(found, key=lambda stored: stored.item.fit_id)


def fit_in_force(shift: Shift) -> Fit | None:
    """The newest fit that was accepted and not rolled back."""
    accepted = [stored.item for stored in read_fits(shift) if stored.item.state == "accepted"]
    return accepted[-1] if accepted else None


def parameters_in_force(shift: Shift, encoders: Sequence[Encoder], packaged: Parameters) -> Parameters:
    """The fitted parameters of the project, else the packaged ones.

    SettingsError where the fit is for other encoders than those that run: its scores would mean nothing for them.
    """
    fit = fit_in_force(shift)
    if fit is None:
        return packaged
    running = {encoder.id for encoder in encoders}
    if running != set(fit.encoders) and fit.specs:
        raise SettingsError(
            f"fit {fit.fit_id} of {shift.project} is for {', '.join(fit.encoders)}, but what is found there now is "
            f"{', '.join(sorted(running))}: put the model back, try it anew with `errata encoders try`, or "
            "`errata calibrate --rollback`"
        )
    if running != set(fit.encoders):
        raise SettingsError(
            f"fit {fit.fit_id} of {shift.project} is for the encoders {', '.join(fit.encoders)}, but "
            f"{', '.join(sorted(running))} run: set ERRATA_ENCODERS back, calibrate anew, or `errata calibrate --rollback`"
        )
    parameters = Parameters.model_validate(fit.parameters)
    check_parameters(parameters, encoders)
    return parameters


def accept_fit(
    shift: Shift,
    parameters: Parameters,
    encoders: Sequence[str],
    figures: dict[str, JsonValue],
    labels: int,
    actor: str,
    reason: str,
    *,
    specs: Sequence[EncoderSpec] = (),
) -> Fit:
    """Put fitted parameters in force; the fit before stays for `roll_back`."""
    check_reason(actor, reason)
    fit = Fit(
        fit_id=_next_id(shift),
        encoders=tuple(encoders),
        specs=tuple(specs),
        parameters=parameters.model_dump(mode="json"),
        figures=figures,
        labels=labels,
        actor=actor,
        reason=reason,
        at=shift.now,
    )
    shift.guard()
    shift.store.collection(shift.project, FITS).put(fit, None)
    audit(shift, actor, "fit.accept", fit.fit_id, reason)
    return fit


def roll_back(shift: Shift, actor: str, reason: str) -> Fit:
    """Take the fit in force out of it; what was in force before is again. NotFoundError where there is none."""
    check_reason(actor, reason)
    accepted = [stored for stored in read_fits(shift) if stored.item.state == "accepted"]
    if not accepted:
        raise NotFoundError(f"{shift.project} has no fit in force: it decides by the packaged parameters")
    newest = accepted[-1]
    changes = {"state": "rolled_back", "rolled_back_by": actor, "rolled_back_reason": reason}
    fit = newest.item.model_copy(update=changes)
    shift.guard()
    shift.store.collection(shift.project, FITS).put(fit, newest.version)
    audit(shift, actor, "fit.roll_back", fit.fit_id, reason)
    return fit


def _next_id(shift: Shift) -> str:
    fits = read_fits(shift)
    return f"{int(fits[-1].item.fit_id) + 1 if fits else 1:04d}"
