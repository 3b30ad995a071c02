"""Keys whose value is a secret or a person's, whatever it looks like."""

from __future__ import annotations

import re
from functools import lru_cache

from ingest.masking.people import LABELS

_EXACT = frozenset(
    {
        "pin",
        "cvv",
        "cvc",
        "cvv2",
        "cookie",
        "setcookie",
        "pwd",
        "authorization",
        "auth",
        "credentials",
        "proxyauthorization",
    }
)
_ENDINGS = (
    "password", "passwd", "passphrase", "passcode", "apikey", "secret", "secretkey", "privatekey", "accesskey",
    "accesskeyid", "accountkey", "signingkey", "encryptionkey", "token", "credential", "connectionstring", "mnemonic",
    "密码", "口令", "密钥", "私钥", "令牌", "验证码", "授权码",
)  # fmt: skip
_HARMLESS = ("pagetoken", "nexttoken", "continuationtoken", "synctoken", "maxtoken", "stoptoken", "eostoken")
_PERSONAL = tuple((kind, re.compile(f"(?i)(?:{keys})")) for kind, keys, _ in LABELS)
_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_COMPOUND = ("$ref", "anyOf", "allOf", "oneOf", "enum", "const", "properties")


@lru_cache(maxsize=4096)
def is_telling(key: str) -> bool:
    """Whether `key` names a secret: "password", "db_password", "X-Api-Key", "密码"; not "page_token"."""
    plain = "".join(character for character in key.casefold() if character.isalnum())
    if plain.endswith(_HARMLESS):
        return False
    return plain in _EXACT or plain.endswith(_ENDINGS)


@lru_cache(maxsize=4096)
def personal_kind(key: str) -> str | None:
    """The kind of a person's data that `key` names ("name" for "firstName", "address" for "地址"), or None."""
    spelled = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).replace("-", "_").replace(" ", "_")
    return next((kind for kind, pattern in _PERSONAL if pattern.fullmatch(spelled)), None)


def is_schema(value: object) -> bool:
    """Whether `value` is a JSON Schema: it describes a secret and holds none, but for its examples and constants."""
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    known = (
        kind in _TYPES
        if isinstance(kind, str)
        else isinstance(kind, list) and _TYPES.issuperset(map(str, kind))
    )
    return known or any(name in value for name in _COMPOUND)
