"""Placeholders that keep a value's shape: letters for letters, digits for digits, everything else as it is."""

from __future__ import annotations

import hashlib
import hmac

_CHINESE = 0x4E00
_CHINESE_COUNT = 0x2000


class Placeholders:
    """Replacements keyed by `key`: the same value (whatever its case) always gets the same one. Nobody without the key
    can tell whether a guess was the value."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def of(self, value: str, *, about: str | None = None) -> str:
        """The placeholder of `value`: as long, and of the same shape. Values with the same `about` (default: the
        value itself) draw from the same stream."""
        stream = self._stream(about or value, len(value))
        return "".join(map(_shaped, value, stream))

    def of_email(self, address: str) -> str:
        """An address with its own local part, its domain's placeholder, and its last label as it was."""
        local, _, domain = address.rpartition("@")
        host, dot, last = domain.rpartition(".")
        return f"{self.of(local, about=address)}@{self.of(host)}{dot}{last}"

    def of_digits(self, value: str) -> str:
        """The placeholder of a number that is written in several ways: the same digits give the same ones."""
        digits = "".join(character for character in value if character.isdigit())
        replaced = iter(self.of(digits, about=f"digits:{digits}"))
        return "".join(next(replaced) if character.isdigit() else character for character in value)

    def _stream(self, value: str, length: int) -> bytes:
        seed = hmac.new(self._key, value.casefold().encode("utf-8", "replace"), hashlib.sha256).digest()
        return hashlib.shake_256(seed).digest(length) if length else b""


def _shaped(character: str, low: int) -> str:
    if character.isdigit():
        return chr(48 + low % 10)
    if "a" <= character <= "z":
        return chr(97 + low % 26)
    if "A" <= character <= "Z":
        return chr(65 + low % 26)
    if character.isalpha():
        return chr(_CHINESE + low * 31 % _CHINESE_COUNT) if character >= "\u2e80" else chr(97 + low % 26)
    return character
