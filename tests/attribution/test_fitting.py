"""Fitting: what is held out together, and what is chosen from labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attribution.encoders.hashing import HashingEncoder
from attribution.encoders.port import Vectors
from attribution.evaluation import Labelled
from attribution.fitting import Fitting, at
from attribution.held_out import Bench, folds
from attribution.parameters import Parameters, default_parameters
from knowledge.causes import RootCause
from tests.attribution.making import NOW, cause, plain_parameters, problem

ENCODER = HashingEncoder()


def labelled(number: int, text: str, root_cause: str | None = "RC-A", group: str = "") -> Labelled:
    name = f"L{number:03d}"
    return Labelled(name, problem(text, fingerprint=name), root_cause, group)


def vectors(encoder: str, texts: Sequence[str]) -> Mapping[str, Vectors]:
    assert encoder == ENCODER.id
    read = sorted({text for text in texts if text})
    return dict(zip(read, ENCODER.encode(read), strict=True))


def fitting(causes: Sequence[RootCause], target: float, base: Parameters | None = None) -> Fitting:
    return Fitting(Bench(causes, (ENCODER.id,), vectors, NOW), base or default_parameters(), target)


def test_labels_of_one_group_or_one_text_are_held_out_together() -> None:
    labels = [
        labelled(n, f"wheel {n % 7} of cart broke {'abcdefg'[n % 7]}", group="ab"[n % 2]) for n in range(4)
    ]
    labels += [labelled(10 + n, f"kettle {word} is cold") for n, word in enumerate("pqrs" * 2)]
    parts = folds(labels, 3)
    assert sorted(one.label_id for part in parts for one in part) == sorted(one.label_id for one in labels)
    for part in parts:
        others = [one for other in parts if other is not part for one in other]
        assert not {one.group for one in part if one.group} & {one.group for one in others if one.group}
        assert not {one.problem.error_pattern for one in part} & {one.problem.error_pattern for one in others}


def test_the_parts_depend_on_the_labels_and_not_on_their_order() -> None:
    labels = [labelled(n, f"pipe {word} leaks") for n, word in enumerate("abcdefghij")]
    assert folds(labels, 4) == folds(labels[::-1], 4)


def test_too_few_pairs_leave_the_calibration_as_it_was() -> None:
    found = fitting([cause("RC-A", "pipe leaks")], 0.2).fit(
        [labelled(n, f"pipe {w} leaks") for n, w in enumerate("abc")]
    )
    packaged = default_parameters().calibrations[ENCODER.id]
    assert found.calibrations[ENCODER.id] == packaged


def test_many_pairs_give_a_calibration_of_their_own() -> None:
    words = [
        f"{one}{two}"
        for one in ("red", "dry", "old", "big", "hot")
        for two in ("nail", "rope", "tank", "pump")
    ]
    causes = [
        cause(
            f"RC-{w}",
            *(f"{w} {w} is {s} today {w}" for s in ("bent", "lost", "wet", "loose", "split", "worn")),
        )
        for w in words
    ]
    labels = [
        labelled(n, f"{w} {w} is {s} now {w}", f"RC-{w}")
        for n, (w, s) in enumerate((w, s) for w in words for s in ("torn", "gone"))
    ]
    found = fitting(causes, 0.2).fit(labels).calibrations[ENCODER.id].error_pattern
    assert found.pairs[1] >= 10_000
    assert found.informative


def test_where_no_threshold_keeps_the_bound_the_threshold_stays() -> None:
    labels = [labelled(n, f"pipe leaks {w}", None) for n, w in enumerate("abcdef")]
    base = plain_parameters(ENCODER.id)
    assert fitting([cause("RC-A", "pipe leaks a")], 0.01, base).fit(labels).threshold == base.threshold


def test_a_cause_that_took_a_case_wrongly_gets_a_threshold_over_it() -> None:
    texts = [
        "pipe leaks at the joint",
        "the valve is stuck shut",
        "the pump makes a noise",
        "no water in the tank",
    ]
    causes = [cause(f"RC-{n}", text) for n, text in enumerate(texts)]
    labels = [labelled(n, text, f"RC-{n}") for n, text in enumerate(texts)]
    labels.append(labelled(9, "pipe leaks at the joint there", None))
    found = fitting(causes, 0.9, plain_parameters(ENCODER.id)).fit(labels)
    assert list(found.thresholds) == ["RC-0"]
    assert found.thresholds["RC-0"] > 0.7


def test_another_threshold_moves_that_of_a_lone_encoder_along_and_a_causes_own_only_up() -> None:
    base = plain_parameters(ENCODER.id, thresholds={"RC-A": 0.92})
    low, high = at(base, 0.70), at(base, 0.95)
    assert (low.threshold, round(low.lone_threshold, 2), low.thresholds) == (0.70, 0.75, {"RC-A": 0.92})
    assert (high.threshold, round(high.lone_threshold, 2), high.thresholds) == (0.95, 1.0, {"RC-A": 0.95})
