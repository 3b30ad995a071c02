from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.adapters.bytestream import CutOffError
from ingest.adapters.jsonstream import JsonStream, TooLong

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(), below, max_size=4),
    max_leaves=20,
)


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


@given(st.lists(VALUES, max_size=6), st.integers(1, 40), st.booleans(), st.booleans())
def test_the_elements_of_an_array_come_out_as_they_are_however_it_is_cut_into_pieces(
    values: list[object], size: int, spaced: bool, escaped: bool
) -> None:
    text = json.dumps(values, indent=2 if spaced else None, ensure_ascii=escaped)
    reader = JsonStream(pieces(text.encode(), size))
    elements = [json.loads(element) for element in reader.elements() if isinstance(element, bytes)]
    assert elements == values
    assert reader.peek() is None


@given(
    st.dictionaries(
        st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])), VALUES, max_size=5
    ),
    st.integers(1, 40),
)
def test_the_members_of_an_object_come_out_as_they_are(value: dict[str, object], size: int) -> None:
    reader = JsonStream(pieces(json.dumps(value).encode(), size))
    members = {}
    for key in reader.members():
        found = reader.value()
        assert isinstance(found, bytes)
        members[key] = json.loads(found)
    assert members == value


def test_an_element_that_is_too_long_is_skipped_and_its_length_told() -> None:
    long = json.dumps({"text": 'a "quoted] word", ' * 200_000, "more": [1, [2]]})
    reader = JsonStream(pieces(f"[1, {long}, 2]".encode(), 64 * 1024), limit=100_000)
    first, second, third = reader.elements()
    assert first == b"1"
    assert isinstance(second, TooLong)
    assert len(long) - 2_000_000 < second.size <= len(long) + 2_000_000
    assert third == b"2"


def test_an_array_that_ends_early_gives_what_was_whole_and_says_so() -> None:
    reader = JsonStream(iter([b'[{"a": 1}, {"a": 2}, {"a": ']))
    elements = reader.elements()
    assert [next(elements), next(elements)] == [b'{"a": 1}', b'{"a": 2}']
    with pytest.raises(CutOffError, match="middle of a record"):
        next(elements)


def test_a_stray_bracket_does_not_stop_the_reading_of_an_object_stream() -> None:
    reader = JsonStream(iter([b'} {"a": 1}']))
    assert [reader.value(), reader.value()] == [b"}", b'{"a": 1}']
