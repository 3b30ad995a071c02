"""Which of the two languages that people review in a text is written in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attribution.text import normalised

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_WORD = re.compile(r"[a-z]{2,}")


def is_chinese(text: str) -> bool:
    """Whether a person would read it as Chinese: it has more Chinese characters than words in Latin letters."""
    said = normalised(text) or text
    return len(_HAN.findall(said)) > len(_WORD.findall(said))


def by_language(texts: Sequence[str]) -> Mapping[str, list[str]]:
    """The texts by "en" and "zh", each in their order; a language that none is in is left out."""
    parts = {
        "en": [text for text in texts if not is_chinese(text)],
        "zh": [text for text in texts if is_chinese(text)],
    }
    return {language: some for language, some in parts.items() if some}
