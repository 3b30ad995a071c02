"""The three stages of level 2 in a night: embed, attribute, cluster. Each may be killed anywhere and run again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from attribution.answers import Answers, read_answers
from attribution.attributor import Attributor
from attribution.encoders.port import Encoder, Vectors
from attribution.exemplars import known_exemplars
from attribution.parameters import Parameters, check_parameters, default_parameters
from attribution.text import Field, problem_texts
from attribution.vectors import fill, load, readable
from errata_client.model import JsonValue
from knowledge.batches import batches
from knowledge.cases import Problem
from knowledge.causes import RootCause
from knowledge.kinds import ATTRIBUTIONS, LABELS, PROBLEMS, ROOT_CAUSES
from knowledge.stage import Shift, StageReport
from knowledge.store import Query

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


def attribute(shift: Shift, encoders: Sequence[Encoder], parameters: Parameters) -> StageReport:
    """Decide every problem anew, with tonight's causes and answers; `counts` by verdict."""
    problems = read_problems(shift)
    attributor = attributor_of(shift, encoders, parameters)
    counts = Counter({"matched": 0, "abstained": 0, "unmatched": 0})
    done = 0
    for batch in batches(attributor.attribute(problems), WRITTEN_AT_ONCE):
        shift.guard()
        shift.store.collection(shift.project, ATTRIBUTIONS).put_many(batch)
        counts.update(attribution.verdict for attribution in batch)
        done += len(batch)
        shift.progress(done, len(problems))
    return StageReport(dict(counts))


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
    return Attributor(known, read_people(shift), parameters, tuple(by_id), find, shift.now)


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
