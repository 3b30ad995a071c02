"""The course of one decision: what the rules that fired so far made of the call."""

from __future__ import annotations

from dataclasses import dataclass, field

from errata_client.actions.effect import Again, Changed, Effect, Hinted, Stopped
from errata_client.decision import Decision, Firing, Outcome
from errata_client.model import JsonValue, unchecked
from errata_client.view import CallView


@dataclass(slots=True)
class Course:
    """Effects in the order in which they came, and the arguments as they now stand."""

    view: CallView
    arguments: dict[str, JsonValue] = field(init=False)
    _taken: list[tuple[Effect, Firing, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.arguments = self.view.arguments

    def take(self, effect: Effect, firing: Firing, *, live: bool) -> bool:
        """Record the effect, and let it act if `live`; whether the arguments changed."""
        if isinstance(effect, Changed):
            values = {**vars(firing), "before": self.arguments, "after": effect.arguments}
            firing = unchecked(Firing, values)
        self._taken.append((effect, firing, live))
        if not (live and isinstance(effect, Changed)):
            return False
        self.arguments = effect.arguments
        return True

    def decision(self) -> Decision:
        """What the effects come to. `fired` holds the rules that took effect, and the shadow ones."""
        live = [effect for effect, _, is_live in self._taken if is_live]
        stop = next((effect for effect in live if isinstance(effect, Stopped)), None)
        again = next((effect for effect in live if isinstance(effect, Again) and stop is None), None)
        hints = [effect.text for effect in live if isinstance(effect, Hinted) and stop is None]
        text = stop.text if stop else "\n\n".join(dict.fromkeys(hints))
        fired = [
            firing
            for effect, firing, is_live in self._taken
            if not is_live or _took_effect(effect, stop, again)
        ]
        values = {
            "outcome": stop.outcome if stop else self._passing(again, hints),
            "arguments": self.arguments,
            "text": text or None,
            "require_tool": stop.require_tool if stop else None,
            "attempts": again.attempts if again else int(self._is_made_anew(stop)),
            "delay_ms": again.delay_ms if again else 0,
            "fired": tuple(fired),
        }
        return unchecked(Decision, values)

    def _is_made_anew(self, stop: Stopped | None) -> bool:
        """Whether a call that failed is made again, with arguments computed from its error."""
        return stop is None and self.view.phase == "after" and self.arguments is not self.view.arguments

    def _passing(self, again: Again | None, hints: list[str]) -> Outcome:
        changed = self.arguments is not self.view.arguments
        if again is not None or (changed and self.view.phase == "after"):
            return "retry"
        if changed:
            return "rewrite"
        return "hint" if hints else "pass"


def _took_effect(effect: Effect, stop: Stopped | None, again: Again | None) -> bool:
    """The first stop silences other stops, retries and hints; the first retry other retries."""
    if isinstance(effect, Stopped):
        return effect is stop
    if isinstance(effect, Again):
        return effect is again
    return isinstance(effect, Changed) or stop is None
