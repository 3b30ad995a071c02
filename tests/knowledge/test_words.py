"""How text is cut."""

from __future__ import annotations

import pytest

from knowledge.words import phrases, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("查不到order_Id 42", ["查", "不", "到", "order", "id", "42"]),
        ("ＡＢＣ　１２", ["abc", "12"]),
        ("Straße", ["strasse"]),
        ("x" * 201, ["x" * 100, "x" * 100, "x"]),
        ("、。!? \x00\n", []),
    ],
)
def test_text_is_cut_into_runs_and_single_chinese_characters(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_each_word_between_spaces_is_a_phrase() -> None:
    assert phrases(" 查不到 - get_order　x ") == (("查", "不", "到"), ("get", "order"), ("x",))
