"""Text as a model would read it, whatever it was dressed in: the forms in which words can be hidden from a pattern.

Compatibility forms, accents and look-alike letters of other alphabets become plain letters; characters that are not seen are
taken out, and those of the tag block (U+E0000) read as the ASCII that they spell; `i g n o r e` is read together; base64, percent
escapes, HTML entities and backslash escapes are read.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator
from html import unescape
from urllib.parse import unquote

MAX_TEXT = 20_000
MAX_ENCODED = 12
MAX_DEPTH = 2

_ALIKE = {
    "a": "аɑαᴀ",
    "b": "Ьβ",
    "c": "сϲᴄ",
    "d": "ԁɗ",
    "e": "еёҽε",
    "g": "ɡ",
    "h": "һ",
    "i": "іїιıɩ",
    "j": "јϳ",
    "k": "кκ",
    "l": "ӏ",
    "m": "мᴍ",
    "n": "ոռη",
    "o": "оοօσ",
    "p": "рρ",
    "q": "ԛ",
    "r": "гᴦ",
    "s": "ѕ",
    "t": "тτ",
    "u": "υսц",
    "v": "νѵ",
    "w": "ԝω",
    "x": "хχ",
    "y": "уүγ",
    "z": "ᴢ",
    "A": "АΑ",
    "B": "ВΒ",
    "C": "СϹ",
    "E": "ЕΕ",
    "H": "НΗ",
    "I": "ІΙ",
    "J": "Ј",
    "K": "КΚ",
    "M": "МΜ",
    "N": "Ν",
    "O": "ОΟ",
    "P": "РΡ",
    "S": "Ѕ",
    "T": "ТΤ",
    "X": "ХΧ",
    "Y": "УΥҮ",
    "Z": "Ζ",
}
_DIGITS = {"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i", "|": "l"}
_LOOKALIKES = str.maketrans({other: plain for plain, others in _ALIKE.items() for other in others} | _DIGITS)
_TAGS = {code: code - 0xE0000 for code in range(0xE0020, 0xE007F)}
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_SPACED = re.compile(r"(?<!\w)(?:\w[ .\-_*]){4,}\w(?!\w)")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
_SPACE = re.compile(r"\s+")
_MARKS = re.compile(r"[*_~`\"'“”‘’]+")


def plain_forms(text: str, depth: int = 0) -> Iterator[str]:
    """The text in plain letters, and what is encoded in it; at most MAX_TEXT characters of each."""
    read = _read(text[:MAX_TEXT])
    yield read
    yield read.translate(_LOOKALIKES)
    joined = _SPACED.sub(lambda found: re.sub(r"[ .\-_*]", "", found.group()), read)
    if joined != read:
        yield joined
    if depth < MAX_DEPTH:
        for hidden in _encoded(text[:MAX_TEXT]):
            yield from plain_forms(hidden, depth + 1)


def _read(text: str) -> str:
    """Compatibility forms and accents taken off, unseen characters taken out, runs of white space made one space."""
    seen = unicodedata.normalize("NFKD", text.translate(_TAGS))
    letters = "".join(
        " " if character.isspace() else character
        for character in seen
        if unicodedata.category(character) not in {"Cf", "Mn", "Me", "Co"} and character != "\u00ad"
    )
    return _SPACE.sub(" ", _MARKS.sub("", letters))


def _encoded(text: str) -> Iterator[str]:
    """What other readings of the text say, where they differ from it."""
    for reading in (unescape(text), unquote(text), _unescaped(text)):
        if reading != text:
            yield reading
    for found in list(_BASE64.finditer(text))[:MAX_ENCODED]:
        decoded = _decoded(found.group())
        if decoded is not None:
            yield decoded


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found.group(1) or found.group(2), 16)), text)


def _decoded(text: str) -> str | None:
    """The text that base64 holds; None where it holds none."""
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        found = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
    return found if found.isprintable() or "\n" in found else None
