"""A status code and the words of an error, together."""

from __future__ import annotations

import pytest

from ingest.error_kind import error_kind


@pytest.mark.parametrize(
    ("message", "status", "kind"),
    [
        ("the order cannot be refunded: it is shipped, not delivered yet", 409, "failed_precondition"),
        ("该订单已取消，不能退款", 409, "failed_precondition"),
        ("edit conflict: the record changed meanwhile", 409, "aborted"),
        ("user not found", 400, "not_found"),
        ("boom", 422, "invalid_argument"),
        ("user not found", 503, "unavailable"),
    ],
)
def test_a_status_that_means_many_things_leaves_the_word_to_the_words(
    message: str, status: int, kind: str
) -> None:
    assert error_kind(message, status) == kind


@pytest.mark.parametrize(
    "message", ["remote end closed connection without response", "网关错误", "连接被重置"]
)
def test_a_connection_that_was_cut_is_no_state_of_a_record(message: str) -> None:
    assert error_kind(message) == "unavailable"


@pytest.mark.parametrize(
    "message", ["Error: upstream timeout, please retry", "the call exceeded its time limit"]
)
def test_whoever_timed_out_it_is_a_time_out(message: str) -> None:
    assert error_kind(message) == "deadline_exceeded"
