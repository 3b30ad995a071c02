"""One specimen of each kind of secret or personal value: how it is written, and what of it must never be found again.

All are made up. They are put together here, so that no scanner for leaked keys takes this file for a leak.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from urllib.parse import quote

BODY = "q7Zk2mXw9RtB4vNc8YpL3sHd6JfG1aUe"
HEX = "3f9a1c7be2d84506af13c9e07b52d681"


@dataclass(frozen=True)
class Specimen:
    """`written` as it stands in a text; `needles`, none of which may be kept."""

    kind: str
    written: str
    needles: tuple[str, ...]


def _own(kind: str, written: str, *needles: str) -> Specimen:
    return Specimen(kind, written, needles or (written,))


def _key(kind: str, begins: str, body: str) -> Specimen:
    return Specimen(kind, f"the key {begins}{body} works", (body,))


_PEM = "\n".join(
    [
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        "MIIEowIBAAKCAQEAx9PemLineOne0001",
        "MIIEowIBAAKCAQEAx9PemLineTwo0002",
        "-----END RSA " + "PRIVATE KEY-----",
    ]
)
_PEM_NEEDLES = ("x9PemLineOne0001", "x9PemLineTwo0002")
_JWT = f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.{BODY}"

SPECIMENS = (
    _own("email", "write to planted.person@mail-planted.org please", "planted.person", "mail-planted"),
    _own("email with a tag", "planted+tag77@inbox-planted.example.com", "planted+tag77", "inbox-planted"),
    _own("email, spelled out", "reach spelledout (at) planted-host (dot) org", "spelledout", "planted-host"),
    _own("phone, US", "call 415-555-0134 now", "415-555-0134"),
    _own("phone, in brackets", "call (628) 555-0187 now", "(628) 555-0187", "555-0187"),
    _own("phone, UK", "ring +44 20 7946 0123.", "20 7946 0123"),
    _own("mobile, China", "我的手机是13987654321，谢谢", "13987654321"),
    _own("mobile, China, with its code", "手机 +86 139-1234-8765", "139-1234-8765"),
    _own("landline, China", "座机 0755-86543210", "0755-86543210"),
    _own("card, Visa", "card 4242 4242 4242 4242", "4242 4242 4242 4242"),
    _own("card, Amex", "card 371449635398431", "371449635398431"),
    _own("card, UnionPay", "银行卡号：6222 0212 3456 7890 123", "6222 0212 3456 7890"),
    _own("resident id", "身份证11010519491231002X", "11010519491231002X"),
    _own("resident id, old", "身份证号：110105491231002", "110105491231002"),
    _own("credit code", "统一社会信用代码 91350100M000100Y43", "91350100M000100Y43"),
    _own("passport, China", "护照号 E87654321", "E87654321"),
    _own("passport", "passport number: X7654321", "X7654321"),
    _own("social security number", "SSN 219-09-8765", "219-09-8765"),
    _own("insurance number", "my National Insurance number is AB 12 34 56 C", "AB 12 34 56 C"),
    _own("IBAN", "pay to DE89 3704 0044 0532 0130 00", "3704 0044 0532 0130"),
    _own("name, labelled", '{"first_name": "Plantina", "last_name": "Secretson"}', "Plantina", "Secretson"),
    _own("name, in Chinese", "姓名：欧阳植密", "欧阳植密"),
    _own("address, labelled", '{"address1": "4711 Planted Boulevard"}', "4711 Planted Boulevard"),
    _own("address, in Chinese", "收货地址：上海市植密区秘密路99号", "秘密路99号"),
    _own("date of birth", '{"date_of_birth": "1984-07-23"}', "1984-07-23"),
    _own("JWT", f"token {_JWT}", BODY),
    _own("private key", _PEM, *_PEM_NEEDLES),
    _own("private key in JSON", json.dumps(_PEM.replace("Line", "Json")), "PemJsonOne0001", "PemJsonTwo0002"),
    _key("OpenAI", "sk-" + "proj-", "OaI" + BODY),
    _key("Anthropic", "sk-" + "ant-api03-", "AnT" + BODY),
    _key("AWS key id", "AK" + "IA", "Z7PLANTEDKEY2345"),
    _own("AWS secret", f"aws_secret_access_key = Aws/{BODY}+x", f"Aws/{BODY}"),
    _key("Google", "AI" + "za", "Goo" + BODY),
    _key("Google client", "GOC" + "SPX-", "Gcs" + BODY),
    _own("Azure storage", f"AccountName=a;AccountKey=Azu{BODY}==;EndpointSuffix=core", f"Azu{BODY}"),
    _key("Azure client", "", "aB38" + "Q~" + BODY),
    _key("GitHub", "gh" + "p_", "GhP" + BODY),
    _key("GitHub, fine-grained", "github" + "_pat_", "GhF" + BODY),
    _key("GitLab", "gl" + "pat-", "GlP" + BODY),
    _key("Slack", "xo" + "xb-", "1234-Slk" + BODY),
    _own("Slack webhook", f"https://hooks.slack.com/services/T0PLANT/B0PLANT/Swh{BODY}", f"Swh{BODY}"),
    _key("Stripe", "sk" + "_live_", "Str" + BODY),
    _key("npm", "np" + "m_", "Npm" + BODY),
    _key("PyPI", "py" + "pi-", "AgEIcHlwaS" + BODY),
    _key("Twilio", "S" + "K", HEX),
    _key("SendGrid", "S" + "G.", f"Sgr{BODY}.Sgs{BODY}"),
    _key("Hugging Face", "h" + "f_", "Hfa" + BODY),
    _key("Telegram", "", "7234567891" + ":AA" + BODY + "x"),
    _own("password", "password=Pw-planted-1!", "Pw-planted-1"),
    _own("password in JSON", '{"db_password": "two words, Pw-planted-2"}', "Pw-planted-2", "two words"),
    _own("password in JSON in JSON", json.dumps({"a": json.dumps({"secret": "Pw-planted-3 x"})}), "Pw-planted-3"),
    _own("password in Chinese", "密码：开门Pw-planted-4", "开门Pw-planted-4"),
    _own("password, percent-encoded", quote("password=Pw/planted/5&x", safe=""), "planted%2F5", "planted/5"),
    _own("email, percent-encoded", quote("encoded.planted@mail-encoded.org", safe=""), "encoded.planted", "mail-encoded"),
    _own("bearer header", f"Authorization: Bearer Brr{BODY}", f"Brr{BODY}"),
    _own(
        "basic header",
        f"Authorization: Basic {base64.b64encode(b'planted:Pw-planted-6').decode()}",
        "Pw-planted-6",
        base64.b64encode(b"planted:Pw-planted-6").decode(),
    ),
    _own(
        "wrapped in base64",
        f"data {base64.b64encode(b'password=Pw-planted-7; host=x').decode()}",
        base64.b64encode(b"password=Pw-planted-7; host=x").decode(),
    ),
    _own("cookie", f"Cookie: session=Coo{BODY}; theme=dark", f"Coo{BODY}"),
    _own("connection string", "postgres://planted:Pw-planted-8@db.example.org/shop", "Pw-planted-8"),
    _own("connection string without a user", "redis://:Pw-planted-9@cache.example.org:6379/0", "Pw-planted-9"),
    _own("token in a URL", f"https://api.example.org/cb?access_token=Url{BODY}&x=1", f"Url{BODY}"),
    _own("signature in a URL", f"https://b.example.org/o?X-Amz-Signature={HEX}", HEX),
    _own("on a command line", "curl -u planted:Pw-planted-10 https://x.example.org", "Pw-planted-10"),
)  # fmt: skip

CARD_NUMBER = 4242424242424242
PHONE_NUMBER = 13987654321
NEEDLES = tuple(dict.fromkeys(needle for specimen in SPECIMENS for needle in specimen.needles))


def planted() -> str:
    """All of them in one text."""
    return "\n".join(specimen.written for specimen in SPECIMENS)


def found_in(text: str) -> list[str]:
    """The needles that stand in `text`, as they are or with JSON's escapes."""
    return [needle for needle in NEEDLES if needle in text or json.dumps(needle)[1:-1] in text]
