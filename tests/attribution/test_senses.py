"""Senses: texts that share hardly a word and say the same kind of mistake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from attribution.answers import read_answers
from attribution.attributor import Attributor
from attribution.encoders.port import Encoder, Vectors
from attribution.languages import is_chinese
from attribution.parameters import default_parameters
from attribution.senses.phrasebook import Sense, edition, phrasebook, texts_of
from attribution.senses.probe import Probe, Probes, packaged_probes, read_probes, write_probes
from knowledge.causes import Attribution, Label, RootCause
from tests.attribution.making import NOW, cause, label, problem

SENSES = (Sense(name="a", says="it is a", whole=True), Sense(name="b", says="it is b", whole=False))
MISSING = cause("RC-MISSING", "Missing required parameter: 'x'.", "缺少必填参数 'x'")
TYPE = cause("RC-TYPE", "Incorrect type for parameter 'x'. Expected type integer, got str.")


def attribute(
    encoders: Sequence[Encoder],
    text: str,
    causes: Sequence[RootCause] = (MISSING, TYPE),
    labels: Sequence[Label] = (),
    probes: Probes | None = None,
) -> Attribution:
    by_id = {encoder.id: encoder for encoder in encoders}

    def find(encoder: str, texts: Sequence[str]) -> Mapping[str, Vectors]:
        read = sorted({one for one in texts if one and by_id[encoder].reads(one)})
        return dict(zip(read, by_id[encoder].encode(read), strict=True)) if read else {}

    used = probes or packaged_probes()
    answers, parameters = read_answers(labels), default_parameters()
    attributor = Attributor(causes, answers, parameters, tuple(by_id), find, NOW, probes=used)
    (found,) = attributor.attribute([problem(text)])
    return found


def test_the_packaged_probes_were_fitted_to_this_edition_of_the_phrasebook() -> None:
    """After a change of the phrasebook: python -m benchmarks.senses --write."""
    assert packaged_probes().edition == edition()
    told = [(sense.name, sense.says, sense.whole) for sense in phrasebook()]
    assert [(sense.name, sense.says, sense.whole) for sense in packaged_probes().senses] == told


def test_no_wording_stands_under_two_senses() -> None:
    texts = [text for sense in phrasebook() for text in texts_of(sense)]
    assert len(texts) == len(set(texts))


def test_each_sense_that_matches_is_worded_in_both_languages() -> None:
    for sense in phrasebook():
        if sense.whole:
            assert any(is_chinese(text) for text in sense.wordings), sense.name
            assert any(not is_chinese(text) for text in sense.wordings), sense.name


def test_a_text_in_words_that_no_exemplar_has_is_matched_by_what_it_says(
    default_encoders: Sequence[Encoder],
) -> None:
    found = attribute(default_encoders, "The tool was invoked without its mandatory field")
    assert (found.verdict, found.root_cause, found.rung) == ("matched", "RC-MISSING", "same_sense")
    assert "a required argument is missing" in found.reason
    assert "those of RC-TYPE do not" in found.reason


def test_two_causes_that_say_the_same_are_not_told_apart_by_it(default_encoders: Sequence[Encoder]) -> None:
    twin = cause("RC-TWIN", "a mandatory field was not filled in")
    found = attribute(default_encoders, "The tool was invoked without its mandatory field", [MISSING, twin])
    assert found.rung != "same_sense"


def test_a_cause_whose_texts_say_several_things_is_not_matched_by_one_of_them(
    default_encoders: Sequence[Encoder],
) -> None:
    broad = cause(
        "RC-BROAD", "Missing required parameter", "Unexpected parameter", "Wrong number of functions."
    )
    found = attribute(default_encoders, "The tool was invoked without its mandatory field", [broad])
    assert found.rung != "same_sense"


def test_what_a_person_rejected_is_not_brought_back_by_its_sense(default_encoders: Sequence[Encoder]) -> None:
    text = "The tool was invoked without its mandatory field"
    rejected = label(problem(text), "reject", "RC-MISSING")
    assert attribute(default_encoders, text, labels=[rejected]).root_cause is None


def test_words_that_leave_the_matter_open_settle_nothing(default_encoders: Sequence[Encoder]) -> None:
    lost = cause("RC-ORDER", "order not found", "there is no order with this number")
    found = attribute(default_encoders, "we have never heard of any such customer", [lost])
    assert found.root_cause is None


def test_an_encoder_without_a_probe_has_no_say(default_encoders: Sequence[Encoder]) -> None:
    none = Probes(edition(), packaged_probes().senses, {})
    found = attribute(default_encoders, "The tool was invoked without its mandatory field", probes=none)
    assert found.rung == "score"


def test_chances_are_those_of_all_readers_together_and_nothing_where_nobody_reads() -> None:
    sure = Probe(np.array([[4.0, 0.0]], dtype=np.float32), np.zeros(2, dtype=np.float32))
    probes = Probes("1", SENSES, {"one": sure, "two": sure})
    vector = np.ones(1, dtype=np.float32)
    found = probes.chances(
        ["by both", "by one", "by none"],
        {"one": {"by both": vector, "by one": vector}, "two": {"by both": vector}},
    )
    assert found.sum(axis=1) == pytest.approx([1.0, 1.0, 0.0])
    assert found[0, 0] == pytest.approx(1 / (1 + np.exp(-8.0)))
    assert found[1, 0] == pytest.approx(1 / (1 + np.exp(-4.0)))


def test_probes_are_read_as_they_were_written() -> None:
    probe = Probe(np.array([[0.5, -2.0]], dtype=np.float32), np.array([1.0, 0.0], dtype=np.float32))
    written = read_probes(write_probes(Probes("7", SENSES, {"owner/name@1": probe})))
    assert (written.edition, written.senses) == ("7", SENSES)
    assert written.by_encoder["owner/name@1"].weights.tolist() == [[0.5, -2.0]]
    assert written.by_encoder["owner/name@1"].bias.tolist() == [1.0, 0.0]
