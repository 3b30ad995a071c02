from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.near_text import edit_distance, nearly_same, turned_round

SHORT = st.text("ab单", max_size=8)


def levenshtein(left: str, right: str) -> int:
    if not left or not right:
        return len(left) + len(right)
    same = levenshtein(left[1:], right[1:]) + (left[0] != right[0])
    return min(same, levenshtein(left[1:], right) + 1, levenshtein(left, right[1:]) + 1)


@given(st.text("ab单", max_size=5), st.text("ab单", max_size=5), st.integers(0, 6))
def test_the_bounded_distance_is_the_plain_one_up_to_its_bound(left: str, right: str, limit: int) -> None:
    assert edit_distance(left, right, limit) == min(levenshtein(left, right), limit + 1)


def test_a_slip_or_an_ending_is_nearly_the_same() -> None:
    assert nearly_same("payment amount does not add up", "payment amounts do not add up")
    assert not nearly_same("payment amount does not add up", "payment amount does not show up")
    assert nearly_same("order not found", "order not found")
    assert not nearly_same("", "")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("this order can be cancelled by the customer", "this order cannot be cancelled by the customer"),
        (
            "the requested room type is available on that day",
            "the requested room type is unavailable on that day",
        ),
        (
            "the price of the new item is higher than before",
            "the price of the old item is higher than before",
        ),
        ("收款账户所在的银行当前暂停办理跨行转账业务", "付款账户所在的银行当前暂停办理跨行转账业务"),
        ("该航班的座位已经可以在网上自助选择并且付款", "该航班的座位已经不可在网上自助选择并且付款"),
    ],
)
def test_one_word_that_turns_the_meaning_is_not_nearly_the_same(left: str, right: str) -> None:
    assert not nearly_same(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("order found", "order not found"),
        ("item is available", "item is unavailable"),
        ("pending orders can be modified", "only pending orders can be changed"),
        ("余额充足", "余额不足"),
        ("有权限执行该操作", "没有权限执行该操作"),
    ],
)
def test_a_negated_text_is_seen(left: str, right: str) -> None:
    assert "negates" in str(turned_round(left, right))


def test_swapped_roles_are_seen() -> None:
    assert "other places" in str(
        turned_round("buyer must confirm before seller ships", "seller must confirm before buyer ships")
    )


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("order not found", "not found: order"),
        ("non-pending order cannot be cancelled", "order that is not pending cannot be cancelled"),
        ("balance is not enough", "insufficient balance on account"),
        ("customer not found", "no such customer"),
        ("找不到订单", "订单不存在"),
    ],
)
def test_another_wording_of_the_same_is_not_doubted(left: str, right: str) -> None:
    assert turned_round(left, right) is None
