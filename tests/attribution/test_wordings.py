"""What a cause's confirmed texts teach: the same form, the same words, words that may differ; and what is only put alike."""

from __future__ import annotations

import pytest

from attribution.answers import read_answers
from attribution.slots import Slots
from attribution.text import cased, normalised, skeleton
from attribution.wordings import Found, Wordings
from knowledge.causes import Label
from tests.attribution.making import cause, label, problem

TYPES = ("integer", "string", "number", "boolean", "array")
CAUSES = [cause("RC-type"), cause("RC-list"), cause("RC-scalar")]
IDS = {"RC-type", "RC-list", "RC-scalar"}


def confirmed(root_cause: str | None, *patterns: str) -> list[Label]:
    answer = "confirm" if root_cause else "reassign"
    return [
        label(problem(pattern, fingerprint=f"{root_cause}-{number}"), answer, root_cause, number)
        for number, pattern in enumerate(patterns)
    ]


def wordings(*labels: Label) -> Wordings:
    return Wordings.of(CAUSES, read_answers(labels))


def types(
    count: int = 40, pattern: str = "Wrong type for <quoted>: expected {one}, got {other}."
) -> list[str]:
    pairs = [(one, other) for one in TYPES for other in TYPES if one != other][:-1]
    return [pattern.format(one=one, other=other) for one, other in (pairs * 3)[:count]]


def test_a_form_tells_a_list_from_a_number_where_the_words_are_the_same() -> None:
    known = wordings(
        *confirmed(
            "RC-list", *["Invalid value for <quoted>: [<num>, <quoted>]. Expected one of [<num>]."] * 3
        ),
        *confirmed("RC-scalar", *["Invalid value for <quoted>: <num>. Expected one of [<num>, <num>]."] * 3),
    )
    asked = problem("Invalid value for <quoted>: [<quoted>, <quoted>, <num>]. Expected one of [<quoted>].")
    assert normalised(asked.error_pattern) == normalised(
        "Invalid value for <quoted>: <num>. Expected one of []."
    )
    found = known.same(asked, IDS)
    assert found is not None
    assert found.causes == {"RC-list"}


def test_the_same_words_in_a_form_that_never_came_before_are_not_the_same() -> None:
    known = wordings(*confirmed("RC-scalar", *["Bad value for <quoted>: <num>. Try <num>."] * 20))
    listed = problem("Bad value for <quoted>: [<num>, <num>]. Try <num>.")
    assert known.same(problem("Bad value for <quoted>: <num>. Try <num>."), IDS) is not None
    assert known.same(listed, IDS) is None
    assert known.near(listed, IDS) is None
    missed = known.near_miss(listed, "RC-scalar")
    assert missed is not None
    assert "form" in missed


def test_one_text_of_two_causes_makes_them_twins() -> None:
    text = "Wrong number of calls."
    found = wordings(*confirmed("RC-list", text), *confirmed("RC-scalar", text)).same(problem(text), IDS)
    assert found is not None
    assert found.causes == {"RC-list", "RC-scalar"}


def test_twins_are_told_apart_by_the_place_where_they_happen() -> None:
    text = "Wrong number of calls."
    labels = [
        label(
            problem(text, fingerprint=f"{name}-{number}", context_text=place), "confirm", name, number
        ).model_copy(update={"step_context": place})
        for name, place in (("RC-list", "parallel step"), ("RC-scalar", "single step"))
        for number in range(6)
    ]
    here = wordings(*labels).same(problem(text, context_text="parallel step"), IDS)
    elsewhere = wordings(*labels).same(problem(text, context_text="another step"), IDS)
    assert here is not None
    assert elsewhere is not None
    assert here.causes == {"RC-list"}
    assert len(elsewhere.causes) == 2


def test_a_text_that_a_person_gave_no_template_is_answered_so() -> None:
    found = wordings(*confirmed(None, "The moon is full.")).same(problem("The moon is full."), IDS)
    assert found is not None
    assert found.causes == {None}


