"""How text is compared: NFKC and casefold, whole words, numbers by value.

Scripts that write without spaces (Chinese, Japanese, Korean, Thai) have no word boundary, so next to
one of their characters everything begins and ends: "订单W2378156吗" holds the word w2378156.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from errata_client.jsontext import as_text
from errata_client.pointer import Scalar

CORE_LENGTH = 4
MAX_DIGITS = 30
MAX_SHORT = 40
EXACT = 28
"""Digits that a decimal number keeps."""


_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_W = rf"[^\W{_UNSPACED}]"
_UNITS = "kg|g|km|m|cm|mm|tb|gb|mb|kb|usd|eur|gbp|cny|rmb|am|pm|st|nd|rd|th|h|hr|hrs|min|s|ms"

WORD = re.compile(f"{_W}+")
WORD_CHARACTER = re.compile(_W)
UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
COMPOUND = re.compile(f"(?<!{_W}){_W}+(?:[-/]{_W}+)+")
_LOCAL_PART = re.compile(rf"(?:{_W}|[.+-]){{1,64}}")
_DOMAIN = re.compile(f"{_W}{{1,63}}(?:[.-]{_W}{{1,63}}){{1,8}}")
_NUMBER = re.compile(
    rf"(?<!{_W})(?<!\d[.])(-?)(\d{{1,3}}(?:,\d{{3}}){{1,9}}(?:\.\d{{1,30}})?|\d{{1,30}}(?:\.\d{{1,30}})?)"
    rf"(?:{_UNITS})?(?!{_W}|\.\d)"
)
_WHOLE_NUMBER = re.compile(r"([-−]?)[$€£¥]?([-−]?)(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)")


def normal(text: str) -> str:
    """`text` in the form in which it is compared; runs of white space become one space."""
    return _normal_short(text) if len(text) <= MAX_SHORT else _normal(text)


def _normal(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(text.lower().split())


_normal_short = lru_cache(maxsize=16_384)(_normal)
"""Keys, codes and words of a list come again and again."""


def scalar_text(value: Scalar) -> str:
    """A scalar in the form in which it is compared: 120 and "120" are alike, null is "null"."""
    if isinstance(value, str):
        return normal(value)
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 1024:
        return hex(value)
    return normal(as_text(value))


def number(text: str) -> str | None:
    """The number that `text` is, written one way ("$1,234.50" -> "1234.5"), or None."""
    match = _WHOLE_NUMBER.fullmatch(text)
    if match is None:
        return None
    first, second, digits = match.groups()
    return _plain(digits, negative=bool(first or second))


def numbers(text: str) -> Iterator[str]:
    """Each number that stands in normal `text`, written one way; 1,234 gives 1234 and its parts."""
    for sign, digits in _NUMBER.findall(text):
        if not sign and len(digits) <= EXACT and digits[0] != "0" and digits.isascii() and digits.isdigit():
            yield digits
            continue
        readings = [digits, *digits.split(",")] if "," in digits else [digits]
        for reading in readings:
            plain = _plain(reading, negative=False)
            if plain is not None:
                yield plain
                if sign:
                    yield f"-{plain}"


def emails(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each email address in normal `text`."""
    at = text.find("@")
    while at >= 0:
        local = _LOCAL_PART.match(text[max(0, at - 64) : at][::-1])
        domain = _DOMAIN.match(text, at + 1) if local else None
        if local and domain:
            yield at - local.end(), domain.end()
        at = text.find("@", at + 1)


@lru_cache(maxsize=4096)
def is_word_character(character: str) -> bool:
    """Whether `character` is of a word."""
    return WORD_CHARACTER.match(character) is not None


def is_email(text: str) -> bool:
    """Whether normal `text` is one email address."""
    return "@" in text and (0, len(text)) in emails(text)


def core(text: str) -> str:
    """`text` without what is neither letter nor digit at its ends: "#w2378156" -> "w2378156"."""
    if text[:1].isalnum() and text[-1:].isalnum():
        return text
    start, end = 0, len(text)
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return text[start:end]


def squeezed(text: str) -> str:
    """The letters and digits of `text` alone."""
    return text if text.isalnum() else "".join(filter(str.isalnum, text))


def has_digit(text: str) -> bool:
    """Whether a digit is in `text`."""
    return any(map(str.isdigit, text))


def places(text: str, value: str) -> Iterator[int]:
    """Each place in normal `text` where normal `value` stands as whole words."""
    at = _place(text, value, 0)
    while at >= 0:
        yield at
        at = _place(text, value, at + 1)


def stands(text: str, value: str) -> bool:
    """Whether normal `value` stands in normal `text` as whole words."""
    return _place(text, value, 0) >= 0


def _place(text: str, value: str, start: int) -> int:
    """The first place from `start` on where `value` stands as whole words; -1 without one."""
    at = text.find(value, start) if value else -1
    while at >= 0:
        end = at + len(value)
        begins = not (at and is_word_character(value[0]) and is_word_character(text[at - 1]))
        if begins and not (end < len(text) and is_word_character(value[-1]) and is_word_character(text[end])):
            return at
        at = text.find(value, at + 1)
    return -1


def without(text: str, values: Iterable[str]) -> str:
    """Normal `text` with every whole-word occurrence of the normal `values` blanked out."""
    spans = ((at, at + len(value)) for value in set(values) for at in places(text, value))
    return blanked(text, spans, "\x00")


def blanked(text: str, spans: Iterable[tuple[int, int]], blank: str) -> str:
    """`text` with each span (they may overlap) filled with the character `blank`."""
    parts, done = [], 0
    for start, end in sorted(spans):
        if end > done:
            parts += [text[done:start], blank * (end - max(start, done))]
            done = end
    return "".join([*parts, text[done:]]) if parts else text


def _plain(digits: str, *, negative: bool) -> str | None:
    if len(digits) <= EXACT and digits[0] != "0" and digits.isascii() and digits.isdigit():
        return f"-{digits}" if negative else digits
    if len(digits) > MAX_DIGITS:
        return None
    try:
        value = Decimal(digits.replace(",", ""))
    except InvalidOperation:
        return None
    text = f"{value.normalize():f}"
    return f"-{text}" if negative and value else text
