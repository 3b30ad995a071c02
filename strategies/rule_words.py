"""A rule in words: what a reviewer reads first."""

from __future__ import annotations

import orjson

from errata_client.rule import Action, Condition, Rule, Set, Trigger

MAX_SHOWN = 60
ANYTHING = {"", ".", ".*", "(?s).*", "(?s).", "^", "^.*$", "(?s)^.*$"}
ACTIONS = {
    "rewrite": "write {it.field} as {it.template}",
    "set": "make {it.field} {value}",
    "rename": "call {it.field} {it.to} instead",
    "drop": "leave {it.field} out",
    "derive": "compute {it.field} as {it.template} from {it.pattern} in the {source}",
    "hint": "let it pass and say: {it.text}",
    "require_call": "stop until {it.tool} was called, and say: {it.text}",
    "retry": "call again up to {it.attempts} times, after {it.delay_ms} ms and doubling",
    "block": "stop the call and say: {it.text}",
    "confirm": "let a person confirm the call: {it.text}",
    "replan": "stop, the plan no longer holds: {it.text}",
    "extract_json": "read the arguments out of what the model wrote",
}
CONDITIONS = {
    "unseen": "nobody gave the value of {it.field}",
    "not_called": "{it.tool} has not succeeded yet",
    "called": "{it.tool} has succeeded before",
    "repeated": "the very same call {made} already{failed}",
    "last_error": "the call before failed with {it.pattern}",
    "fact": "{told} {says} {it.pattern} at {it.path}",
    "absent": "{it.field} is not given",
    "argument": "{it.field} {matches} {it.pattern}",
    "arguments": "{it.left} {relation} {it.right}",
    "unstopped": "no rule has stopped it in this run",
    "said": "what the person said last {matches} {shown}",
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
    source = str(getattr(action, "source", "")).replace("_", " ")
    value = _made_of(action) if isinstance(action, Set) else ""
    return ACTIONS[action.kind].format(it=action, source=source, value=value)


def condition_in_words(condition: Condition) -> str:
    """What has to hold."""
    says = "does not say" if getattr(condition, "negate", False) else "says"
    matches = "does not match" if getattr(condition, "negate", False) else "matches"
    relation = RELATIONS.get(getattr(condition, "relation", ""), "")
    named = getattr(condition, "about", None)
    about = f" about {named}" if named else ""
    told = (getattr(condition, "tool", None) or "the latest result") + about
    error = getattr(condition, "error", None)
    unless = getattr(condition, "unless", None)
    failed = "" if not error else ", and failed" if error in ANYTHING else f", and failed with {_cut(error)}"
    failed += f" (unless with {_cut(unless)})" if unless else ""
    times = getattr(condition, "times", 1)
    made = "was made" if times == 1 else f"was made {times} times"
    shown = _cut(str(getattr(condition, "pattern", "")))
    return CONDITIONS[condition.kind].format(
        it=condition,
        shown=shown,
        says=says,
        matches=matches,
        relation=relation,
        told=told,
        failed=failed,
        made=made,
    )


def _cut(pattern: str) -> str:
    return pattern if len(pattern) <= MAX_SHOWN else f"{pattern[: MAX_SHOWN - 1]}…"


def _trigger(trigger: Trigger) -> str:
    anything = trigger.pattern in ANYTHING
    if anything and trigger.field == "user_input" and trigger.conditions:
        return " and ".join(map(condition_in_words, trigger.conditions))  # it is always there
    first = f"{trigger.field} is given" if anything else f"{trigger.field} matches {trigger.pattern}"
    return " and ".join([first, *map(condition_in_words, trigger.conditions)])


def _made_of(action: Set) -> str:
    return f"into its {action.cast} form" if action.cast else orjson.dumps(action.value).decode()
