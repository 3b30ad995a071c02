"""The three stages of level 2 in a night: embed, attribute, cluster. Each may be killed anywhere and run again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from attribution.answers import Answers, read_answers
from attribution.attributor import Attributor
from attribution.encoders.port import Encoder, Vectors
from attribution.exemplars import known_exemplars
from attribution.likeness import Likeness
from attribution.parameters import Parameters, check_parameters, default_parameters
from attribution.preselection import MANY, Preselection
from attribution.proposals import propose
from attribution.surroundings import surroundings
from attribution.text import Field, normalised, problem_texts
from attribution.vectors import fill, load, readable
from errata_client.model import JsonValue
from knowledge.batches import batches
from knowledge.cases import Problem
from knowledge.causes import RootCause, WorkOrder
from knowledge.errors import ConflictError
from knowledge.kinds import ATTRIBUTIONS, LABELS, PROBLEMS, ROOT_CAUSES, WORK_ORDERS
from knowledge.stage import Shift, StageReport
from knowledge.store import Query, Stored

WRITTEN_AT_ONCE = 500


def embed(shift: Shift, encoders: Sequence[Encoder], parameters: Parameters | None = None) -> StageReport:
    """Encode each distinct text once, by each encoder that reads it: what problems and exemplars say in the fields that
    inform. Texts that no encoder reads are listed. What a killed run wrote is not encoded again."""
    known = parameters or default_parameters()
    check_parameters(known, encoders)
    texts = {
        encoder.id: _informative_texts(shift, known.informative_fields(encoder.id)) for encoder in encoders
    }
    wanted = {encoder.id: readable(encoder, texts[encoder.id]) for encoder in encoders}
    total, done, new = sum(map(len, wanted.values())), 0, 0
    for encoder in encoders:
        before = done
        for count in fill(shift, encoder, wanted[encoder.id]):
            new += count
            done += count
            shift.progress(done, total)
        done = before + len(wanted[encoder.id])
        shift.progress(done, total)
    unread = set().union(*texts.values()) - set().union(*wanted.values()) - {""}
    counts = {"texts": len(set().union(*wanted.values())), "encoded": new, "unread": len(unread)}
    return StageReport(counts, tuple(_skipped(text) for text in sorted(unread)))


def attribute(
    shift: Shift, encoders: Sequence[Encoder], parameters: Parameters, *, preselect_above: int = MANY
) -> StageReport:
    """Decide every problem anew, with tonight's causes and answers; `counts` by verdict, and for how many it was proved that
    preselection had kept the winner, or could not be, so that all causes were scored."""
    problems = read_problems(shift)
    nearest = Preselection(shift.store.neighbours, shift.project, preselect_above)
    attributor = replace(attributor_of(shift, encoders, parameters), preselection=nearest)
    counts = Counter({"matched": 0, "abstained": 0, "unmatched": 0})
    done = 0
    for batch in batches(attributor.attribute(problems), WRITTEN_AT_ONCE):
        shift.guard()
        shift.store.collection(shift.project, ATTRIBUTIONS).put_many(batch)
        counts.update(attribution.verdict for attribution in batch)
        done += len(batch)
        shift.progress(done, len(problems))
    return StageReport({**counts, **nearest.proofs.counts()})


def cluster(shift: Shift, encoders: Sequence[Encoder], parameters: Parameters) -> StageReport:
    """Bring the work orders up to the unmatched problems: new ones, grown ones, and those that are settled by now.

    An order that a person decided stays as it is, also one decided while this runs. Written in the order of their
    numbers, so that a killed run goes on where it stopped.
    """
    problems = read_problems(shift)
    unmatched = _unmatched(shift, problems)
    stored = _orders(shift)
    orders = [one.item for one in stored.values()]
    similar = _likeness(shift, encoders, parameters, problems, orders, unmatched)
    by_fingerprint = {problem.fingerprint: problem for problem in problems}
    around = surroundings(shift, problems, unmatched)
    proposals = propose(unmatched, by_fingerprint, orders, similar, parameters, around)
    counts = Counter({"new": 0, "changed": 0, "settled": 0, "decided_meanwhile": 0})
    for kind, found in (
        ("changed", proposals.changed),
        ("settled", proposals.settled),
        ("new", proposals.new),
    ):
        for order in found:
            counts[kind if _written(shift, order, stored) else "decided_meanwhile"] += 1
    return StageReport({"unmatched": len(unmatched), **counts})


def _likeness(
    shift: Shift,
    encoders: Sequence[Encoder],
    parameters: Parameters,
    problems: Sequence[Problem],
    orders: Sequence[WorkOrder],
    unmatched: Sequence[Problem],
) -> Likeness:
    check_parameters(parameters, encoders)
    named = {fingerprint for order in orders for fingerprint in order.fingerprints}
    asked = {problem.fingerprint for problem in unmatched} | named
    compared = [problem for problem in problems if problem.fingerprint in asked]
    texts = [normalised(problem.error_pattern) for problem in compared]
    vectors = {encoder.id: load(shift, encoder, texts) for encoder in encoders}
    return Likeness(compared, vectors, parameters)


def _unmatched(shift: Shift, problems: Sequence[Problem]) -> list[Problem]:
    found = shift.store.collection(shift.project, ATTRIBUTIONS).scan(Query(where={"verdict": "unmatched"}))
    fingerprints = {one.item.fingerprint for one in found}
    return [problem for problem in problems if problem.fingerprint in fingerprints]


def _orders(shift: Shift) -> dict[str, Stored[WorkOrder]]:
    stored = shift.store.collection(shift.project, WORK_ORDERS).scan(Query())
    return dict(sorted((one.item.order_id, one) for one in stored))


def _written(shift: Shift, order: WorkOrder, known: Mapping[str, Stored[WorkOrder]]) -> bool:
    """Write a new order, or one that nobody changed since it was read; False if somebody did."""
    before = known.get(order.order_id)
    shift.guard()
    try:
        shift.store.collection(shift.project, WORK_ORDERS).put(order, before.version if before else None)
    except ConflictError:
        return False
    return True


def attributor_of(
    shift: Shift,
    encoders: Sequence[Encoder],
    parameters: Parameters,
    causes: Sequence[RootCause] | None = None,
) -> Attributor:
    """What decides problems in this project, now; with `causes` in place of the stored ones where they are given."""
    check_parameters(parameters, encoders)
    by_id = {encoder.id: encoder for encoder in encoders}

    def find(encoder: str, texts: Sequence[str]) -> Mapping[str, Vectors]:
        return load(shift, by_id[encoder], texts)

    known = read_causes(shift) if causes is None else list(causes)
    nearest = Preselection(shift.store.neighbours, shift.project)
    return Attributor(known, read_people(shift), parameters, tuple(by_id), find, shift.now, nearest)


def read_problems(shift: Shift) -> list[Problem]:
    """All problems of the project, by fingerprint."""
    stored = shift.store.collection(shift.project, PROBLEMS).scan(Query())
    return sorted((one.item for one in stored), key=lambda problem: problem.fingerprint)


def read_causes(shift: Shift) -> list[RootCause]:
    """All root causes of the project, by id."""
    stored = shift.store.collection(shift.project, ROOT_CAUSES).scan(Query())
    return sorted((one.item for one in stored), key=lambda cause: cause.cause_id)


def read_people(shift: Shift) -> Answers:
    """What people said in this project."""
    return read_answers(one.item for one in shift.store.collection(shift.project, LABELS).scan(Query()))


def _skipped(text: str) -> dict[str, JsonValue]:
    return {"text": text, "reason": "no encoder reads its script"}


def _informative_texts(shift: Shift, fields: Iterable[Field]) -> set[str]:
    wanted = tuple(fields)
    known = known_exemplars(read_causes(shift), read_people(shift))
    said = [problem_texts(problem) for problem in read_problems(shift)]
    return {texts[name] for texts in (*said, *(one.texts for one in known)) for name in wanted}
