"""Actions that speak to the model: hint, and the stops; and retry, which speaks to the caller."""

from __future__ import annotations

from errata_client.actions.effect import Again, Apply, Hinted, Hit, Stopped
from errata_client.rule import Block, Confirm, Hint, Replan, RequireCall, Retry


def hint(action: Hint) -> Apply:
    """Text for the model; the call passes."""
    effect = Hinted(action.text)
    return lambda _: effect


def block(action: Block) -> Apply:
    """Stop the call."""
    return _always(Stopped("block", action.text))


def confirm(action: Confirm) -> Apply:
    """Stop the call until a person has confirmed it."""
    return _always(Stopped("confirm", action.text))


def replan(action: Replan) -> Apply:
    """Stop the call; the plan no longer holds."""
    return _always(Stopped("replan", action.text))


def require_call(action: RequireCall) -> Apply:
    """Stop the call until the tool has succeeded; once it has, there is nothing more to ask for."""
    stopped = Stopped("require_call", action.text, action.tool)

    def apply(hit: Hit) -> Stopped | None:
        done = any(call.ok and call.tool == action.tool for call in hit.view.calls_before)
        return None if done else stopped

    return apply


def retry(action: Retry) -> Apply:
    """The same call again."""
    effect = Again(action.attempts, action.delay_ms)
    return lambda _: effect


def _always(stopped: Stopped) -> Apply:
    return lambda _: stopped
