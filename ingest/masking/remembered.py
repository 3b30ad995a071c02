"""What was found in a run, so that it is replaced where it stands without what told it."""

from __future__ import annotations

import re

from errata_client.model import JsonValue

MIN_SECRET = 6
MIN_DIGITS = 8
NATIONAL = (10, 11)
"""Digits of a phone number without its country code, as people also write it."""


class Remembered:
    """Values and their placeholders, found in one run."""

    def __init__(self) -> None:
        self._masked: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None

    def __bool__(self) -> bool:
        return bool(self._masked)

    def secret(self, value: str, masked: str) -> None:
        """A secret; a short one, or one of letters alone, could be any word and is not remembered."""
        if len(value) >= MIN_SECRET and not value.isalpha():
            self._masked[value] = masked

    def digits(self, value: str, masked: str) -> None:
        """A number written with separators: its bare digits, with and without what may be a country code."""
        bare, replaced = _digits(value), _digits(masked)
        lengths = {len(bare), *(size for size in NATIONAL if value.startswith("+") and size < len(bare))}
        for size in lengths:
            if size >= MIN_DIGITS:
                self._masked[bare[-size:]] = replaced[-size:]

    def text(self, text: str) -> str:
        """`text` with all of them replaced, as whole words."""
        if self._pattern is None:
            longest_first = sorted(self._masked, key=lambda value: (-len(value), value))
            spelled = "|".join(map(re.escape, longest_first))
            self._pattern = re.compile(rf"(?<![0-9A-Za-z])(?:{spelled})(?![0-9A-Za-z])")
        return self._pattern.sub(self._placeholder, text)

    def value(self, value: JsonValue) -> JsonValue:
        """A JSON value with all of them replaced."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self.value(below) for key, below in value.items()}
        if isinstance(value, list):
            return [self.value(below) for below in value]
        if isinstance(value, int) and not isinstance(value, bool):
            masked = self._masked.get(str(value))
            return int(masked) if masked and masked.isdigit() else value
        return value

    def _placeholder(self, match: re.Match[str]) -> str:
        return self._masked[match.group()]


def _digits(text: str) -> str:
    return "".join(character for character in text if character.isdigit())
