from __future__ import annotations

import orjson
import pytest

from ingest.adapters.jsonvalue import NotJsonError, loads


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "\\ud800x"}', {"a": "\ufffdx"}),
        ('{"a": "\\ud83d\\ude00"}', {"a": "😀"}),
        ('{"a": "x\\u0000y"}', {"a": "x\ufffdy"}),
        ('{"a": NaN, "b": Infinity, "c": -Infinity, "d": 1e999}', dict.fromkeys("abcd")),
        ('{"a": 123456789012345678901234567890}', {"a": "123456789012345678901234567890"}),
        ('{"a": 9223372036854775807}', {"a": 9223372036854775807}),
        ('{"a": 9223372036854775808}', {"a": "9223372036854775808"}),
        ('{"a": ' + "9" * 5_000 + "}", {"a": "9" * 5_000}),
        ('{"a": "line\nbreak"}', {"a": "line\nbreak"}),
    ],
)
def test_odd_values_are_read_as_something_that_a_store_can_keep(text: str, value: object) -> None:
    assert loads(text) == value
    orjson.dumps(loads(text))


def test_bytes_that_are_not_utf_8_are_replaced() -> None:
    assert loads(b'{"a": "caf\xe9"}') == {"a": "caf\ufffd"}


@pytest.mark.parametrize("text", ["", "{", '{"a": tru}', "[1,", "{'a': 1}"])
def test_what_is_no_json_says_where_it_is_wrong(text: str) -> None:
    with pytest.raises(NotJsonError, match="line 1"):
        loads(text)


@pytest.mark.parametrize("depth", [65, 500, 100_000])
def test_what_is_nested_too_deeply_is_refused_whatever_its_depth(depth: int) -> None:
    with pytest.raises(NotJsonError, match="nested deeper"):
        loads("[" * depth + "]" * depth)


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert loads("[" + "[]," * 500 + "[]]") == [[]] * 501
