"""Calls made up for two rules: such that one of them, or both, should fire. Whether they do, the engine says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any

from errata_client.facts import ID
from errata_client.jsontext import as_text
from errata_client.matching import Pattern
from errata_client.model import JsonValue
from errata_client.pointer import MISSING, PointerError, get, parts_of, pointer_of, removed, replaced
from errata_client.rule import (
    Absent,
    ArgumentIs,
    Arguments,
    Called,
    Derive,
    FactIs,
    LastError,
    NotCalled,
    Rename,
    Repeated,
    Rewrite,
    Rule,
    Said,
    Set,
    Unseen,
)
from errata_client.view import CallView, Fact, PriorCall
from strategies.patterns.examples import examples_of, text_of_both, texts_made_to_match

MAX_BASES = 6
MAX_TEXTS = 16
NO_VALUE = "x"


def made_up(one: Rule, other: Rule, recorded: Sequence[CallView] = ()) -> Iterator[CallView]:
    """Views in the phase of both rules, built on an empty call and on a few recorded ones."""
    phase = one.trigger.phase
    empty = CallView(run_id="made-up", step_id=one.scope.step_id, tool=one.scope.tool, phase=phase)
    for found in (empty, *islice(recorded, MAX_BASES)):
        base = found.model_copy(update={"has_context": True})
        for first, second in _texts(one, other):
            both = _fit(_fit(base, one, first), other, second)
            yield both
            yield _with_text(both, one, first)  # where the other rule's conditions took the text away
            yield _fit(base, one, first)
            yield _with_text(_fit(_without(base, other), other, None), one, first)


def _texts(one: Rule, other: Rule) -> Iterator[tuple[str, str]]:
    """What stands in the field of each trigger: the same where they look at the same field."""
    mine, theirs = _matching(one, other), _matching(other, one)
    if one.trigger.field == other.trigger.field:
        shared = text_of_both(one.trigger.pattern, other.trigger.pattern)
        for text in dict.fromkeys([*([] if shared is None else [shared]), *mine, *theirs]):
            yield text, text
        return
    for at in range(max(len(mine), len(theirs))):
        yield mine[at % len(mine)] if mine else NO_VALUE, theirs[at % len(theirs)] if theirs else NO_VALUE


def _matching(rule: Rule, other: Rule) -> list[str]:
    """Texts that the rule's trigger takes: plain ones, ones that its own conditions on that field take too, and ones whose
    rewriting the other rule takes."""
    trigger, action = rule.trigger, rule.action
    found = examples_of(trigger.pattern)
    for condition in trigger.conditions:
        if isinstance(condition, ArgumentIs) and condition.field == trigger.field:
            found.append(text_of_both(trigger.pattern, condition.pattern) or "")
    if isinstance(action, Rewrite):
        found = [*texts_made_to_match(trigger.pattern, action.template, other.trigger.pattern), *found]
    if isinstance(action, Derive) and action.source == "error":
        found = [text_of_both(trigger.pattern, action.pattern) or "", *found]
    if isinstance(action, Rename) and action.to == other.trigger.field:
        found = [
            text_of_both(trigger.pattern, other.trigger.pattern) or "",
            *examples_of(other.trigger.pattern),
            *found,
        ]
    pattern = Pattern(trigger.pattern)
    return [text for text in dict.fromkeys(found) if pattern.found(text)][:MAX_TEXTS]


def _fit(view: CallView, rule: Rule, text: str | None) -> CallView:
    """The view as the rule wants it: its field, its conditions, and what its action reads. Without `text` its field stays."""
    fitted = view if text is None else _with_text(view, rule, text)
    for condition in rule.trigger.conditions:
        fitted = FITS[condition.kind](fitted, condition)
    action = rule.action
    if isinstance(action, Derive) and action.source == "last_error":
        fitted = _failed_before(fitted, action.pattern)
    if isinstance(action, Derive) and action.source == "last_observation":
        fitted = fitted.model_copy(update={"last_observation": _example(action.pattern)})
    if isinstance(action, Derive) and action.arithmetic:
        fitted = _put(fitted, action.field, 1)
    if isinstance(action, Set) and action.cast is not None and text is None:
        return fitted
    wanted = getattr(action, "field", "")
    needed = action.kind in {"rename", "drop"} and get(fitted.arguments, pointer_of(wanted)) is MISSING
    return _put(fitted, wanted, NO_VALUE) if needed else fitted


def _with_text(view: CallView, rule: Rule, text: str) -> CallView:
    field = rule.trigger.field
    return _put(view, field, text) if field.startswith("args.") else view.model_copy(update={field: text})


def _without(view: CallView, rule: Rule) -> CallView:
    """The view without what the rule looks at."""
    field = rule.trigger.field
    if not field.startswith("args."):
        return view
    return view.model_copy(update={"arguments": removed(view.arguments, pointer_of(field))})


def _put(view: CallView, field: str, value: JsonValue) -> CallView:
    """The view with the argument, and the objects and lists that it stands in."""
    pointer, arguments = pointer_of(field), view.arguments
    try:
        placed = replaced(_housed(arguments, pointer), pointer, value)
    except PointerError:
        return view
    return view.model_copy(update={"arguments": placed})


def _housed(arguments: dict[str, JsonValue], pointer: str) -> JsonValue:
    """The arguments with something at each place that the pointer goes through."""
    parts, found, path = parts_of(pointer), arguments, ""
    for part, below in pairwise(parts):
        path += "/" + part.replace("~", "~0").replace("/", "~1")
        if get(found, path) is MISSING:
            empty: JsonValue = [NO_VALUE] if below in {"0", "-"} else {}
            made = replaced(found, path, empty)
            found = made if isinstance(made, dict) else found
    return found


def _example(pattern: str) -> str:
    return next(iter(examples_of(pattern)), NO_VALUE)


def _failed_before(view: CallView, pattern: str) -> CallView:
    failed = PriorCall(tool=view.tool, ok=False, error=_example(pattern))
    return view.model_copy(update={"calls_before": (*view.calls_before, failed)})


def _unseen(view: CallView, condition: Unseen) -> CallView:
    pointer = pointer_of(condition.field)
    made = view if get(view.arguments, pointer) is not MISSING else _put(view, condition.field, NO_VALUE)
    return made.model_copy(update={"provenance": {**made.provenance, pointer: "nowhere"}})


def _called(view: CallView, condition: Called) -> CallView:
    return view.model_copy(
        update={"calls_before": (PriorCall(tool=condition.tool, ok=True), *view.calls_before)}
    )


def _not_called(view: CallView, condition: NotCalled) -> CallView:
    kept = tuple(call for call in view.calls_before if call.tool != condition.tool or not call.ok)
    return view.model_copy(update={"calls_before": kept})


def _repeated(view: CallView, condition: Repeated) -> CallView:
    error = None if condition.error is None else _example(condition.error)
    return view.model_copy(
        update={"repeats": max(view.repeats, condition.times), "repeated_error": view.repeated_error or error}
    )


def _last_error(view: CallView, condition: LastError) -> CallView:
    return _failed_before(view, condition.pattern)


def _fact(view: CallView, condition: FactIs) -> CallView:
    """A fact about the first id that the call names; with `negate` one that says something else."""
    named = [as_text(value) for value in view.arguments.values() if isinstance(value, str | int)]
    pointer = pointer_of(condition.about) if condition.about else None
    about = get(view.arguments, pointer) if pointer else MISSING
    pattern = Pattern(condition.pattern)
    texts = ["another", "0", ""] if condition.negate else examples_of(condition.pattern)
    value = next((text for text in texts if pattern.found(text) != condition.negate), NO_VALUE)
    fact = Fact(
        tool=condition.tool or view.tool,
        path=condition.path,
        value=value,
        about=as_text(about) if about is not MISSING else next(iter(named), ID),
    )
    return view.model_copy(update={"facts": (fact, *view.facts)})


def _argument(view: CallView, condition: ArgumentIs) -> CallView:
    current, pattern = get(view.arguments, pointer_of(condition.field)), Pattern(condition.pattern)
    if current is not MISSING and pattern.found(as_text(current)) != condition.negate:
        return view
    texts = [NO_VALUE, "0", ""] if condition.negate else examples_of(condition.pattern)
    fitting = next((text for text in texts if pattern.found(text) != condition.negate), None)
    return view if fitting is None else _put(view, condition.field, fitting)


def _absent(view: CallView, condition: Absent) -> CallView:
    return view.model_copy(update={"arguments": removed(view.arguments, pointer_of(condition.field))})


def _said(view: CallView, condition: Said) -> CallView:
    pattern = Pattern(condition.pattern)
    texts = [view.user_input, NO_VALUE, "0"] if condition.negate else examples_of(condition.pattern)
    fitting = next(
        (text for text in texts if text and pattern.found(text) != condition.negate), view.user_input
    )
    return view.model_copy(update={"user_input": fitting})


def _arguments(view: CallView, condition: Arguments) -> CallView:
    left, right = RELATED[condition.relation]
    return _put(_put(view, condition.left, left), condition.right, right)


RELATED: Mapping[str, tuple[JsonValue, JsonValue]] = {
    "equal": ("a", "a"),
    "different": ("a", "b"),
    "same_length": (["a"], ["b"]),
    "different_length": (["a"], ["a", "b"]),
}
FITS: Mapping[str, Callable[[CallView, Any], CallView]] = {
    "unseen": _unseen,
    "called": _called,
    "not_called": _not_called,
    "repeated": _repeated,
    "last_error": _last_error,
    "fact": _fact,
    "argument": _argument,
    "absent": _absent,
    "arguments": _arguments,
    "said": _said,
    "unstopped": lambda view, _condition: view.model_copy(update={"stops": 0}),
}
"""By the kind of the condition: the view made such that it holds."""
