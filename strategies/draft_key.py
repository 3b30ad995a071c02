"""The identity of an idea: by what it does, not by how it is worded."""

from __future__ import annotations

from errata_client.rule import Rule
from knowledge.ids import digest


def draft_key(rule: Rule) -> str:
    """The same for rules of one cause that would fire on the same calls and do the same to them."""
    return digest(rule.root_cause, *_meaning(rule))


def effect_key(rule: Rule) -> str:
    """The same for rules that do the same, whatever root cause they are for."""
    return digest(*_meaning(rule))


def _meaning(rule: Rule) -> tuple[object, ...]:
    trigger = rule.trigger.model_dump(mode="json")
    trigger["conditions"] = sorted(trigger["conditions"], key=digest)
    action = rule.action.model_dump(mode="json", exclude={"text", "delay_ms", "attempts"})
    return rule.scope.model_dump(mode="json"), trigger, action
