r"""The identity of an idea: by what it does, not by how it is worded.

Equal patterns and templates are equal however they are written (`^(\d{7})$` and `^([0-9]{7})$`; captures renumbered, conditions in
another order), what the model is told and how long a retry waits say nothing.
"""

from __future__ import annotations

from typing import Any

from errata_client.jsontext import canonical
from errata_client.model import JsonValue
from errata_client.rule import Action, Condition, Derive, Rewrite, Rule, template_groups
from knowledge.ids import digest
from strategies.patterns.examples import template_parts
from strategies.patterns.normal import normal_pattern

UNSAID = {"text", "delay_ms", "attempts"}
SYMMETRIC = {"equal", "different", "same_length", "different_length"}


def draft_key(rule: Rule) -> str:
    """The same for rules of one cause that would fire on the same calls and do the same to them."""
    return digest(rule.root_cause, *_meaning(rule))


def effect_key(rule: Rule) -> str:
    """The same for rules that do the same, whatever root cause they are for."""
    return digest(*_meaning(rule))


def trigger_key(rule: Rule) -> str:
    """The same for rules that look at the same calls, whatever they then do."""
    return digest(rule.scope.model_dump(mode="json"), _trigger(rule, normal_pattern(rule.trigger.pattern)[0]))


def _meaning(rule: Rule) -> tuple[dict[str, JsonValue], dict[str, JsonValue], dict[str, JsonValue]]:
    used = template_groups(rule.action.template) if isinstance(rule.action, Rewrite) else []
    pattern, numbers = normal_pattern(rule.trigger.pattern, used)
    return rule.scope.model_dump(mode="json"), _trigger(rule, pattern), _action(rule.action, dict(numbers))


def _trigger(rule: Rule, pattern: str) -> dict[str, JsonValue]:
    conditions = {canonical(_condition(condition)) for condition in rule.trigger.conditions}
    return {
        "field": rule.trigger.field,
        "pattern": pattern,
        "conditions": list[JsonValue](sorted(conditions)),
    }


def _condition(condition: Condition) -> dict[str, JsonValue]:
    """Two arguments stand in a relation whichever comes first."""
    told: dict[str, Any] = condition.model_dump(mode="json")
    for name in ("pattern", "error", "unless"):
        if told.get(name) is not None:
            told[name] = normal_pattern(told[name])[0]
    if told.get("relation") in SYMMETRIC:
        told["left"], told["right"] = sorted((told["left"], told["right"]))
    return told


def _action(action: Action, numbers: dict[int, int]) -> dict[str, JsonValue]:
    told: dict[str, Any] = action.model_dump(mode="json", exclude=UNSAID)
    if isinstance(action, Derive):
        told["pattern"], found = normal_pattern(action.pattern, _groups(action))
        numbers = dict(found)
    if isinstance(action, Rewrite | Derive):
        told["template"] = _template(action, numbers)
    value = told.get("value")
    if isinstance(value, float) and value.is_integer():
        told["value"] = int(value)
    return told


def _groups(action: Derive) -> list[int]:
    template = action.template.replace("{value}", "") if action.arithmetic else action.template
    return template_groups(template)


def _template(action: Rewrite | Derive, numbers: dict[int, int]) -> JsonValue:
    """The template with the captures' new numbers; a formula without its spaces."""
    if isinstance(action, Derive) and action.arithmetic:
        text = "".join(action.template.split())
        for old, new in numbers.items():
            text = text.replace(f"{{{old}}}", f"<{new}>")
        return text
    parts = template_parts(action.template)
    return "".join(part if isinstance(part, str) else f"\0{numbers.get(part, part)}\0" for part in parts)
