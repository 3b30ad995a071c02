"""The ladder, from problems to attributions, with encoders whose vectors are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from attribution.answers import read_answers
from attribution.attributor import Attributor
from attribution.encoders.port import Vectors
from attribution.parameters import Parameters
from knowledge.cases import Problem
from knowledge.causes import Attribution, Label, RootCause
from tests.attribution.making import NOW, TableEncoder, angle, cause, label, plain_parameters, problem

TABLE = {
    "lost parcel": angle(1.0),
    "parcel was lost": angle(0.95),
    "parcel may be lost": angle(0.8),
    "van broke down": angle(0.3),
    "parcel is late": angle(0.9),
}
LOST = cause("RC-A", "parcel was lost")
LATE = cause("RC-B", "parcel is late")
FAR = cause("RC-C", "van broke down")
ASKED = problem("lost parcel")


def attribute(
    causes: Sequence[RootCause],
    labels: Sequence[Label] = (),
    asked: Problem = ASKED,
    parameters: Parameters | None = None,
    encoders: Sequence[TableEncoder] = (TableEncoder("one", TABLE),),
) -> Attribution:
    by_id = {encoder.id: encoder for encoder in encoders}

    def find(encoder: str, texts: Sequence[str]) -> Mapping[str, Vectors]:
        read = sorted({text for text in texts if by_id[encoder].reads(text)})
        return dict(zip(read, by_id[encoder].encode(read), strict=True)) if read else {}

    used = parameters or plain_parameters(*by_id)
    (found,) = Attributor(causes, read_answers(labels), used, tuple(by_id), find, NOW).attribute([asked])
    return found


def test_over_the_threshold_and_ahead_of_the_next_cause_is_a_match_that_explains_itself() -> None:
    found = attribute([LOST, FAR])
    assert (found.verdict, found.root_cause, found.rung, found.score) == ("matched", "RC-A", "score", 0.95)
    assert found.runner_up is not None
    assert (found.runner_up.cause_id, found.runner_up.score) == ("RC-C", 0.3)
    assert (found.threshold, found.margin, found.encoders) == (0.85, 0.08, ("one",))
    assert found.weights == {"user_intent": 0.4, "error_pattern": 0.3, "step_context": 0.3}
    assert found.winner is not None
    assert found.winner.exemplar == "parcel was lost"
    assert "ahead of RC-C with 0.3000" in found.reason
    assert found.decided_at == NOW


def test_two_causes_within_the_margin_are_left_to_a_person() -> None:
    found = attribute([LOST, LATE])
    assert (found.verdict, found.root_cause) == ("abstained", None)
    assert "RC-B follows with 0.9000" in found.reason


def test_two_exemplars_of_one_cause_do_not_rival_each_other() -> None:
    assert attribute([cause("RC-A", "parcel was lost", "parcel is late"), FAR]).verdict == "matched"


@pytest.mark.parametrize(
    ("score", "verdict"), [(0.85, "matched"), (0.8, "abstained"), (0.75, "abstained"), (0.7, "unmatched")]
)
def test_the_band_below_the_threshold_is_a_persons(score: float, verdict: str) -> None:
    encoder = TableEncoder("one", {"lost parcel": angle(1.0), "like it": angle(score)})
    assert attribute([cause("RC-A", "like it")], encoders=[encoder]).verdict == verdict


def test_a_template_may_set_its_own_threshold() -> None:
    strict = attribute([LOST.model_copy(update={"threshold": 0.97})])
    assert (strict.verdict, strict.threshold) == ("abstained", 0.97)
    lenient = cause("RC-A", "parcel may be lost", threshold=0.8)
    assert attribute([lenient]).verdict == "matched"


def test_a_fit_may_set_thresholds_of_single_causes_and_the_templates_own_goes_before() -> None:
    fitted = plain_parameters("one", thresholds={"RC-A": 0.97})
    assert attribute([LOST, FAR], parameters=fitted).verdict == "abstained"
    own = LOST.model_copy(update={"threshold": 0.9})
    assert attribute([own, FAR], parameters=fitted).verdict == "matched"


def test_encoders_that_prefer_different_causes_are_left_to_a_person() -> None:
    other = {**TABLE, "parcel was lost": angle(0.9), "van broke down": angle(0.95)}
    parameters = plain_parameters("one", "two", margin=0.0)
    encoders = [TableEncoder("one", TABLE), TableEncoder("two", other)]
    found = attribute([LOST, FAR], parameters=parameters, encoders=encoders)
    assert found.verdict == "abstained"
    assert "two prefers RC-C" in found.reason


def test_an_encoder_that_cannot_read_the_text_has_no_say() -> None:
    blind = TableEncoder("two", {"nothing": angle(1.0)})
    found = attribute([LOST, FAR], encoders=[TableEncoder("one", TABLE), blind])
    assert (found.verdict, found.encoders) == ("matched", ("one",))


def test_one_encoder_alone_of_several_needs_more() -> None:
    blind = TableEncoder("two", {"nothing": angle(1.0)})
    late = cause("RC-A", "lost parcel")
    asked = problem("like it")
    table = {"lost parcel": angle(1.0), "like it": angle(0.87)}
    assert attribute([late], asked=asked, encoders=[TableEncoder("one", table)]).verdict == "matched"
    found = attribute([late], asked=asked, encoders=[TableEncoder("one", table), blind])
    assert (found.verdict, found.threshold) == ("abstained", 0.9)


def test_a_text_that_nobody_reads_is_left_to_a_person() -> None:
    found = attribute([LOST], asked=problem("???"))
    assert (found.verdict, found.rung) == ("abstained", "none")
    assert "no field that informs" in found.reason


def test_where_no_field_informs_the_answer_is_a_persons() -> None:
    flat = Parameters.model_validate({"calibrations": {"one": {}}})
    assert attribute([LOST], parameters=flat).verdict == "abstained"


@pytest.mark.parametrize(
    "gate",
    [
        {"error_codes": ("tool.timeout",)},
        {"error_kinds": ("not_found",)},
        {"tools": ("track_parcel",)},
        {"enabled": False},
    ],
)
def test_a_gate_that_does_not_cover_the_problem_keeps_its_cause_out(gate: dict[str, object]) -> None:
    found = attribute([cause("RC-A", "parcel was lost", **gate)])
    assert (found.verdict, found.winner) == ("unmatched", None)
    assert "no root cause covers tool.error (unknown)" in found.reason


def test_gates_that_cover_the_problem_let_it_through_on_any_tool() -> None:
    gated = cause("RC-A", "parcel was lost", error_kinds=("unknown", "not_found"))
    assert attribute([gated], asked=problem("lost parcel", tool="another")).root_cause == "RC-A"
    named = cause("RC-A", "parcel was lost", tools=("call_tool",))
    assert attribute([named]).root_cause == "RC-A"


def test_what_a_person_confirmed_is_the_answer_whatever_the_scores_say() -> None:
    found = attribute([LOST, FAR], [label(ASKED, "confirm", "RC-C")])
    assert (found.verdict, found.root_cause, found.rung) == ("matched", "RC-C", "confirmed")
    assert "mei said so" in found.reason


def test_a_reassignment_is_a_persons_answer() -> None:
    found = attribute([LOST, FAR], [label(ASKED, "reassign", "RC-C")])
    assert (found.root_cause, found.rung) == ("RC-C", "person")


def test_no_template_fits_is_an_answer_too() -> None:
    found = attribute([LOST], [label(ASKED, "reassign", None)])
    assert (found.verdict, found.root_cause, found.rung) == ("unmatched", None, "person")


def test_a_rejected_pair_never_matches_again() -> None:
    found = attribute([LOST, FAR], [label(ASKED, "reject", "RC-A")])
    assert found.root_cause is None
    assert found.winner is not None
    assert found.winner.cause_id == "RC-C"
    only = attribute([LOST], [label(ASKED, "reject", "RC-A")])
    assert only.verdict == "unmatched"
    assert "rejected every root cause" in only.reason


def test_a_rejection_holds_for_nearly_the_same_text() -> None:
    long = "the parcel was lost on its way to the customer"
    encoder = TableEncoder("one", {long: angle(1.0), f"{long}s": angle(1.0)})
    causes = [cause("RC-A", long)]
    other = problem(f"{long}s")
    assert attribute(causes, asked=other, encoders=[encoder]).verdict == "matched"
    rejected = attribute(causes, [label(problem(long), "reject", "RC-A")], asked=other, encoders=[encoder])
    assert rejected.verdict == "unmatched"


def test_nearly_the_same_text_as_a_confirmed_one_gets_the_same_answer() -> None:
    told = problem("the parcel was lost on its way to the customer")
    asked = problem("the parcels was lost on its way to the customer")
    found = attribute([FAR], [label(told, "confirm", "RC-C")], asked=asked)
    assert (found.verdict, found.root_cause, found.rung) == ("matched", "RC-C", "near_text")


def test_near_texts_with_different_answers_are_left_to_a_person() -> None:
    text = "the parcel was lost on its way to the customer"
    labels = [
        label(problem(text, tool="a"), "confirm", "RC-A"),
        label(problem(text, tool="b"), "confirm", "RC-C"),
    ]
    same = attribute([LOST, FAR], labels, asked=problem(text, tool="c"))
    assert (same.verdict, same.rung) == ("abstained", "same_text")
    near = attribute([LOST, FAR], labels, asked=problem(text.replace("customer", "customers"), tool="c"))
    assert (near.verdict, near.rung) == ("abstained", "near_text")


def test_a_near_text_under_another_code_or_kind_says_nothing() -> None:
    text = "the parcel was lost on its way to the customer"
    told = label(problem(text, error_kind="not_found"), "confirm", "RC-A")
    assert attribute([LOST], [told], asked=problem(text)).rung != "near_text"


def test_the_newest_answer_of_a_pair_counts() -> None:
    back = [label(ASKED, "reject", "RC-A", minute=0), label(ASKED, "confirm", "RC-A", minute=1)]
    assert attribute([LOST], back).root_cause == "RC-A"
    away = [label(ASKED, "confirm", "RC-A", minute=0), label(ASKED, "reject", "RC-A", minute=1)]
    assert attribute([LOST], away).root_cause is None
    assert attribute([LOST], list(reversed(away))).root_cause is None


def test_a_confirmed_problem_becomes_an_exemplar_of_its_cause() -> None:
    told = problem("parcel was lost", tool="other")
    found = attribute([cause("RC-C", "van broke down")], [label(told, "confirm", "RC-C")])
    assert (found.verdict, found.root_cause, found.rung) == ("matched", "RC-C", "score")


def test_a_confirmed_cause_that_is_gone_or_disabled_is_not_an_answer() -> None:
    labels = [label(ASKED, "confirm", "RC-GONE")]
    assert attribute([LOST], labels).root_cause == "RC-A"
    assert (
        attribute([LOST.model_copy(update={"enabled": False})], [label(ASKED, "confirm", "RC-A")]).root_cause
        is None
    )


def test_the_opposite_of_an_exemplar_is_left_to_a_person() -> None:
    encoder = TableEncoder("one", {"order found": angle(1.0), "order not found": angle(0.97)})
    found = attribute([cause("RC-A", "order not found")], asked=problem("order found"), encoders=[encoder])
    assert found.verdict == "abstained"
    assert "negates" in found.reason
