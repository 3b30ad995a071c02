"""Secrets that are told by what stands before them: headers, URLs, and words such as "password"."""

from __future__ import annotations

from ingest.masking.shape import Shape

WORDS = (
    r"passwords?|passwd|passphrase|passcode|pwd|api[_ -]?keys?|apikey|(?:access|account|signing|encryption|master|storage)[_ -]?key(?:[_ -]?id)?"
    r"|secret(?:[_ -]?(?:access[_ -]?)?key)?|client[_ -]?secret|private[_ -]?key(?:[_ -]?id)?"
    r"|(?:auth|access|refresh|id|session|bearer|sas|csrf)[_ -]?token|token|mnemonic|seed phrase"
    r"|密码|口令|密钥|私钥|令牌|验证码|授权码|暗号|助记词"
)
NEEDS = "ass ASS wd WD ey EY ecret ECRET oken OKEN nemonic eed 密 口令 私钥 令牌 验证码 授权码 暗号 助记词"
NOT_SECRETS = frozenset(
    [
        "must",
        "is",
        "are",
        "was",
        "required",
        "invalid",
        "incorrect",
        "wrong",
        "field",
        "missing",
        "expired",
        "not",
        "no",
        "the",
        "a",
        "an",
        "null",
        "none",
        "true",
        "false",
        "string",
        "str",
        "int",
        "integer",
        "number",
        "bool",
        "boolean",
        "object",
        "array",
        "value",
        "should",
        "cannot",
        "can",
        "may",
        "has",
        "have",
        "and",
        "or",
        "of",
        "for",
        "to",
        "in",
        "error",
        "not_found",
        "undefined",
        "empty",
        "redacted",
        "hidden",
        "too",
        "this",
        "your",
        "my",
        "it",
        "optional",
        "unknown",
        "n/a",
        "na",
    ]
)
"""What follows "password:" in a sentence about passwords, or in a schema."""


def is_secret(value: str) -> bool:
    """Whether what follows "password:" can be one: not a word of a sentence about passwords."""
    bare = value.strip("\"'`.,;:!?()[]{}<>*。，；！？").casefold()
    stands_for_one = bare.startswith(("your_", "your-")) or not any(character.isalnum() for character in bare)
    return len(bare) >= 3 and bare not in NOT_SECRETS and not stands_for_one


def _is_token(value: str) -> bool:
    return len(value) >= 20 or any(character.isdigit() for character in value)


def _is_long_token(value: str) -> bool:
    """What a generator made: letters and digits, twelve or more, and no id with its parts told apart."""
    mixed = any(letter.isdigit() for letter in value) and any(letter.isalpha() for letter in value)
    return len(value) >= 12 and mixed


_VALUE = r"[^\s\"'`,;，。；」”\\<>&]"

TOLD = (
    Shape(
        "bearer_token",
        r"(?i)\b(?:bearer|basic|token|apikey|negotiate|digest|hmac)[\s+]+([A-Za-z0-9._~+/=-]{8,})",
        check=_is_token,
        needs="earer EARER asic ASIC oken OKEN pikey PIKEY egotiate igest mac MAC",
    ),
    Shape(
        "bearer_token",
        r"(?i)authorization[\"']?\s*(?:[:=]|：)\s*[\"']?(?:[A-Za-z][A-Za-z0-9-]{1,20}\s+)?([^\s\"',;\\]{8,})",
        check=_is_token,
        needs="uthorization UTHORIZATION",
    ),
    Shape(
        "cookie",
        r"(?i)cookie[\"']?\s*:\s*[\"']?([0-9A-Za-z_.%$-]{1,64}=[^\r\n\"'\\]+)",
        needs="ookie OOKIE",
    ),
    Shape(
        "url_credentials",
        r"[A-Za-z][A-Za-z0-9+.-]+://([^\s/@:?\"'<>]*:[^\s/@\"'<>]+@[^\s/?#\"'<>:,]+)",
        needs="://",
    ),
    Shape(
        "url_credentials",
        r"[A-Za-z][A-Za-z0-9+.-]+://([^\s/@:?&=\"'<>]{12,})@[^\s/?#\"'<>]+",
        check=_is_long_token,
        needs="://",
    ),
    Shape(
        "secret",
        r"(?i)[?&#;](?:x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|sig|sign|signature|sid|session(?:_?id)?|auth|jwt"
        r"|key|app_?key|code|ticket|state|nonce|otp|hash|assertion)=([^&\s#\"'<>]{6,})",
        check=_is_long_token,
        needs="?x &x ?X &X ?s &s ?S &S ?a &a ?A &A ?j &j ?k &k ?c &c ?t &t ?n &n ?o &o ?h &h #a #s #k",
    ),
    Shape(
        "secret",
        rf"(?i)\"[^\"\\\s]{{0,40}}(?:{WORDS})\"\s*:\s*\"((?:[^\"\\]|\\.){{3,}})\"",
        check=is_secret,
        needs=NEEDS,
    ),
    Shape(
        "secret",
        rf"(?i)'[^'\\\s]{{0,40}}(?:{WORDS})'\s*:\s*'((?:[^'\\]|\\.){{3,}})'",
        check=is_secret,
        needs=NEEDS,
    ),
    Shape(
        "secret",
        rf"(?i)(?:{WORDS})(?:\\*[\"'])?\s*(?:=|:|：|是|为)\s*(?:\\*[\"'`「“])?({_VALUE}{{3,}})",
        check=is_secret,
        needs=NEEDS,
    ),
    Shape(
        "secret",
        r"(?i)\b(?:password|passcode|pin|token|secret)\s+(?:is|was)\s+[\"'`]?([^\s\"'`,;，。；]{2,}[0-9][^\s\"'`,;，。；]*)",
        needs="assw ASSW assc ASSC pin PIN Pin oken OKEN ecret ECRET",
    ),
    Shape(
        "secret",
        rf"(?i)--(?:password|passwd|token|secret|api-key|apikey|access-key|client-secret|auth)[ =]+[\"']?({_VALUE}{{3,}})",
        check=is_secret,
        needs="--",
    ),
    Shape("secret", r"(?:^|\s)-(?:u|-user)[ =]+[\"']?([^\s\"':]+:[^\s\"']{3,})", needs="-u -user"),
)
