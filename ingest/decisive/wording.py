"""What words tell: made-up data, questions back, refusals, agreement, farewells; English and Chinese."""

from __future__ import annotations

import re

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_CLOSING = re.compile(r"\W*(?:terminate|done|end|stop|结束|完毕|终止)?\W*", re.IGNORECASE)
_MADE_UP = re.compile(
    r"\b(?:mock\w*|hypothetical\w*|simulated|simulat(?:e|ing)|placeholders?|dummy|fictional|fabricated|sample data\w*|example data\w*"
    r"|assum(?:e|ing) (?:that )?(?:we|the|you|these|this)|let'?s assume|for demonstration|for the sake of)\b"
    r"|假设(?:我们|数据|该|这|已)|模拟(?:数据|的|一)|虚构|示例数据|样例数据|占位|编造|假定",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:please (?:share|provide|confirm|execute|proceed|run)|can you|could you|would you|let me know|once you)\b"
    r"|请(?:提供|确认|执行|分享|告诉|继续)|能否|是否可以|您可以",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"\bunfortunately\b|\b(?:i|we) (?:can(?:no|')t|am unable|are unable|am not able)\b|\bnot (?:possible|able) to\b"
    r"|很抱歉|抱歉|无法|不能(?:为您|帮)|没办法",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"\b(?:yes|yep|yeah|yup|sure|ok(?:ay)?|go ahead|proceed|confirm\w*|please do|do it|sounds (?:good|right|great)|let'?s (?:do|roll|go)|correct|that works|right)\b"
    r"|(?:^|[，。！,.!\s])(?:是的?|对|好的?|可以|行|没问题|确认|同意|办吧)(?:$|[，。！,.!\s])",
    re.IGNORECASE,
)
_LEAVES = re.compile(
    r"\b(?:good)?bye\b|\bthat(?:'s| is| will be|'ll be) (?:all|it|everything)\b|再见|没有了|就这些|不用了",
    re.IGNORECASE,
)
_REQUESTS = re.compile(
    r"\?|\b(?:go ahead|proceed|please (?:do|make|send|change|cancel|process|book|check|tell|give))\b|？|请(?:帮|给|办|处理|取消|修改|查)|吗|继续办",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"(?<![\w$€£¥.,#-])(\d{1,3})(?![\w.,%-])\s+(?:\w+[ -]){0,3}?(?:options?|items?|types?|kinds?|results?|orders?|available|variants?|choices?|flights?|records?|entries|files?|people|times)\b"
    r"|(?<![\d.#-])(\d{1,3})\s*(?:个|件|种|条|项|款|次|份|位)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_WORD = re.compile(r"[a-z0-9]{3,}")
_CJK = re.compile(r"[\u3400-\u9fff]+")
STEM = 5
FEW = 2
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "the and for are was were what which who how many much that this with from not does did have has had you our their "
        "its there than then them they can could would will please return give tell provide answer based need find",
    )
)


def is_closing(text: str) -> bool:
    """Nothing but the word that ends a conversation, or no words at all."""
    return len(text) < 80 and _CLOSING.fullmatch(text) is not None


def without_code(text: str) -> str:
    """The text without its fenced blocks."""
    return _FENCE.sub(" ", text)


def made_up(text: str) -> str | None:
    """The words by which the text says that something in it is not real, the first ones; None without such."""
    found = _MADE_UP.search(text)
    return found.group() if found else None


def asks(text: str) -> bool:
    """Whether it asks someone for something."""
    return _ASKS.search(text) is not None


def refuses(text: str) -> bool:
    """Whether it says that something cannot be done."""
    return _REFUSES.search(text) is not None


def agrees(text: str) -> bool:
    """Whether a person agrees to what was proposed."""
    return _AGREES.search(text) is not None


def requests(text: str) -> bool:
    """Whether a person wants something done or told now, and does not merely agree, thank or take leave."""
    return _REQUESTS.search(text) is not None and _LEAVES.search(text) is None


def numbers(text: str) -> list[str]:
    """The numbers in it, in order, without what parts their thousands."""
    return [found.replace(",", "").rstrip(".") for found in _NUMBER.findall(text)]


def counts(text: str) -> list[str]:
    """Counts of things in it that are more than two: "11 options", 共11种."""
    told = (found.group(1) or found.group(2) for found in _COUNTED.finditer(text))
    return [number for number in told if int(number) > FEW]


def shared_words(question: str, text: str) -> float:
    """The share of the question's content words that the text has too, by their first STEM letters; Chinese by pairs of
    characters."""
    wanted = stems(question)
    return len(wanted & stems(text)) / len(wanted) if wanted else 1.0


def stems(text: str) -> frozenset[str]:
    """The content words of a text, cut short."""
    words = {word[:STEM] for word in _WORD.findall(text.casefold()) if word not in _EMPTY}
    pairs = {run[place : place + 2] for run in _CJK.findall(text) for place in range(len(run) - 1)}
    return frozenset(words | pairs)
