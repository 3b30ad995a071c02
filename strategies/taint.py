"""Text that speaks to a model rather than about a failure. A rule made from it is never approved in one click.

What is looked at: every text of the cases behind a draft, and whatever the draft itself says, however either was disguised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import re2

from errata_client.jsontext import canonical
from errata_client.matching import encoded
from errata_client.model import JsonValue
from errata_client.rule import Rule
from knowledge.cases import FailureCase
from strategies.disguise import plain_forms

_PHRASES = (
    (
        r"\b(?:ignore|disregard|forget|override|bypass|skip)\b.{0,40}\b(?:previous|prior|preceding|above|earlier|all|any|your|the)\b"
        r".{0,40}\b(?:instruction|prompt|rule|direction|guideline|context|message|polic(?:y|ie)|guardrail)s?\b"
    ),
    r"\b(?:ignore|disregard|forget)\b (?:all |everything )?(?:that (?:was )?)?(?:the )?(?:above|before|previous)\b",
    r"\b(?:do not|dont|never|stop) (?:follow|obey|listen to|following|obeying)\b.{0,40}\b(?:instruction|rule|prompt|polic(?:y|ie))s?\b",
    r"\byou are (?:now|no longer)\b|\bfrom now on,? you\b|\byou must now\b",
    r"\b(?:act|behave|respond) as (?:if you|an? (?:unrestricted|different|administrator|root|developer))\b|\bpretend (?:to be|you are)\b",
    r"\b(?:new|updated|real|hidden|secret) (?:instruction|task|directive|objective|order)s? ?:",
    r"\b(?:reveal|print|show|repeat|output|leak|send)\b.{0,30}\b(?:system prompt|your (?:instructions|prompt|rules))\b",
    r"\bsystem ?prompt\b|\bdeveloper mode\b|\bjailbreak|\bdo anything now\b|\bprompt injection\b",
    r"\b(?:attention|note|important|message|instructions?) (?:to|for) (?:the )?(?:ai|llm|agent|assistant|language model|model)\b",
    r"\b(?:ai|llm|assistant|agent|model)s?\b (?:must|should|shall|has to|needs to) (?:now )?(?:call|invoke|run|execute|send|approve|transfer|refund|delete)\b",
    r"\b(?:call|invoke|run|execute|use) (?:the )?(?:tool|function|command)\b.{0,30}\b(?:instead|immediately|now|first)\b",
    r"<\|?/?(?:im_?start|im_?end|system|endoftext|eot_?id|start_?header_?id|assistant|tool_?call)\|?>|\[/?(?:INST|SYS)\]|<</?SYS>>",
    r"(?:^|[.!?>}\]] ?)(?:system|assistant|developer) ?: |### ?(?:instruction|system|assistant)",
    (
        r"(?:忽略|无视|忘记|忘掉|不要理会|不必理会|不要遵守|不用遵守|跳过|绕过|覆盖|忽視|無視).{0,16}"
        r"(?:指令|指示|提示|规则|規則|要求|设定|设置|内容|限制|政策|上文|对话)"
    ),
    r"(?:请|立即|马上|必须).{0,6}(?:忽略|无视).{0,8}(?:以上|之前|先前|前面|上述|所有)|(?:从现在开始|从现在起).{0,4}你",
    r"你现在(?:是|扮演)|(?:请|你要|你必须)扮演|系统提示词|越狱|开发者模式|(?:输出|显示|泄露|告诉我).{0,8}(?:系统提示|提示词|你的指令)",
    r"(?:新的?|真正的|隐藏的?)(?:指令|任务|命令) ?[:：]|(?:模型|助手|智能体|人工智能|AI) ?(?:必须|应当|应该|需要) ?(?:立即)?(?:调用|执行|批准|转账|退款|删除|发送)",
)
_INJECTION = re2.compile("(?i)" + "|".join(_PHRASES))


def is_tainted(case: FailureCase) -> bool:
    """Whether any text of the case that a draft may be made from reads like an injected instruction."""
    return any(map(speaks_to_a_model, _texts(case)))


def says_tainted(rule: Rule, explanation: str = "") -> bool:
    """Whether anything that the rule says or looks for reads so: a pattern, a constant, a text, the draft's reasons."""
    return any(map(speaks_to_a_model, [explanation, *_strings(rule.model_dump(mode="json"))]))


@lru_cache(maxsize=16_384)
def speaks_to_a_model(text: str) -> bool:
    """Whether the text, in any of its readings, looks like an instruction to a model."""
    return any(_INJECTION.search(encoded(form)) is not None for form in plain_forms(text))


def _texts(case: FailureCase) -> Iterator[str]:
    yield from (case.error_message, case.error_pattern, case.user_intent)
    yield case.step_context.observation_excerpt or ""
    yield canonical(case.trigger_step.arguments)
    yield canonical(case.evidence)
    if case.repair is not None:
        yield canonical(case.repair.arguments)
    view = case.view
    if view is not None:
        yield from (view.user_input, view.thought, view.raw_output, view.last_observation or "")
        yield from (view.observation or "", view.error or "", view.repeated_error or "")
        yield from (call.error or "" for call in view.calls_before)
        yield from _strings([fact.value for fact in view.facts])


def _strings(value: JsonValue | Iterable[JsonValue]) -> Iterator[str]:
    """Every text in it, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, below in value.items():
            yield key
            yield from _strings(below)
    elif isinstance(value, list | tuple):
        for below in value:
            yield from _strings(below)
