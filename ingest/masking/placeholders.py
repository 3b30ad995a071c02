"""Placeholders that keep a value's shape: letters for letters, digits for digits, everything else as it is.

The last third of a placeholder (at most four characters) is a check of what stands before it. So whoever has the key can
tell a placeholder from a value that was never masked; to all others both look alike.
"""

from __future__ import annotations

import hashlib
import hmac
from functools import lru_cache

_CHINESE = 0x4E00
_CHINESE_COUNT = 0x2000
_MAX_CHECK = 4
_NATIONAL = {"1": 10, "86": 11}
"""Country codes that are told from the number itself, and the digits of a number there."""


class Placeholders:
    """Replacements keyed by `key`: the same value (whatever its case) always gets the same one. Nobody without the key
    can tell whether a guess was the value."""

    def __init__(self, key: bytes) -> None:
        self._mac = hmac.new(key, digestmod="sha256")
        self._words = lru_cache(maxsize=4096)(self.of)
        self.of_email = lru_cache(maxsize=4096)(self._of_email)

    def of(self, value: str, *, about: str | None = None) -> str:
        """The placeholder of `value`: as long, and of the same shape. Values with the same `about` (default: the
        value itself) draw from the same stream."""
        places = [place for place, character in enumerate(value) if _is_shaped(character)]
        made, checked = list(value), _check_length(len(places))
        stream = self._stream(about or value, len(places))
        for place, low in zip(places, stream, strict=True):
            made[place] = _shaped(value[place], low)
        head = "".join(made[place] for place in places[: len(places) - checked])
        for place, low in zip(
            places[len(places) - checked :], self._stream(f"check:{head}", checked), strict=True
        ):
            made[place] = _shaped(value[place], low)
        return "".join(made)

    def holds(self, value: str) -> bool:
        """Whether `value` is a placeholder made with this key: by its check. One of a few characters has none, and counts
        as one."""
        shaped = [character for character in value if _is_shaped(character)]
        checked = _check_length(len(shaped))
        head, tail = "".join(shaped[: len(shaped) - checked]), shaped[len(shaped) - checked :]
        wanted = self._stream(f"check:{head}", checked)
        return all(_shaped(given, low) == given for given, low in zip(tail, wanted, strict=True))

    def _of_email(self, address: str) -> str:
        """An address with its own local part, its domain's placeholder, and its last label as it was."""
        local, _, domain = address.rpartition("@")
        host, dot, last = domain.rpartition(".")
        return f"{self.of(local, about=address)}@{self._words(host)}{dot}{last}"

    def of_digits(self, value: str) -> str:
        """The placeholder of a number that is written in several ways: the same digits give the same ones, with or without
        a country code of which that can be told."""
        digits = "".join(character for character in value if character.isdigit())
        code = _country_code(value, digits)
        own = digits[len(code) :]
        replaced = iter(code + self.of(own, about=f"digits:{own}"))
        return "".join(next(replaced) if character.isdigit() else character for character in value)

    def of_words(self, value: str) -> str:
        """Word by word, so that a first name is the same alone and before a last name."""
        return " ".join(map(self._words, value.split(" ")))

    def of_kind(self, kind: str, value: str) -> str:
        """The placeholder of a value that was found to be of `kind`."""
        if kind == "email":
            return self.of_email(value)
        if kind in NUMBERS:
            return self.of_digits(value)
        return self.of_words(value) if kind == "name" else self.of(value)

    def holds_kind(self, kind: str, value: str) -> bool:
        """Whether `of_kind` made it."""
        if kind == "email":
            local, _, domain = value.rpartition("@")
            return self.holds(local) and self.holds(domain.rpartition(".")[0])
        if kind in NUMBERS:
            digits = "".join(character for character in value if character.isdigit())
            return self.holds(digits[len(_country_code(value, digits)) :])
        return all(map(self.holds, value.split(" "))) if kind == "name" else self.holds(value)

    def _stream(self, value: str, length: int) -> bytes:
        if not length:
            return b""
        mac = self._mac.copy()
        mac.update(value.casefold().encode("utf-8", "replace"))
        return hashlib.shake_256(mac.digest()).digest(length)


NUMBERS = frozenset({"phone", "card", "social_security"})
"""Kinds that are written with and without separators."""


def _country_code(value: str, digits: str) -> str:
    written = value.startswith(("+", "00"))
    bare = digits.removeprefix("00") if value.startswith("00") else digits
    known = (
        code for code, size in _NATIONAL.items() if bare.startswith(code) and len(bare) == size + len(code)
    )
    found = next(known, "")
    if not found or not (written or found == "1"):
        return ""
    return digits[: len(digits) - len(bare)] + found


def _check_length(shaped: int) -> int:
    return min(_MAX_CHECK, shaped // 3)


def _is_shaped(character: str) -> bool:
    return character.isdigit() or character.isalpha()


def _shaped(character: str, low: int) -> str:
    if character.isdigit():
        return chr(48 + low % 10)
    if "a" <= character <= "z":
        return chr(97 + low % 26)
    if "A" <= character <= "Z":
        return chr(65 + low % 26)
    return chr(_CHINESE + low * 31 % _CHINESE_COUNT) if character >= "\u2e80" else chr(97 + low % 26)
