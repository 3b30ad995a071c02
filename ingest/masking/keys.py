"""Keys whose value is a secret, whatever it looks like."""

from __future__ import annotations

from functools import lru_cache

_EXACT = frozenset(
    {"pin", "cvv", "cvc", "cvv2", "ssn", "cookie", "setcookie", "pwd", "authorization", "auth", "credentials"}
)
_ENDINGS = (
    "password", "passwd", "passphrase", "passcode", "apikey", "secret", "secretkey", "privatekey", "accesskey",
    "accesskeyid", "token", "credential", "密码", "口令", "密钥", "令牌", "验证码",
)  # fmt: skip
_HARMLESS = ("pagetoken", "nexttoken", "continuationtoken", "synctoken", "maxtoken", "stoptoken", "eostoken")


@lru_cache(maxsize=4096)
def is_telling(key: str) -> bool:
    """Whether `key` names a secret: "password", "db_password", "X-Api-Key", "密码"; not "page_token"."""
    plain = "".join(character for character in key.casefold() if character.isalnum())
    if plain.endswith(_HARMLESS):
        return False
    return plain in _EXACT or plain.endswith(_ENDINGS)
