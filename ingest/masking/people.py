"""Data of persons: addresses of mail, numbers, and fields that are labelled as personal."""

from __future__ import annotations

from ingest.masking import checks
from ingest.masking.shape import BEGIN, END, Shape
from ingest.masking.told import NOT_SECRETS

NAME_KEYS = (
    r"first_?name|last_?name|full_?name|given_?name|family_?name|middle_?name|surname|maiden_?name"
    r"|(?:customer|patient|passenger|guest|contact|recipient|sender|cardholder|card_?holder|account_?holder|owner|employee|student)_?name"
    r"|姓名|名字|收货人|收件人|联系人|寄件人|持卡人|(?:用户|客户|乘客|患者|旅客)姓名"
)
ADDRESS_KEYS = (
    r"address(?:_?line)?_?[1-3]|street(?:_?address)?(?:_?[12])?|(?:home|billing|shipping|mailing|delivery|postal|residential)_?address"
    r"|(?:收货|家庭|详细|联系|寄件|收件|居住|户籍|通讯)?(?:地址|住址)"
)
BIRTH_KEYS = r"dob|date_?of_?birth|birth_?date|birth_?day|出生日期|生日|出生年月"
PHONE_KEYS = r"(?:home|work|mobile|cell|contact)?_?(?:phone|mobile|cell|telephone|tel|fax)(?:_?(?:number|no|num))?|msisdn|(?:联系|家庭|手机|移动)?电话(?:号码?)?|手机号?码?|座机"
ID_KEYS = (
    r"passport(?:_?(?:number|no|num|id))?|id_?card(?:_?(?:number|no|num))?|national_?id(?:_?number)?|ssn|social_?security(?:_?(?:number|no))?"
    r"|tax_?id|driver'?s?_?licen[cs]e(?:_?(?:number|no))?|身份证(?:号码?)?|证件号码?|护照(?:号码?)?|驾驶证号?|社保号|通行证号?"
)
LABELS = (
    ("name", NAME_KEYS, "name Name NAME 姓名 名字 人"),
    ("address", ADDRESS_KEYS, "ddress DDRESS treet TREET 址"),
    ("birth_date", BIRTH_KEYS, "dob DOB irth IRTH 生"),
    ("phone", PHONE_KEYS, "hone HONE obile OBILE ell ELL tel Tel TEL fax Fax FAX msisdn 电话 手机 座机"),
    ("personal_id", ID_KEYS, "assport ASSPORT ard ational ssn SSN ocial tax Tax river 证 护照 社保"),
)
"""Kinds of fields whose value is a person's, the keys that say so, and what a text with one of them holds."""

_BARE = r"(?:[^\"\\]|\\.)"
_PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"


def is_personal(value: str) -> bool:
    """Whether what stands under a personal label can be a value: not a word of a schema or of an error."""
    bare = value.strip().casefold()
    return 2 <= len(bare) <= 200 and bare not in NOT_SECRETS and not bare.startswith(("$", "{", "<"))


def is_named(value: str) -> bool:
    """Whether it can be a person's name: a few words without digits or marks that only ids have."""
    spelled = all(letter.isalpha() or letter in " .'’·-" for letter in value)
    return is_personal(value) and spelled and len(value) <= 60 and len(value.split()) <= 5


def _is_phone(value: str) -> bool:
    return 8 <= sum(character.isdigit() for character in value) <= 15


def _is_number(value: str) -> bool:
    return sum(character.isdigit() for character in value) >= 5 and is_personal(value)


CHECKS = {"name": is_named, "phone": _is_number, "personal_id": _is_number, "birth_date": _is_number}


def _labelled() -> tuple[Shape, ...]:
    """Each label as a key of JSON, and as one of Python's."""
    made: list[Shape] = []
    for kind, keys, needs in LABELS:
        check = CHECKS.get(kind, is_personal)
        made.append(Shape(kind, rf"(?i)\"(?:{keys})\"\s*:\s*\"({_BARE}+)\"", check, needs))
        made.append(Shape(kind, rf"(?i)'(?:{keys})'\s*:\s*'((?:[^'\\]|\\.)+)'", check, needs))
    return tuple(made)


