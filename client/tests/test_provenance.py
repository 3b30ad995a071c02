"""Where a value was seen before."""

from __future__ import annotations

import pytest

from errata_client.provenance import Sources, trace

PERSON = (
    "Hi, my order is #W2378156, my email is mia.li3818@example.com, I want 1,234.50 dollars back on 555-123-4567. "
    "我的订单号是W7654321谢谢,我去北京。 2 bags of 20kg. I live in 123 Main St., Apt 4. My id is mia_li_3668. Ünal"
)
RETURNED = '{"payment_methods":{"credit_card_4421486":{"brand":"visa"}},"total":120,"ok":true,"note":null,"city":"New York"}'


def given_sources() -> Sources:
    sources = Sources()
    sources.prompt("Example: order #W0000001 of sofia_li_9999")
    sources.hear(PERSON)
    sources.returned(RETURNED)
    return sources


@pytest.mark.parametrize(
    "value",
    [
        *("W2378156", "#W2378156", "#w2378156", "Ｗ2378156", "W-2378156"),
        *("mia.li3818@example.com", "MIA.LI3818@EXAMPLE.COM", "mia_li_3668", "mia-li-3668", "3668"),
        *(1234.5, "$1,234.50", "1234.50", "5551234567", 2, "20", 20.0),
        *("W7654321", "北京", "ünal", "U\u0308nal"),
        *("123 Main St., Apt 4", "123 main st apt 4", "apt 4, 123 Main St"),
    ],
)
def test_what_a_person_wrote_is_from_a_person_however_it_is_shaped(value: object) -> None:
    assert given_sources().provenance(value) == "person"


@pytest.mark.parametrize(
    "value", ["credit_card_4421486", "4421486", "visa", 120, "120", "120.0", "$120", True, None, "New York"]
)
def test_what_a_tool_returned_is_from_a_tool_keys_included(value: object) -> None:
    assert given_sources().provenance(value) == "tool"


@pytest.mark.parametrize("value", ["W0000001", "#W0000001", "sofia_li_9999"])
def test_an_example_out_of_the_prompt_was_given_by_nobody(value: object) -> None:
    assert given_sources().provenance(value) == "prompt"


@pytest.mark.parametrize(
    "value",
    [
        *("W237815", "2378156", "W23781567", 3, 12345, 1234.51, 5, "", "天津", False),
        *("mia.li3818", "li3818@example.com", "example.com", "mia_li", "li_3668", "card", "123 Main Street"),
    ],
)
def test_a_part_of_a_word_or_of_an_address_is_found_nowhere(value: object) -> None:
    assert given_sources().provenance(value) == "nowhere"


def test_a_person_beats_a_tool_and_a_tool_beats_the_prompt() -> None:
    sources = Sources()
    sources.prompt("W1234567 W7777777")
    sources.returned("W1234567 W7777777")
    assert sources.provenance("W7777777") == "tool"
    sources.hear("it is W1234567")
    assert sources.provenance("W1234567") == "person"


def test_the_echo_of_a_failed_call_gives_nothing() -> None:
    sources = Sources()
    sources.failed("user abc_123 not found for 77.0; try W1111111", {"user_id": "#abc_123", "amount": 77})
    assert sources.provenance("abc_123") == "nowhere"
    assert sources.provenance("#abc_123") == "nowhere"
    assert sources.provenance(77) == "nowhere"
    assert sources.provenance("W1111111") == "tool"


def test_while_a_call_is_out_a_value_may_still_come() -> None:
    sources = given_sources()
    sources.out = 1
    assert sources.provenance("W9999999") == "pending"
    assert sources.provenance("W0000001") == "pending"
    assert sources.provenance("W2378156") == "person"


def test_what_may_have_stood_in_dropped_text_is_never_called_nowhere() -> None:
    sources = Sources(limit=60)
    sources.hear("my order is W1234567 and W1234567")
    assert sources.provenance("W9999999") == "nowhere"
    sources.returned("x" * 50)
    assert sources.forgotten
    assert sources.provenance("W1234567") == "pending"
    assert sources.provenance("W9999999") == "pending"


def test_dropping_a_text_keeps_what_a_later_text_says_too() -> None:
    sources = Sources(limit=40)
    sources.hear("order W1234567 cost 15")
    sources.hear("W1234567 again")
    sources.hear("and also W7654321")
    assert sources.provenance("W1234567") == "person"
    assert sources.provenance(15) == "pending"


def test_one_text_longer_than_the_limit_is_cut_and_said_so() -> None:
    sources = Sources(limit=20)
    sources.returned("W1234567 " + "x" * 40)
    assert sources.provenance("W1234567") == "tool"
    assert sources.forgotten


def test_results_of_siblings_count_and_then_nothing_is_pending() -> None:
    sources, sibling = given_sources(), Sources()
    sibling.returned('{"id":"W5555555"}')
    sources.out = 1
    assert sources.provenance("W5555555", [sibling]) == "tool"
    assert sources.provenance("W9999999", [sibling]) == "nowhere"


def test_every_scalar_argument_is_traced_by_its_pointer() -> None:
    arguments = {"order_id": "#W2378156", "items": [{"n": 120, "x": "W9999999"}], "none": []}
    assert trace(arguments, given_sources()) == {
        "/order_id": "person",
        "/items/0/n": "tool",
        "/items/0/x": "nowhere",
    }


@pytest.mark.parametrize(
    "piece", ["a", "1,", "123,", "a.b@c.d ", "@a", "北京", "a-", "1.", "_", "ß", "\ud800"]
)
def test_hostile_text_is_indexed_in_linear_time(piece: str) -> None:
    """Not timed: a pattern that backtracks would not come back within the suite's patience."""
    sources = Sources()
    sources.hear(piece * (200_000 // len(piece)) + "!")
    sources.provenance(piece * 1_000)


def test_text_of_several_words_stands_only_at_whole_words() -> None:
    sources = Sources()
    sources.returned("anew york and new, york")
    assert sources.provenance("new york") == "nowhere"
    assert sources.provenance("anew york") == "tool"


def test_only_whole_words_of_an_echo_are_hidden() -> None:
    sources = Sources()
    sources.failed("abc not found, did you mean abcd-1", {"name": "abc"})
    assert sources.provenance("abcd-1") == "tool"
    assert sources.provenance("abc") == "nowhere"


@pytest.mark.parametrize(
    ("said", "value", "given"),
    [
        ("it is 9502127", "#W9502127", True),
        ("订单9502127吗", "W9502127", True),
        ("it is 9502127", "#W9502128", False),
        ("it is 95021", "#W95021", False),
        ("it is 9502127", "ABCD9502127", False),
    ],
)
def test_a_number_that_was_said_is_given_with_the_letters_that_its_system_puts_before_it(
    said: str, value: str, given: bool
) -> None:
    sources = Sources()
    sources.hear(said)
    assert (sources.provenance(value) == "person") is given


def test_a_value_that_begins_in_one_text_and_ends_in_the_next_is_in_neither() -> None:
    sources = Sources()
    for text in ("send it to New", "York 1234-", "5678 is another"):
        sources.returned(text)

    assert [sources.provenance(value) for value in ("New York", "1234-5678", "12345678")] == ["nowhere"] * 3
    assert sources.provenance("1234") == "tool"


def test_a_text_that_was_forgotten_is_not_found_among_those_that_came_after_a_look() -> None:
    sources = Sources(limit=120)
    sources.hear("my code is AB-7788")
    assert sources.provenance("AB7788") == "person"

    sources.hear("x" * 60)
    sources.hear("y" * 60)

    assert sources.provenance("AB7788") == "pending"
