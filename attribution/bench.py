"""A project's own labels and causes, ready for fits to be tried on: what people said, and vectors that are read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attribution.encoders.port import Encoder, Vectors
from attribution.evaluation import Labelled
from attribution.held_out import Bench
from attribution.stages import read_causes, read_people
from attribution.vectors import load
from knowledge.cases import Problem
from knowledge.causes import Label
from knowledge.stage import Shift


def bench_of(shift: Shift, encoders: Sequence[Encoder]) -> Bench:
    """The project's causes with these encoders; each text's vector is encoded once for good and read once here."""
    by_id = {encoder.id: encoder for encoder in encoders}
    known: dict[str, dict[str, Vectors]] = {name: {} for name in by_id}

    def find(encoder: str, texts: Sequence[str]) -> Mapping[str, Vectors]:
        new = {text for text in texts if text and text not in known[encoder]}
        known[encoder].update(load(shift, by_id[encoder], new) if new else {})
        return {text: known[encoder][text] for text in texts if text in known[encoder]}

    return Bench(read_causes(shift), tuple(by_id), find, shift.now)


def people_said(shift: Shift) -> list[Labelled]:
    """The newest answer for each problem that people settled, on a cause that the project has or on none."""
    causes = {cause.cause_id for cause in read_causes(shift)}
    said = [as_labelled(label) for label in read_people(shift).settled.values()]
    return [one for one in said if one.root_cause is None or one.root_cause in causes]


def as_labelled(label: Label) -> Labelled:
    """A person's answer as a labelled problem."""
    problem = Problem(
        fingerprint=label.fingerprint,
        error_code=label.error_code,
        error_kind=label.error_kind,
        step_id="",
        tool=None,
        error_pattern=label.error_pattern,
        error_message=label.error_pattern,
        user_intent=label.user_intent,
        context_text=label.step_context,
        exemplar=label.label_id,
        count=1,
        first_seen=label.at,
        last_seen=label.at,
    )
    return Labelled(label.fingerprint, problem, label.root_cause)
