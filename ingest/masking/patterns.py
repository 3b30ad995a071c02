"""What is masked in text: RE2 patterns over UTF-8 bytes, each with the check that a find must pass.

RE2 has no look-around: of a match the one group that took part is replaced, and what stands around it is matched too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import re2

from ingest.masking import checks

Check = Callable[[str], bool]

_BEGIN = r"(?:^|[^0-9A-Za-z_#])"
_TOLD_BY = (
    r"passwords?|passwd|passphrase|passcode|pwd|api[_ -]?keys?|apikey|access[_ -]?key(?:[_ -]?id)?|secret(?:[_ -]?(?:access[_ -]?)?key)?"
    r"|client[_ -]?secret|private[_ -]?key|auth[_ -]?token|access[_ -]?token|refresh[_ -]?token|id[_ -]?token|session[_ -]?token|token"
    r"|密码|口令|密钥|令牌|验证码|暗号"
)
_TOLD_BY_BYTES = "ass ASS wd WD ey EY ecret ECRET oken OKEN 密 口令 令牌 验证码 暗号"
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
    ]
)


@dataclass(frozen=True)
class Shape:
    """What a value looks like. `kind` is what it counts as; `pattern` is RE2, its one matched group is the value; `check`
    must hold for it; a text without any of `needs` cannot hold it (a quick look)."""

    kind: str
    pattern: str
    check: Check | None = None
    needs: str = ""


def is_secret(value: str) -> bool:
    """Whether what follows "password:" can be one: not a word of a sentence about passwords."""
    bare = value.strip("\"'`.,;:!?()[]{}<>*。，；！？").casefold()
    return len(bare) >= 3 and bare not in NOT_SECRETS


def _is_token(value: str) -> bool:
    return len(value) >= 20 or any(character.isdigit() for character in value)


def _is_phone(value: str) -> bool:
    return 8 <= sum(character.isdigit() for character in value) <= 15


_END = r"(?:[^0-9A-Za-z_]|$)"
_SHAPES = (
    Shape(
        "private_key",
        r"(?s)-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(.+?)(?:-----END|\z)",
        needs="KEY-----",
    ),
    Shape("jwt", r"(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{5,})", needs="eyJ"),
    Shape(
        "api_key",
        r"(?:^|[^0-9A-Za-z])(?:sk|pk|rk)[-_](?:(?:live|test|proj|ant|or)[-_])?([A-Za-z0-9_-]{16,})",
        needs="sk- sk_ pk- pk_ rk- rk_",
    ),
    Shape(
        "api_key",
        r"(?:^|[^0-9A-Za-z])(?:gh[pousr]_|github_pat_|glpat-|hf_|npm_|xox[abeoprs]-|AIza|ya29\.|dop_v1_|shpat_|SG\.)"
        r"([A-Za-z0-9_.-]{10,})",
        needs="ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- hf_ npm_ xox AIza ya29. dop_v1_ shpat_ SG.",
    ),
    Shape("api_key", r"(?:^|[^0-9A-Za-z])(?:AKIA|ASIA)([A-Z0-9]{16})(?:[^0-9A-Za-z]|$)", needs="AKIA ASIA"),
    Shape(
        "bearer_token",
        r"(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{12,})",
        check=_is_token,
        needs="earer EARER asic ASIC",
    ),
    Shape(
        "url_credentials",
        r"[A-Za-z][A-Za-z0-9+.-]+://([^\s/@:\"'<>]+:[^\s/@\"'<>]+@[^\s/?#\"'<>:]+)",
        needs="://",
    ),
    Shape(
        "secret",
        rf"(?i)(?:{_TOLD_BY})(?:\\?[\"'])?\s*(?:=|:|：|是|为)\s*(?:\\?[\"'`「“])?([^\s\"'`,;，。；」”\\<>&]{{3,}})",
        check=is_secret,
        needs=_TOLD_BY_BYTES,
    ),
    Shape(
        "secret",
        r"(?i)\b(?:password|passcode|pin|token|secret)\s+(?:is|was)\s+[\"'`]?([^\s\"'`,;，。；]{2,}[0-9][^\s\"'`,;，。；]*)",
        needs="assw ASSW assc ASSC pin PIN Pin oken OKEN ecret ECRET",
    ),
    Shape(
        "email",
        r"([0-9A-Za-z_][0-9A-Za-z_.%+-]*@[0-9A-Za-z](?:[0-9A-Za-z-]*\.)+[A-Za-z]{2,24})",
        needs="@",
    ),
    Shape(
        "iban",
        rf"{_BEGIN}([A-Z]{{2}}[0-9]{{2}}(?: ?[0-9A-Z]{{4}}){{2,7}}(?: ?[0-9A-Z]{{1,4}})?)(?:[^0-9A-Za-z]|$)",
        check=checks.is_iban,
    ),
    Shape("chinese_id", rf"{_BEGIN}([1-9][0-9]{{16}}[0-9Xx]){_END}", check=checks.is_chinese_id),
    Shape(
        "card",
        rf"{_BEGIN}([2-6][0-9]{{3}}(?:[ -]?[0-9]{{4}}){{2}}[ -]?[0-9]{{1,7}}|3[0-9]{{3}}[ -]?[0-9]{{6}}[ -]?[0-9]{{4,5}}){_END}",
        check=checks.is_card,
    ),
    Shape(
        "social_security",
        r"(?:^|[^0-9A-Za-z_#-])([0-9]{3}-[0-9]{2}-[0-9]{4})(?:[^0-9A-Za-z_-]|$)",
        check=checks.is_social_security,
    ),
    Shape(
        "phone",
        rf"(?:^|[^0-9A-Za-z_)\].+#-])(\+[0-9]{{1,3}}(?:[ .-]?\(?[0-9]{{1,5}}\)?){{2,5}}){_END}",
        check=_is_phone,
        needs="+",
    ),
    Shape(
        "phone",
        r"(?:^|[^0-9A-Za-z_.#+-])((?:1[-. ])?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[-.])[0-9]{3}[-.][0-9]{4})(?:[^0-9A-Za-z_-]|$)",
    ),
    Shape(
        "phone",
        r"(?:^|[^0-9A-Za-z_.#+/-])(1[3-9][0-9](?:[ -]?[0-9]{4}){2})(?:[^0-9A-Za-z_.-]|$)",
    ),
)
"""In the order in which they are applied: what is longer and surer first."""


@dataclass(frozen=True)
class Pattern:
    """A shape, compiled."""

    kind: str
    regex: Any
    check: Check | None
    needs: tuple[bytes, ...]


_LONG_NUMBER = r"(?:[0-9][ .()-]{0,2}){8}[0-9]|[A-Z]{2}[0-9]{2}[ 0-9A-Z]{11}"
"""All that is told by its digits alone has nine of them, or begins as an account number does."""


@dataclass(frozen=True)
class Gate:
    """Quick looks at a whole text: without `words` no shape that needs any can match, without `digits` no other can."""

    words: Any
    digits: Any

    def lets(self, data: bytes) -> tuple[bool, bool]:
        """Whether shapes with needs, and those without, are to be tried."""
        return self.words.search(data) is not None, self.digits.search(data) is not None


def compile_gate() -> Gate:
    """The gate before all patterns."""
    needles = sorted({part for shape in _SHAPES for part in shape.needs.split()})
    return Gate(_regex("|".join(re2.escape(part) for part in needles)), _regex(_LONG_NUMBER))


def compile_patterns() -> tuple[Pattern, ...]:
    """All shapes, in the order in which they are applied."""
    return tuple(
        Pattern(
            shape.kind,
            _regex(shape.pattern),
            shape.check,
            tuple(part.encode() for part in shape.needs.split()),
        )
        for shape in _SHAPES
    )


def _regex(pattern: str) -> Any:
    """The pattern over the bytes of UTF-8 text."""
    options = re2.Options()
    options.log_errors = False
    options.encoding = re2.Options.Encoding.UTF8
    return re2.compile(pattern.encode(), options)
