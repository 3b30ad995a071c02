"""Root causes merged into one, and split in two: by a person, for good. What people answered goes along.

Each step is written so that a call that was cut off is finished by making it again: labels derive their ids from what they
say, the cause that takes over is written before the one that gives up.
"""

from __future__ import annotations

from collections.abc import Sequence

from attribution.answers import read_answers
from attribution.causes import check_cause, next_cause_id
from attribution.corrections import audit, check_reason, make_label, require_cause
from attribution.orders import merged
from attribution.stages import read_causes
from knowledge.cases import Problem
from knowledge.causes import Exemplar, Label, RootCause
from knowledge.errors import BadInputError, ConflictError, NotFoundError, StaleError
from knowledge.ids import digest
from knowledge.kinds import LABELS, PROBLEMS, ROOT_CAUSES
from knowledge.stage import Shift
from knowledge.store import Query


def merge_causes(shift: Shift, cause_id: str, into: str, actor: str, reason: str) -> RootCause:
    """Give a cause's exemplars, gates and confirmed problems to another; the cause that took them. The merged one stays for
    the record, switched off, and says where it went. ConflictError where it went elsewhere before, or nowhere to go."""
    check_reason(actor, reason)
    source, target = require_cause(shift, cause_id), require_cause(shift, into)
    if cause_id == into:
        raise BadInputError(f"{cause_id} cannot be merged into itself")
    if source.merged_into not in {None, into}:
        raise ConflictError(f"{cause_id} was merged into {source.merged_into} already")
    if not target.enabled:
        raise ConflictError(f"{into} is switched off: merge into a cause that decides")
    took = check_cause(merged(target, source))
    _write(shift, target, took)
    shift.guard()
    moved = [_moved(shift, label, into, actor, reason) for label in _confirmed(shift, cause_id)]
    shift.store.collection(shift.project, LABELS).add_many(moved)
    gone = source.model_copy(update={"enabled": False, "merged_into": into, "note": reason})
    _write(shift, source, gone)
    audit(shift, actor, "cause.merge", cause_id, reason, {"into": into, "answers": len(moved)})
    return took


def split_cause(
    shift: Shift, cause_id: str, fingerprints: Sequence[str], name: str, actor: str, reason: str
) -> RootCause:
    """Make a new cause of some problems of a cause: their texts become its exemplars, and leave the old one's; the problems
    are reassigned to it for good. NotFoundError for an unknown problem, BadInputError for none or no name."""
    check_reason(actor, reason)
    source = require_cause(shift, cause_id)
    problems = _problems(shift, fingerprints)
    if not name.strip():
        raise BadInputError("the new cause needs a name")
    origin = f"split:{cause_id}:{digest(*sorted(fingerprints))[:12]}"
    made = next((cause for cause in read_causes(shift) if cause.created_by == origin), None)
    new = made or _split_off(source, problems, name, next_cause_id(shift), origin, reason)
    shift.guard()
    shift.store.collection(shift.project, ROOT_CAUSES).add_many([check_cause(new)])
    said = f"split off {cause_id}: {reason}"[:2000]
    labels = [
        label
        for problem in problems
        for label in (
            make_label(shift, problem, "reject", cause_id, actor, said),
            make_label(shift, problem, "reassign", new.cause_id, actor, said),
        )
    ]
    shift.store.collection(shift.project, LABELS).add_many(labels)
    taken = {exemplar.error_pattern for exemplar in new.exemplars}
    kept = tuple(one for one in source.exemplars if one.error_pattern not in taken)
    _write(shift, source, source.model_copy(update={"exemplars": kept}))
    audit(shift, actor, "cause.split", cause_id, reason, {"into": new.cause_id, "problems": len(problems)})
    return new


def _split_off(
    source: RootCause, problems: Sequence[Problem], name: str, cause_id: str, origin: str, reason: str
) -> RootCause:
    texts = sorted({problem.error_pattern for problem in problems})
    return source.model_copy(
        update={
            "cause_id": cause_id,
            "name": name.strip(),
            "name_zh": "",
            "statement": f"{name.strip()}; split off {source.cause_id}, {source.name}.",
            "statement_zh": "",
            "error_codes": tuple(sorted({problem.error_code for problem in problems})),
            "error_kinds": tuple(sorted({problem.error_kind for problem in problems})),
            "exemplars": tuple(Exemplar(error_pattern=text, origin=source.cause_id) for text in texts),
            "created_by": origin,
            "enabled": True,
            "merged_into": None,
            "note": reason,
        }
    )


def _problems(shift: Shift, fingerprints: Sequence[str]) -> list[Problem]:
    if not fingerprints:
        raise BadInputError("name the problems that the new cause is for")
    found = shift.store.collection(shift.project, PROBLEMS).get_many(fingerprints)
    missing = sorted(set(fingerprints) - set(found))
    if missing:
        raise NotFoundError(f"no problem {', '.join(missing)} in {shift.project}: see `errata problems list`")
    return [found[fingerprint].item for fingerprint in sorted(found)]


def _confirmed(shift: Shift, cause_id: str) -> list[Label]:
    """The answers that hold for a cause now, by problem."""
    answers = read_answers(s.item for s in shift.store.collection(shift.project, LABELS).scan(Query()))
    held = (label for label in answers.settled.values() if label.root_cause == cause_id)
    return sorted(held, key=lambda label: label.fingerprint)


def _moved(shift: Shift, label: Label, into: str, actor: str, reason: str) -> Label:
    """The same answer for the cause that took over. It is newer than the one it stands for."""
    said = f"{label.root_cause} was merged into {into}: {reason}"[:2000]
    return label.model_copy(
        update={
            "label_id": digest("merged", label.label_id, into),
            "answer": "confirm",
            "root_cause": into,
            "actor": actor,
            "reason": said,
            "at": shift.now,
        }
    )


def _write(shift: Shift, known: RootCause, wanted: RootCause) -> None:
    """Replace the cause as it was read; StaleError where somebody changed it meanwhile."""
    if wanted == known:
        return
    collection = shift.store.collection(shift.project, ROOT_CAUSES)
    stored = collection.get(known.cause_id)
    if stored is None or stored.item != known:
        raise StaleError(f"{known.cause_id} changed meanwhile: look at it again, and repeat this")
    shift.guard()
    collection.put(wanted, stored.version)