PEOPLE = (
    Shape(
        "email",
        r"([0-9A-Za-z_][0-9A-Za-z_.%+-]*@[0-9A-Za-z](?:[0-9A-Za-z-]*\.)+[A-Za-z]{2,24})",
        needs="@",
    ),
    Shape(
        "email_spelled",
        r"(?i)([0-9a-z_][0-9a-z_.+-]* ?(?:\(at\)|\[at\]) ?[0-9a-z-]+(?: ?(?:\.|\(dot\)|\[dot\]) ?[0-9a-z-]+)+)",
        needs="(at) [at] (AT) [AT]",
    ),
    Shape(
        "iban",
        rf"{BEGIN}([A-Z]{{2}}[0-9]{{2}}(?: ?[0-9A-Z]{{4}}){{2,7}}(?: ?[0-9A-Z]{{1,4}})?)(?:[^0-9A-Za-z]|$)",
        check=checks.is_iban,
    ),
    Shape("chinese_id", rf"{BEGIN}([1-9][0-9]{{16}}[0-9Xx]){END}", check=checks.is_chinese_id),
    Shape(
        "personal_id",
        r"(?:身份证|证件)(?:号码?)?\s*[:：是为]?\s*([1-9][0-9]{5}[ -]?[0-9]{8,9}[ -]?[0-9]{0,3}[0-9Xx])"
        + END,
        needs="身份证 证件",
    ),
    Shape(
        "credit_code",
        rf"{BEGIN}([159ANY][12359][0-9]{{6}}[0-9A-HJ-NPQRTUWXY]{{10}}){END}",
        check=checks.is_credit_code,
    ),
    Shape(
        "card",
        rf"{BEGIN}([2-6][0-9]{{3}}(?:[ -]?[0-9]{{4}}){{2}}[ -]?[0-9]{{1,7}}|[2-6][0-9]{{3}}(?:[ -][0-9]{{4}}){{3}}[ -][0-9]{{1,3}}"
        rf"|3[0-9]{{3}}[ -]?[0-9]{{6}}[ -]?[0-9]{{4,5}}){END}",
        check=checks.is_card,
    ),
    Shape(
        "card",
        r"(?:银行卡|信用卡|储蓄卡|借记卡|银行账)号?码?\s*[:：是为]?\s*([0-9]{4}(?:[ -]?[0-9]{4}){2,3}[ -]?[0-9]{0,3})"
        + END,
        needs="卡 银行账",
    ),
    Shape(
        "social_security",
        r"(?:^|[^0-9A-Za-z_#-])([0-9]{3}-[0-9]{2}-[0-9]{4})(?:[^0-9A-Za-z_-]|$)",
        check=checks.is_social_security,
    ),
    Shape(
        "social_security",
        r"(?i)(?:ssn|social security(?: (?:number|no\.?))?)\s*(?:is|:|#|=)?\s*([0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{4})"
        + END,
        needs="ssn SSN ocial",
    ),
    Shape(
        "personal_id",
        r"(?i:passport(?: (?:number|no\.?|num))?)\s*(?:is|was|:|#|=)?\s*#?([A-Z]{0,2}[0-9]{6,9})" + END,
        needs="assport ASSPORT",
    ),
    Shape(
        "personal_id",
        r"(?:护照|通行证|驾驶证|驾照|社保卡?)(?:号码?)?\s*[:：是为]?\s*([A-Z]{0,2}[0-9]{6,12})" + END,
        needs="护照 通行证 驾 社保",
    ),
    Shape(
        "personal_id",
        rf"{BEGIN}([A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{{2}} ?[0-9]{{2}} ?[0-9]{{2}} ?[A-D])(?:[^0-9A-Za-z]|$)",
        check=checks.is_insurance_number,
        needs="NI nsurance ational NSURANCE",
    ),
    Shape(
        "personal_id",
        rf"(?:^|[^\p{{Han}}0-9A-Za-z])([{_PROVINCES}][A-HJ-NP-Z][·• ]?[0-9A-HJ-NP-Z]{{5,6}})(?:[^0-9A-Za-z]|$)",
        check=_is_number,
        needs=" ".join(_PROVINCES),
    ),
    Shape(
        "phone",
        rf"(?:^|[^0-9A-Za-z_)\].+#-])(\+[1-9][0-9]{{0,2}}(?:[ .-]?\(?[0-9]{{1,5}}\)?){{2,5}}){END}",
        check=_is_phone,
        needs="+",
    ),
    Shape(
        "phone",
        rf"(?:^|[^0-9A-Za-z_.#+-])((?:00 ?)?86[ -]?1[3-9][0-9](?:[ -]?[0-9]{{4}}){{2}}){END}",
        check=_is_phone,
        needs="86",
    ),
    Shape(
        "phone",
        r"(?:^|[^0-9A-Za-z_.#+-])((?:1[-. ])?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[-.])[0-9]{3}[-.][0-9]{4})(?:[^0-9A-Za-z_-]|$)",
    ),
    Shape("phone", r"(?:^|[^0-9A-Za-z_.#+/-])(1[3-9][0-9](?:[ -]?[0-9]{4}){2})(?:[^0-9A-Za-z_.-]|$)"),
    Shape("phone", r"(?:^|[^0-9A-Za-z_.#+/-])(0[1-9][0-9]{1,2}-[2-9][0-9]{6,7})(?:[^0-9A-Za-z_.-]|$)"),
    Shape(
        "phone",
        r"(?i)(?:phone|mobile|cell|tel|telephone|电话|手机|座机)(?: ?(?:number|no\.?)|号码?)?\s*(?:is|:|：|是|为|=)\s*(\(?[0-9]{2,4}\)?(?:[ .-]?[0-9]{2,4}){2,4})"
        + END,
        check=_is_phone,
        needs="hone HONE obile OBILE ell tel Tel TEL 电话 手机 座机",
    ),
    *_labelled(),
    Shape(
        "name",
        r"(?:姓名|收货人|收件人|联系人|持卡人)\s*[:：是为]\s*(\p{Han}[\p{Han}·]{1,9})",
        check=is_named,
        needs="姓名 收 联系人 持卡人",
    ),
    Shape(
        "name",
        r"(?i:\b(?:my|full|customer|passenger|patient) name(?: is|'s|:)) ([A-Z][\p{L}'’-]+(?: [A-Z][\p{L}'’-]+){0,3})",
        check=is_named,
        needs="ame",
    ),
    Shape(
        "name",
        r"(?:我叫|我的名字是|本人姓名)\s*(\p{Han}[\p{Han}·]{1,3})(?:[^\p{Han}]|$)",
        check=is_named,
        needs="我叫 名字 姓名",
    ),
    Shape(
        "address",
        r"(?:地址|住址)\s*[:：是为]\s*([^\s,，。;；\"'\\、]{5,80})",
        check=is_personal,
        needs="址",
    ),
)
