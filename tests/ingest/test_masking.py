from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata_client.model import JsonValue
from ingest.masking import Masker
from tests.ingest.making import KEY, a_run, step

SECRETS = [
    ("write to mia.li@example.org today", "mia.li@example.org", "email"),
    ("call 555-123-2002 now", "555-123-2002", "phone"),
    ("call (415) 555-2671", "(415) 555-2671", "phone"),
    ("call +44 20 7946 0958.", "+44 20 7946 0958", "phone"),
    ("我的手机是13812345678，谢谢", "13812345678", "phone"),
    ("手机 138-1234-5678", "138-1234-5678", "phone"),
    ("card 4111 1111 1111 1111", "4111 1111 1111 1111", "card"),
    ("card 378282246310005", "378282246310005", "card"),
    ("身份证11010519491231002X", "11010519491231002X", "chinese_id"),
    ("SSN 219-09-9999", "219-09-9999", "social_security"),
    ("pay to GB82 WEST 1234 5698 7654 32", "GB82 WEST 1234 5698 7654 32", "iban"),
    ("key sk-proj-abcdefghijklmnopqrstuvwx", "abcdefghijklmnopqrstuvwx", "api_key"),
    ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "16C7e42F292c6912E7710c838347Ae178B4a", "api_key"),
    ("AKIAIOSFODNN7EXAMPLE", "IOSFODNN7EXAMPLE", "api_key"),
    ("xoxb-123456789012-abcdefABCDEF", "123456789012-abcdefABCDEF", "api_key"),
    ("Authorization: Bearer abc123def456ghi789", "abc123def456ghi789", "bearer_token"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_def-1", "eyJhbGciOiJIUzI1NiJ9", "jwt"),
    ("-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----", "MIIabc", "private_key"),
    ("password=hunter2!", "hunter2!", "secret"),
    ('{"password": "hunter2"}', "hunter2", "secret"),
    ('"{\\"api_key\\": \\"k3y-value\\"}"', "k3y-value", "secret"),
    ("密码：开门555", "开门555", "secret"),
    ("my password is hunter2", "hunter2", "secret"),
    ("postgres://bob:hunter2@db.example.org/x", "bob:hunter2@db.example.org", "url_credentials"),
]

KEPT = [
    "#W2378156",
    "credit_card_9513926",
    "yusuf_rossi_9620",
    "item 4602305039",
    "2026-02-01 10:30:00",
    "1715731200000",
    "1203+15000000",
    "HAT030",
    "192.168.0.1",
    "1.2.3",
    "1234 5678 9012 3456",
    "the password is incorrect",
    "Error: token is invalid",
    "password: must be 8 characters",
    "Field required [type=missing]",
    "max_tokens: 300 of 8000 tokens",
    "000-00-0000",
    "order 112-1234567-1234567",
    "订单号20240501123",
    "api_key = YOUR_API_KEY",
    "token: ================",
]


@pytest.mark.parametrize(("text", "secret", "kind"), SECRETS)
def test_what_is_secret_or_personal_is_replaced_in_its_shape_and_counted(
    text: str, secret: str, kind: str
) -> None:
    masker = Masker(KEY)
    masked = masker.text(text)
    assert secret not in masked
    assert len(masked) == len(text)
    assert masker.counts[kind] == 1
    at = text.index(secret)
    outline = [(character.isdigit(), character.isalpha()) for character in secret]
    replaced = masked[at : at + len(secret)]
    assert [(character.isdigit(), character.isalpha()) for character in replaced] == outline


@pytest.mark.parametrize("text", KEPT)
def test_ids_numbers_and_sentences_about_secrets_stay(text: str) -> None:
    assert Masker(KEY).text(text) == text


def test_a_masked_email_is_still_like_an_email_and_its_domain_the_same_for_all() -> None:
    masker = Masker(KEY)
    one, other = masker.text("mia@desk.example.org"), masker.text("tom@desk.example.org")
    assert re.fullmatch(r"[a-z]{3}@[a-z]{4}\.[a-z]{7}\.org", one)
    assert one.partition("@")[2] == other.partition("@")[2]
    assert one != other


def test_the_same_value_gets_the_same_placeholder_and_another_key_another_one() -> None:
    text = "mia@example.org"
    assert Masker(KEY).text(text) == Masker(KEY).text(text)
    assert Masker(KEY).text("MIA@example.org").casefold() == Masker(KEY).text(text).casefold()
    assert Masker(b"another key").text(text) != Masker(KEY).text(text)


@pytest.mark.parametrize(
    "key", ["password", "db_password", "X-Api-Key", "accessToken", "密码", "pin", "client_secret"]
)
def test_whatever_stands_under_a_telling_key_is_masked(key: str) -> None:
    masked = Masker(KEY).value({key: "ordinary", "list": [{key: ["words", 1234]}]})
    assert isinstance(masked, dict)
    assert masked[key] != "ordinary"
    assert "words" not in str(masked)
    assert "1234" not in str(masked)


@pytest.mark.parametrize("key", ["next_page_token", "max_tokens", "pinned", "secretary", "tokens"])
def test_a_key_that_only_sounds_like_it_tells_nothing(key: str) -> None:
    assert Masker(KEY).value({key: "ordinary"}) == {key: "ordinary"}


def test_a_phone_number_is_replaced_everywhere_in_its_run_however_it_is_written() -> None:
    call = {"phone": "5551232002", "number": 5551232002, "book_id": "5551232003"}
    run = Masker(KEY).run(a_run(step(0, "find", call, user_input="I am at 555-123-2002.")))
    made = run.steps[0].tool_call
    assert made is not None
    spoken = "".join(c for c in str(run.steps[0].user_input) if c.isdigit())
    assert made.arguments == {"phone": spoken, "number": int(spoken), "book_id": "5551232003"}


def test_a_secret_told_once_is_replaced_everywhere_in_its_run() -> None:
    call: dict[str, JsonValue] = {"password": "hunter2-x"}
    run = Masker(KEY).run(
        a_run(step(0, "login", call), step(1, "note", {"text": "used hunter2-x to get in"}))
    )
    assert "hunter2-x" not in run.model_dump_json()


def test_ids_and_unknown_fields_of_a_run_are_masked_too() -> None:
    run = a_run(
        step(0, "find", {}, mood="mia@example.org"), run_id="mia@example.org", task_id="mia@example.org"
    )
    masked = Masker(KEY).run(run.model_copy(update={"extra": {"mail": "mia@example.org"}}))
    assert "mia@" not in masked.model_dump_json()


@given(st.text(max_size=300))
def test_any_text_masks_to_the_same_length_and_the_same_again(text: str) -> None:
    masked = Masker(KEY).text(text)
    assert len(masked) == len(text)
    assert Masker(KEY).text(text) == masked


def test_counts_do_not_depend_on_whether_a_text_was_seen_before() -> None:
    masker, text = Masker(KEY), "mia@example.org " + "and many more words " * 30
    masker.text(text)
    masker.text(text)
    assert masker.counts == {"email": 2}
