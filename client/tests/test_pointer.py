"""JSON pointers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata_client.pointer import MISSING, PointerError, get, leaves, pointer_of, removed, replaced

VALUE = {"order_id": "W1", "items": [{"id": "a"}, {"id": "b"}], "a/b": {"~": None}}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(max_size=4), below, max_size=4),
    max_leaves=12,
)


def test_a_field_of_a_rule_means_a_pointer_into_the_arguments() -> None:
    assert pointer_of("args.order_id") == "/order_id"
    assert pointer_of("args.items/0/id") == "/items/0/id"


def test_leaves_are_every_scalar_in_the_order_of_the_document() -> None:
    assert list(leaves(VALUE)) == [
        ("/order_id", "W1"),
        ("/items/0/id", "a"),
        ("/items/1/id", "b"),
        ("/a~1b/~0", None),
    ]


def test_nesting_deeper_than_the_interpreter_allows_is_read_all_the_same() -> None:
    value: list[object] = []
    for _ in range(5_000):
        value = [value]
    assert list(leaves(value)) == []


@settings(deadline=None)
@given(json_values)
def test_every_leaf_is_found_at_its_pointer(value: object) -> None:
    for pointer, leaf in leaves(value):
        assert get(value, pointer) == leaf


@settings(deadline=None)
@given(json_values)
def test_putting_a_leaf_where_it_is_changes_nothing(value: object) -> None:
    for pointer, leaf in leaves(value):
        assert replaced(value, pointer, leaf) == value


@pytest.mark.parametrize(
    "pointer", ["/x", "/items/2/id", "/items/00/id", "/items/x", "/order_id/x", "/items/-1"]
)
def test_what_is_not_there_is_missing_and_removing_it_changes_nothing(pointer: str) -> None:
    assert get(VALUE, pointer) is MISSING
    assert removed(VALUE, pointer) is VALUE


def test_writing_copies_and_leaves_the_original_alone() -> None:
    changed = replaced(VALUE, "/items/1/id", "c")
    assert get(changed, "/items/1/id") == "c"
    assert get(VALUE, "/items/1/id") == "b"
    assert get(replaced(VALUE, "/new", 1), "/new") == 1
    assert get(replaced(VALUE, "/items/2", 1), "/items/2") == 1
    assert replaced(VALUE, "", 3) == 3


def test_a_key_or_an_item_can_be_left_out() -> None:
    assert removed(VALUE, "/items/0") == {**VALUE, "items": [{"id": "b"}]}
    assert removed(VALUE, "/order_id") == {"items": VALUE["items"], "a/b": {"~": None}}


@pytest.mark.parametrize("pointer", ["/x/y", "/items/5", "/items/2/id", "/order_id/x", "/items/x"])
def test_a_place_without_a_parent_cannot_be_written(pointer: str) -> None:
    with pytest.raises(PointerError, match=r"there is no|has no place"):
        replaced(VALUE, pointer, 1)
