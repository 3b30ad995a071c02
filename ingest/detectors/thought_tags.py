"""How agents tag what they think: fact, inference, assumption; 事实, 推断, 假设."""

from __future__ import annotations

import re

_OPEN, _CLOSE = r"[<\[(【（「]", r"[>\])】）」]"
_FACT = r"facts?|known|given|事实|已知"
_INFERENCE = r"inferences?|inferred|deduction|推断|推论|推理"
_ASSUMPTION = r"assumptions?|assumed|hypothes[ie]s|假设|假定|猜测"
_ANY = rf"{_FACT}|{_INFERENCE}|{_ASSUMPTION}"

TAG = re.compile(
    rf"{_OPEN}\s*(?:{_ANY})\s*{_CLOSE}|^[ \t*-]{{0,6}}(?:{_ANY})[ \t*]*[:：]", re.IGNORECASE | re.MULTILINE
)
ASSUMPTION_TAG = re.compile(
    rf"{_OPEN}\s*(?:{_ASSUMPTION})\s*{_CLOSE}|^[ \t*-]{{0,6}}(?:{_ASSUMPTION})[ \t*]*[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_SAYS_IT_ASSUMES = re.compile(
    r"\b(?:i(?:'|’)?ll|i|let(?:'|’)?s|we|i will|i am|i(?:'|’)m)\s+(?:just |simply )?(?:assum(?:e|ing)|guess(?:ing)?|suppos(?:e|ing))\b"
    r"|\b(?:presumably|my guess is|i would guess)\b|(?:我|先|姑且|暂且)(?:先)?(?:假设|假定|猜测|猜)|(?:应该|大概|可能)(?:就)?是",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|[。！？\n]+")


def is_tagged(text: str) -> bool:
    """Whether anything in the text carries a tag."""
    return TAG.search(text) is not None


def assumptions(text: str) -> list[str]:
    """What a thought takes for granted: from an assumption's tag to the next tag, and sentences that say so in words."""
    tags = sorted(match.start() for match in TAG.finditer(text))
    found = []
    for match in ASSUMPTION_TAG.finditer(text):
        end = next((start for start in tags if start > match.start()), len(text))
        found.append(text[match.start() : end])
    found += [
        sentence for sentence in _SENTENCE.split(text) if sentence and _SAYS_IT_ASSUMES.search(sentence)
    ]
    return found
