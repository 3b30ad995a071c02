"""Root causes as people keep them: checking one, adding it, import and export, and what it would take."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.cause_files import read_causes_text, write_causes_text
from attribution.corrections import audit, check_reason
from attribution.encoders.port import Encoder
from attribution.parameters import Parameters
from attribution.stages import attributor_of, read_causes, read_problems
from attribution.text import exemplar_texts
from knowledge.causes import Attribution, RootCause
from knowledge.errors import BadInputError, ConflictError, NotFoundError
from knowledge.kinds import ROOT_CAUSES
from knowledge.stage import Shift
from knowledge.store import BulkReport, Stored

FIRST_OWN = 101
"""Causes that a project makes itself are numbered from here; the numbers below are those of the starter set."""
MAX_NAME = 200
MAX_TEXT = 4_000
MAX_EXEMPLARS = 500


def check_text(text: str, source: str = "the file") -> list[RootCause]:
    """Read causes from YAML and check each as `check_cause` does; BadInputError names the first fault."""
    causes = read_causes_text(text, source, created_by="import")
    for cause in causes:
        check_cause(cause)
    return causes


def check_cause(cause: RootCause) -> RootCause:
    """The cause, if it can be kept: named, gated, within the limits, with an exemplar that says something."""
    where = f"root cause {cause.cause_id}"
    if not cause.cause_id.strip() or not cause.name.strip() or len(cause.name) > MAX_NAME:
        raise BadInputError(f"{where} needs an id, and a name of 1 to {MAX_NAME} characters")
    if not cause.error_codes:
        raise BadInputError(
            f"{where} names no error_codes: it would never be asked; name those that it covers"
        )
    texts = (cause.statement, cause.statement_zh, cause.playbook, cause.playbook_zh)
    if max(map(len, texts)) > MAX_TEXT:
        raise BadInputError(f"{where} has a text of more than {MAX_TEXT} characters: shorten it")
    if len(cause.exemplars) > MAX_EXEMPLARS:
        raise BadInputError(
            f"{where} has {len(cause.exemplars)} exemplars, at most {MAX_EXEMPLARS} are allowed"
        )
    empty = [one for one in cause.exemplars if not any(exemplar_texts(one).values())]
    if empty or not cause.exemplars:
        raise BadInputError(f"{where} needs exemplars, each with a text beyond numbers and placeholders")
    return cause


def add_cause(shift: Shift, cause: RootCause, actor: str, reason: str) -> RootCause:
    """Keep a new cause; it is asked from the next night on. An empty id gets the project's next number.

    ConflictError if the id is taken.
    """
    check_reason(actor, reason)
    named = cause if cause.cause_id.strip() else cause.model_copy(update={"cause_id": next_cause_id(shift)})
    checked = check_cause(named).model_copy(update={"created_by": actor})
    shift.guard()
    if not shift.store.collection(shift.project, ROOT_CAUSES).add_many([checked]).created:
        raise ConflictError(f"there is a root cause {checked.cause_id} already: edit it, or give another id")
    audit(shift, actor, "cause.add", checked.cause_id, reason)
    return checked


def edit_cause(shift: Shift, cause: RootCause, actor: str, reason: str, version: str) -> Stored[RootCause]:
    """Replace a cause; StaleError if `version` is no longer the stored one, NotFoundError if there is none."""
    check_reason(actor, reason)
    collection = shift.store.collection(shift.project, ROOT_CAUSES)
    if collection.get(cause.cause_id) is None:
        raise NotFoundError(f"no root cause {cause.cause_id} in {shift.project}: see `errata causes list`")
    shift.guard()
    stored = collection.put(check_cause(cause), version)
    audit(shift, actor, "cause.edit", cause.cause_id, reason)
    return stored


def import_causes(
    shift: Shift, text: str, actor: str, reason: str, *, replace: bool = False, source: str = "the file"
) -> BulkReport:
    """Add the causes of a YAML text, all checked before the first is written. Those that are there already stay as
    they are; with `replace` they are replaced."""
    check_reason(actor, reason)
    causes = check_text(text, source)
    collection = shift.store.collection(shift.project, ROOT_CAUSES)
    shift.guard()
    report = collection.put_many(causes) if replace else collection.add_many(causes)
    audit(shift, actor, "cause.import", source, reason, {"causes": len(causes), "replace": replace})
    return report


def export_causes(shift: Shift) -> str:
    """All causes of the project as YAML, by id."""
    return write_causes_text(read_causes(shift))


def preview(
    shift: Shift, encoders: Sequence[Encoder], parameters: Parameters, cause: RootCause
) -> list[Attribution]:
    """What the cause would take or put in doubt, were it saved: tonight's decisions in which it is the root cause or
    the runner-up or the one left to a person. Nothing is written but vectors."""
    others = [one for one in read_causes(shift) if one.cause_id != cause.cause_id]
    attributor = attributor_of(shift, encoders, parameters, [*others, check_cause(cause)])
    found = attributor.attribute([p for p in read_problems(shift) if p.error_code in cause.error_codes])
    return [one for one in found if one.verdict != "unmatched" and cause.cause_id in _named(one)]


def next_cause_id(shift: Shift) -> str:
    """RC- and the number after the greatest one of the project's own."""
    numbers = [cause.cause_id.removeprefix("RC-") for cause in read_causes(shift)]
    greatest = max((int(number) for number in numbers if number.isdecimal()), default=0)
    return f"RC-{max(greatest + 1, FIRST_OWN):03d}"


def _named(attribution: Attribution) -> set[str | None]:
    candidates = (attribution.winner, attribution.runner_up)
    return {attribution.root_cause, *(one.cause_id for one in candidates if one)}
