"""Text that speaks to a model rather than about a failure. A rule made from it is never approved in one click."""

from __future__ import annotations

import re2

from errata_client.jsontext import canonical
from knowledge.cases import FailureCase

_INJECTION = re2.compile(
    r"(?i)\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your)\b"
    r".{0,40}\b(?:instruction|prompt|rule|direction|context|message)s?\b"
    r"|\byou are now\b|\bnew instructions\s*:|\bsystem prompt\b|\bdeveloper mode\b|\bjailbreak"
    r"|<\|?(?:im_start|im_end|system|endoftext)\|?>|\[/?INST\]"
    r"|(?:忽略|无视|忘记|不要理会|忽視|無視).{0,12}(?:指令|提示|规则|規則|要求|设定|设置)"
    r"|你现在是|系统提示词|越狱模式|开发者模式"
)


def is_tainted(case: FailureCase) -> bool:
    """Whether any text of the case that a draft may be made from reads like an injected instruction."""
    texts = [case.error_message, case.user_intent, case.step_context.observation_excerpt or ""]
    texts.append(canonical(case.trigger_step.arguments))
    if case.repair is not None:
        texts.append(canonical(case.repair.arguments))
    if case.view is not None:
        texts += [case.view.user_input, case.view.last_observation or ""]
    return any(_INJECTION.search(text) for text in texts)
