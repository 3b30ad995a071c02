"""What patterns mean: one form however they are written, examples that match, and texts that two match at once."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata_client.matching import Pattern
from strategies.patterns.examples import examples_of, text_of_both, texts_made_to_match
from strategies.patterns.normal import normal_pattern


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"^(\d{7})$", "^([0-9]{7})$"),
        (r"^\d\d$", r"^\d{2}$"),
        ("aa*", "a+"),
        ("(?i)abc", "[aA][Bb][cC]"),
        ("", "(?s).*"),
        ("", "^.*$"),
        ("a|b|c", "[a-c]"),
        ("foo|bar", "bar|foo"),
        ("(?:x)?", "|x"),
        (r"\Qa.b\E", r"a\.b"),
        (r"a\.b", "a[.]b"),
        ("[[:digit:]]", r"\d"),
        ("x.*", "x"),
        ("(?P<n>ab)", "ab"),
        (r"订单\p{Han}+号", r"订单\p{Han}{1,}号"),
    ],
)
def test_patterns_that_mean_the_same_have_one_form(one: str, other: str) -> None:
    assert normal_pattern(one) == normal_pattern(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [(r"^\d{7}$", r"^\d{8}$"), ("a", "(?i)a"), ("^a", "a"), ("a.b", r"a\.b"), ("ab|a", "ab"), (r"\ba", "a")],
)
def test_patterns_that_mean_something_else_do_not(one: str, other: str) -> None:
    assert normal_pattern(one)[0] != normal_pattern(other)[0]


def test_captures_are_told_by_what_the_template_uses() -> None:
    one, numbers = normal_pattern(r"^(#)?(W)?(\d{7})$", [3])
    other, others = normal_pattern(r"^#?W?(?P<digits>[0-9]{7})$", [1])
    whole, third = normal_pattern(r"^\d{7}$", [0])
    assert (one, numbers[3]) == (other, others[1])
    assert (whole, third[0]) == (normal_pattern(r"^(\d{7})$", [1])[0], 1)


PARTS = st.sampled_from(
    [
        r"\d",
        "[a-c]",
        "x",
        "ab?",
        r"\w{2,3}",
        "(?:y|zz)",
        "(q)",
        ".",
        "#?",
        r"\s+",
        "^",
        "$",
        "中",
        "[^a]",
        r"\.",
    ]
)
PATTERNS = st.lists(PARTS, min_size=1, max_size=5).map("".join)


@settings(deadline=None, max_examples=150)
@given(PATTERNS)
def test_every_example_is_matched_by_its_pattern(pattern: str) -> None:
    searched = Pattern(pattern)
    assert all(searched.found(text) for text in examples_of(pattern))


@settings(deadline=None, max_examples=150)
@given(PATTERNS, PATTERNS, st.text("abcxyzq12 #中.", max_size=6))
def test_a_text_that_both_match_is_found_wherever_there_is_one(one: str, other: str, tried: str) -> None:
    found = text_of_both(one, other)
    if found is not None:
        assert Pattern(one).found(found)
        assert Pattern(other).found(found)
    elif Pattern(one).found(tried):
        assert not Pattern(other).found(tried)


@settings(deadline=None, max_examples=100)
@given(PATTERNS)
def test_the_one_form_of_a_pattern_is_that_of_the_pattern_in_brackets(pattern: str) -> None:
    assert normal_pattern(pattern)[0] == normal_pattern(f"(?:{pattern})")[0]


def test_a_shared_text_needs_no_row_to_be_found() -> None:
    assert text_of_both(r"^W\d{3,}$", r"^\w{4}$") == "W000"
    assert text_of_both("^a$", "^b$") is None
    assert text_of_both("^订单", "号$") == "订单号"


def test_what_a_rewriting_makes_is_held_against_another_pattern() -> None:
    (made, *_) = texts_made_to_match(r"^#?W?(\d{7})$", "#W{1}", "^#W0+$")
    assert made.endswith("0000000")
    assert not list(texts_made_to_match(r"^#?W?(\d{7})$", "#W{1}", "^X"))


@pytest.mark.parametrize("pattern", ["(?:(?:a{0,50}){0,20}){0,1}" + "b" * 50, "x" * 2_000, r"(\pL|\pN)+"])
def test_patterns_that_are_too_large_or_unknown_are_left_alone(pattern: str) -> None:
    assert normal_pattern(pattern)[0]
    assert text_of_both(pattern, "^never$") is None
