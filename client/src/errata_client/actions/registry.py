"""Every kind of action; a new kind is a model in rule.py, a function and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from errata_client.actions.deriving import derive
from errata_client.actions.effect import Apply
from errata_client.actions.extracting import extract_json
from errata_client.actions.rewriting import drop, rename, rewrite, set_value
from errata_client.actions.speaking import block, confirm, hint, replan, require_call, retry
from errata_client.rule import Action, Derive, RequireCall

ACTIONS: Mapping[str, Callable[[Any], Apply]] = {
    "rewrite": rewrite,
    "set": set_value,
    "rename": rename,
    "drop": drop,
    "derive": derive,
    "hint": hint,
    "require_call": require_call,
    "retry": retry,
    "block": block,
    "confirm": confirm,
    "replan": replan,
    "extract_json": extract_json,
}


def action_of(action: Action) -> Apply:
    """The action, compiled."""
    return ACTIONS[action.kind](action)


def needs_context(action: Action) -> bool:
    """Whether only a client that keeps a run context can do it."""
    if isinstance(action, Derive):
        return action.source != "error"
    return isinstance(action, RequireCall)
