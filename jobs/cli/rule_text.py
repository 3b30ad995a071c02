"""A rule in words: what a reviewer reads first."""

from __future__ import annotations

import orjson

from errata_client import rule as words
from errata_client.rule import Action, Condition, Rule, Trigger

ANYTHING = {"", ".", ".*", "(?s).*", "(?s).", "^", "^.*$", "(?s)^.*$"}
STOPS = {
    "block": "stop the call and say",
    "confirm": "let a person confirm the call",
    "replan": "stop, the plan no longer holds",
}
RELATIONS = {
    "equal": "equals",
    "different": "differs from",
    "same_length": "is as long as",
    "different_length": "is not as long as",
}


def in_words(rule: Rule) -> str:
    """When it fires and what it does, in one sentence."""
    return f"When {_trigger(rule.trigger)}: {action_in_words(rule.action)}"


def action_in_words(action: Action) -> str:
    """What the action does."""
    match action:
        case words.Rewrite():
            return f"write {action.field} as {action.template}"
        case words.Set():
            return f"cast {action.field} to {action.cast}" if action.cast else _constant(action)
        case words.Rename():
            return f"call {action.field} {action.to} instead"
        case words.Drop():
            return f"leave {action.field} out"
        case words.Derive():
            source = action.source.replace("_", " ")
            return f"compute {action.field} as {action.template} from {action.pattern} in the {source}"
        case words.Hint():
            return f"let it pass and say: {action.text}"
        case words.RequireCall():
            return f"stop until {action.tool} was called, and say: {action.text}"
        case words.Retry():
            return f"call again up to {action.attempts} times, after {action.delay_ms} ms and doubling"
        case words.Block() | words.Confirm() | words.Replan():
            return f"{STOPS[action.kind]}: {action.text}"
        case words.ExtractJson():
            return "read the arguments out of what the model wrote"


def _constant(action: words.Set) -> str:
    return f"make {action.field} {orjson.dumps(action.value).decode()}"


def _trigger(trigger: Trigger) -> str:
    anything = trigger.pattern in ANYTHING
    first = f"{trigger.field} is given" if anything else f"{trigger.field} matches {trigger.pattern}"
    return " and ".join([first, *map(_condition, trigger.conditions)])


def _condition(condition: Condition) -> str:
    match condition:
        case words.Unseen():
            return f"nobody gave the value of {condition.field}"
        case words.NotCalled():
            return f"{condition.tool} has not succeeded yet"
        case words.Called():
            return f"{condition.tool} has succeeded before"
        case words.Repeated():
            return f"the very same call was made {condition.times} times already"
        case words.LastError():
            return f"the call before failed with {condition.pattern}"
        case words.FactIs():
            says = "does not say" if condition.negate else "says"
            return f"{condition.tool} {says} {condition.pattern} at {condition.path}"
        case words.Arguments():
            return f"{condition.left} {RELATIONS[condition.relation]} {condition.right}"