def test_words_may_differ_where_the_confirmed_texts_differ_among_themselves() -> None:
    known = wordings(*confirmed("RC-type", *types()))
    new = problem("Wrong type for <quoted>: expected array, got boolean.")
    assert new.error_pattern not in types()
    found = known.near(new, IDS)
    assert found is not None
    assert found.causes == {"RC-type"}


@pytest.mark.parametrize(
    "text",
    [
        "Wrong type for <quoted>: expected String, got boolean.",
        "Wrong type for <quoted>: expected nothing, got boolean.",
        "Wrong type for <quoted>: never expected array, got boolean.",
    ],
)
def test_words_that_never_stood_there_or_stood_in_other_letters_are_no_match(text: str) -> None:
    known = wordings(*confirmed("RC-type", *types()))
    found = known.near(problem(text), IDS)
    assert found is None or not found.causes


def test_a_word_in_other_letters_is_a_doubt_and_capitals_alone_are_none() -> None:
    known = wordings(*confirmed("RC-type", *types()))
    assert (
        known.recased(problem("Wrong type for <quoted>: expected String, got array."), "RC-type") == "String"
    )
    assert known.recased(problem("WRONG TYPE FOR <quoted>: EXPECTED STRING, GOT ARRAY."), "RC-type") is None
    assert known.recased(problem("Expected string, got array."), "RC-type") is None


def test_a_text_with_words_that_no_confirmed_one_has_is_a_near_miss_and_a_paraphrase_is_not() -> None:
    known = wordings(*confirmed("RC-type", *types()))
    alike = known.near_miss(
        problem("Wrong type for <quoted>: expected array, got array elements."), "RC-type"
    )
    assert alike is not None
    assert "element" in alike
    assert known.near_miss(problem("The kind of thing passed is not the one asked for."), "RC-type") is None
    assert (
        wordings(*confirmed("RC-type", *types(5))).near_miss(problem("Wrong type of item"), "RC-type") is None
    )


def test_a_cause_that_a_person_rejected_is_not_found() -> None:
    known = wordings(*confirmed("RC-type", "gone"))
    assert known.same(problem("gone"), IDS - {"RC-type"}) is None


def test_labels_of_another_code_or_kind_say_nothing() -> None:
    known = wordings(*confirmed("RC-type", "gone"))
    assert known.same(problem("gone", error_kind="not_found"), IDS) is None
    assert isinstance(known.same(problem("gone"), IDS), Found)


def test_chinese_texts_are_known_by_their_form_too() -> None:
    known = wordings(*confirmed("RC-list", *["参数 <quoted> 的取值 [<num>] 不正确。"] * 3))
    found = known.same(problem("参数 <quoted> 的取值 [<num>, <num>] 不正确。"), IDS)
    assert found is not None
    assert found.causes == {"RC-list"}


def test_a_slot_that_goes_on_bringing_new_words_is_open_and_one_that_does_not_is_closed() -> None:
    names = [f"city{chr(97 + number)}" for number in range(12)]
    opened = Slots.of([("RC", f"no hotel in {name} tonight") for name in names])
    closed = Slots.of([("RC", f"no hotel in {name} tonight") for name in names[:3] * 10])
    assert opened.causes_of("no hotel in Xanadu tonight") == {"RC"}
    assert closed.causes_of("no hotel in Xanadu tonight") == frozenset()
    assert closed.causes_of(f"no hotel in {names[1]} tonight") == {"RC"}
    assert closed.misplaced("RC", "no hotel in Xanadu tonight", 15) == "Xanadu"
    assert opened.causes_of("no hotel in not tonight") == frozenset()


def test_nested_lists_mappings_and_literals_are_one_word_each() -> None:
    assert skeleton("got [[<num>], {<quoted>: [<num>, True]}] not None") == "got <list> not <literal>"
    assert cased("Instance TwitterDesk of ValueError is not get_user") == "Instance of ValueError is not"
