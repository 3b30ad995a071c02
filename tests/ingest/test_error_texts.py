from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.error_kind import error_kind
from ingest.text import error_pattern


@pytest.mark.parametrize(
    ("message", "pattern"),
    [
        ("Error: user not found", "Error: user not found"),
        ("Error: order #W2378156 not found", "Error: order <id> not found"),
        ("book B-1001 of mia_li_3668 is lent", "book <id> of <id> is lent"),
        ("total price is 375, but paid 299.50", "total price is <num>, but paid <num>"),
        ("costs $1,234.50 (12%)", "costs <num> (<num>)"),
        ("flight HAT030 not available on date 2024-05-13", "flight <id> not available on date <date>"),
        ("at 2024-05-13T10:30:00Z or 10:30", "at <date> or <date>"),
        ("no such file: /var/log/app.log", "no such file: <path>"),
        ("C:\\logs\\app.log is locked", "<path> is locked"),
        ("see https://errors.example.org/2.11/v/missing", "see <url>"),
        ("needs v2.1 but has 1.9.3-beta", "needs <version> but has <version>"),
        ("unknown field 'shelf' in \"book\"", "unknown field <quoted> in <quoted>"),
        ("don't lend the reader's book, it's mine", "don't lend the reader's book, it's mine"),
        ("mia@example.org is unknown", "<email> is unknown"),
        ("订单「W2378156」不存在", "订单<quoted>不存在"),
        ("“张三”在2024年5月1日没有订单12345678", "<quoted>在<date>没有订单<id>"),
        ("用户 ‘mia’ 余额不足 20 元", "用户 <quoted> 余额不足 <num> 元"),
        ("HTTP 503: try   again\nlater", "HTTP 503: try again later"),
        ("Error: 404 Not Found", "Error: 404 Not Found"),
        (
            "1 validation error for Loan\nbook_id\n  Field required [type=missing, input_value={'x': 1}, input_type=dict]",
            "<num> validation error for Loan book_id Field required [type=missing, input_value=<value>, input_type=dict]",
        ),
        ("", ""),
    ],
)
def test_what_differs_from_case_to_case_is_masked(message: str, pattern: str) -> None:
    assert error_pattern(message) == pattern


@given(st.text(max_size=400))
def test_every_message_has_a_pattern_and_a_kind(message: str) -> None:
    error_pattern(message)
    error_kind(message)


def test_a_very_long_message_is_cut() -> None:
    assert len(error_pattern("word " * 100_000)) <= 2_000


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Error: user not found", "not_found"),
        ("the book does not exist", "not_found"),
        ("订单不存在", "not_found"),
        ("Error: payment amount does not add up", "invalid_argument"),
        ("1 validation error for Loan: Field required", "invalid_argument"),
        ("参数错误：缺少 book_id", "invalid_argument"),
        ("Error: non-delivered order cannot be exchanged", "failed_precondition"),
        ("Error: gift card balance is not enough", "failed_precondition"),
        ("余额不足", "failed_precondition"),
        ("Too many reservations", "out_of_range"),
        ("IndexError: list index out of range", "out_of_range"),
        ("数量超出范围", "out_of_range"),
        ("book already exists", "already_exists"),
        ("编号重复", "already_exists"),
        ("permission denied", "permission_denied"),
        ("您没有权限", "permission_denied"),
        ("please log in first", "unauthenticated"),
        ("未登录", "unauthenticated"),
        ("rate limit reached", "resource_exhausted"),
        ("请求过于频繁", "resource_exhausted"),
        ("Service Unavailable", "unavailable"),
        ("ConnectionError: refused", "unavailable"),
        ("服务暂时不可用", "unavailable"),
        ("request timed out", "deadline_exceeded"),
        ("requests.exceptions.ReadTimeout: 5 s", "deadline_exceeded"),
        ("请求超时", "deadline_exceeded"),
        ("Unknown action lend", "unimplemented"),
        ("transaction aborted", "aborted"),
        ("internal server error", "internal"),
        ("系统错误", "internal"),
        ("timeout must be positive", "invalid_argument"),
        ("flight is not available on that day", "failed_precondition"),
        ("oops", "unknown"),
    ],
)
def test_words_in_two_languages_tell_the_kind(message: str, kind: str) -> None:
    assert error_kind(message) == kind


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_argument"),
        (401, "unauthenticated"),
        (403, "permission_denied"),
        (404, "not_found"),
        (409, "aborted"),
        (429, "resource_exhausted"),
        (500, "internal"),
        (503, "unavailable"),
        (504, "deadline_exceeded"),
        (599, "internal"),
    ],
)
def test_a_status_code_tells_more_than_words(status: int, kind: str) -> None:
    assert error_kind("something", status) == kind


def test_an_exceptions_name_or_a_canonical_name_tells_more_than_words() -> None:
    assert error_kind("something", None, "TimeoutError") == "deadline_exceeded"
    assert error_kind("something", None, "NOT_FOUND") == "not_found"
    assert error_kind("something", None, "FailedPrecondition") == "failed_precondition"
