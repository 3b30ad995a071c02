"""Checksums that tell a real card, identity or account number from any other digits."""

from __future__ import annotations

import re
from datetime import date

_CARD_PREFIXES = (
    (re.compile(r"4\d{12}(?:\d{3}){0,2}"), "visa"),
    (re.compile(r"(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"), "mastercard"),
    (re.compile(r"3[47]\d{13}"), "amex"),
    (re.compile(r"3(?:0[0-5]|[68]\d)\d{11}"), "diners"),
    (re.compile(r"35\d{14}"), "jcb"),
    (re.compile(r"6\d{15,18}"), "discover, unionpay, maestro"),
)
_CHINESE_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CHINESE_CHECKS = "10X98765432"
_MIN_IBAN, _MAX_IBAN = 15, 34
_CREDIT_ALPHABET = "0123456789ABCDEFGHJKLMNPQRTUWXY"
_CREDIT_WEIGHTS = (1, 3, 9, 27, 19, 26, 16, 17, 20, 29, 25, 13, 8, 24, 10, 30, 28)


def is_card(text: str) -> bool:
    """Whether the digits of `text` are a payment card's: an issuer's prefix, its length, and Luhn's checksum."""
    digits = re.sub(r"\D", "", text)
    return any(pattern.fullmatch(digits) for pattern, _ in _CARD_PREFIXES) and luhn(digits)


def luhn(digits: str) -> bool:
    """Luhn's checksum (ISO/IEC 7812-1)."""
    total = 0
    for position, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if position % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def is_chinese_id(text: str) -> bool:
    """Whether `text` is a resident identity number: 17 digits with a date of birth, and the check of GB 11643."""
    if not re.fullmatch(r"[1-9]\d{16}[\dXx]", text):
        return False
    try:
        born = date(int(text[6:10]), int(text[10:12]), int(text[12:14]))
    except ValueError:
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_CHINESE_WEIGHTS, text, strict=False))
    return born.year >= 1850 and _CHINESE_CHECKS[total % 11] == text[17].upper()


def is_social_security(text: str) -> bool:
    """Whether `text` (ddd-dd-dddd) can be a US social security number."""
    area, group, serial = text.split("-")
    return area not in {"000", "666"} and area < "900" and group != "00" and serial != "0000"


def is_iban(text: str) -> bool:
    """Whether `text` is an account number by ISO 13616: 97 divides what it spells, less one."""
    compact = text.replace(" ", "").upper()
    if not _MIN_IBAN <= len(compact) <= _MAX_IBAN:
        return False
    spelled = "".join(str(int(character, 36)) for character in compact[4:] + compact[:4])
    return int(spelled) % 97 == 1


def is_credit_code(text: str) -> bool:
    """Whether `text` is a unified social credit code: the check character of GB 32100, by ISO 7064 MOD 31."""
    if len(text) != 18 or not set(text) <= set(_CREDIT_ALPHABET):
        return False
    values = [_CREDIT_ALPHABET.index(character) for character in text]
    total = sum(weight * value for weight, value in zip(_CREDIT_WEIGHTS, values, strict=False))
    return (31 - total % 31) % 31 == values[17]


def is_insurance_number(text: str) -> bool:
    """Whether `text` can be a UK national insurance number: not of a prefix that is never given."""
    return text[:2] not in {"BG", "GB", "NK", "KN", "TN", "NT", "ZZ"}
