"""Keys and tokens that are known by how they begin. What tells them stays, the rest is replaced."""

from __future__ import annotations

from ingest.masking.shape import Shape

_EDGE = r"(?:^|[^0-9A-Za-z])"
_HEX = r"[0-9a-fA-F]"

_BEGINNINGS = (
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glptt- glcbt- glsoat- hf_ npm_ pypi- "
    "xoxa- xoxb- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp- AIza ya29. GOCSPX- dop_v1_ doo_v1_ dor_v1_ "
    "shpat_ shpca_ shppa_ shpss_ whsec_ sq0atp- sq0csp- hvs. hvb. hvr. sntrys_ sntryu_ glsa_ glc_ NRAK- NRII- "
    "pscale_tkn_ pscale_pw_ sb_secret_ gsk_ xai- pplx- lin_api_ dp.pt. dp.st. ATATT3x ATCTT3x PMAK- rubygems_ dckr_pat_ "
    "nvapi- jina_ tvly- figd_ AGE-SECRET-KEY-1"
)
"""GitHub, GitLab, Hugging Face, npm, PyPI, Slack, Google, DigitalOcean, Shopify, Stripe's webhooks, Square, Vault, Sentry,
Grafana, New Relic, PlanetScale, Supabase, Groq, Replicate, xAI, Perplexity, Databricks, Linear, Notion, Doppler, Atlassian,
Postman, RubyGems, Docker, NVIDIA and others."""

_LONG = (
    rf"(?:key-|dapi|sbp_)({_HEX}{{32,40}})|(?:r8_|ntn_|secret_|EAAA|sl\.B)([A-Za-z0-9_-]{{30,}})"
    rf"|pat-(?:na|eu)[0-9]-({_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}})"
)
"""Beginnings that words and ids have too: only before what is as long as a key. Mailgun, Databricks, Supabase, Replicate,
Notion, Square, Dropbox, HubSpot."""


def _is_random(value: str) -> bool:
    """Whether a generator made it: it has digits and letters, or is one long word, and not several with hyphens."""
    mixed = any(letter.isdigit() for letter in value) and any(letter.isalpha() for letter in value)
    return mixed or (len(value) >= 20 and value.isalnum())


def _spelled(beginnings: str) -> str:
    return "|".join(word.replace(".", r"\.") for word in beginnings.split())


TOKENS = (
    Shape(
        "private_key",
        r"(?s)-----BEGIN[A-Z \r\n]{1,30}PRIVATE\s+KEY(?:\s+BLOCK)?-----(.+?)(?:-----END|\z)",
        needs="KEY----- BLOCK-----",
    ),
    Shape(
        "private_key",
        r"((?:[A-Za-z0-9+/=]{16,}(?:\s|\\+n|\\+r)+)+)-----END[A-Z \r\n]{1,30}PRIVATE\s+KEY",
        needs="-----END",
    ),
    Shape("private_key", r"PuTTY-User-Key-File-[0-9]:(?s:(.+?))(?:Private-MAC:|\z)", needs="PuTTY-User-Key"),
    Shape("jwt", r"(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{5,})", needs="eyJ"),
    Shape("jwt", r"(eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){4})", needs="eyJ"),
    Shape(
        "api_key",
        rf"{_EDGE}(?:sk|pk|rk)[-_](?:(?:live|test|proj|ant|or|svcacct|admin)[-_])?([A-Za-z0-9_-]{{16,}})",
        check=_is_random,
        needs="sk- sk_ pk- pk_ rk- rk_",
    ),
    Shape(
        "api_key",
        rf"{_EDGE}(?:{_spelled(_BEGINNINGS)})([A-Za-z0-9_.+/=-]{{10,}})",
        check=_is_random,
        needs=_BEGINNINGS,
    ),
    Shape(
        "api_key",
        rf"{_EDGE}(?:{_LONG})",
        check=_is_random,
        needs="key- dapi sbp_ r8_ ntn_ secret_ EAAA sl.B pat-",
    ),
    Shape("api_key", rf"{_EDGE}SG\.([A-Za-z0-9_-]{{10,}}\.[A-Za-z0-9_-]{{10,}})", needs="SG."),
    Shape(
        "api_key",
        rf"{_EDGE}(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA|ABIA|ACCA)([A-Z0-9]{{16}})(?:[^0-9A-Za-z]|$)",
        needs="AKIA ASIA AROA AIDA AGPA ANPA ABIA ACCA",
    ),
    Shape(
        "api_key",
        rf"{_EDGE}(?:LTAI|AKID)([A-Za-z0-9]{{12,40}})(?:[^0-9A-Za-z]|$)",
        check=_is_random,
        needs="LTAI AKID",
    ),
    Shape("api_key", rf"{_EDGE}(?:SK|AC)({_HEX}{{32}})(?:[^0-9A-Za-z]|$)", check=_is_random, needs="SK AC"),
    Shape("api_key", rf"{_EDGE}({_HEX}{{32}})-us[0-9]{{1,2}}(?:[^0-9A-Za-z]|$)", needs="-us"),
    Shape("api_key", rf"{_EDGE}([A-Za-z0-9_~.-]{{3}}[0-9]Q~[A-Za-z0-9_~.-]{{31,34}})", needs="Q~"),
    Shape("api_key", rf"{_EDGE}([0-9]{{8,10}}:AA[A-Za-z0-9_-]{{32,34}})(?:[^0-9A-Za-z_-]|$)", needs=":AA"),
    Shape(
        "api_key",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/]{16,})",
        needs="hooks.slack.com",
    ),
    Shape(
        "api_key", r"discord(?:app)?\.com/api/webhooks/([0-9]{10,}/[A-Za-z0-9_-]{20,})", needs="/webhooks/"
    ),
    Shape(
        "api_key",
        r"(?:oapi\.dingtalk\.com/robot/send\?access_token=|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=|open\.feishu\.cn/open-apis/bot/v2/hook/)([A-Za-z0-9-]{16,})",
        needs="oapi.dingtalk qyapi.weixin open.feishu",
    ),
)
