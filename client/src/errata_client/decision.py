"""What the engine answers, and what is reported back of it."""

from __future__ import annotations

from typing import Literal

from errata_client.model import JsonValue, Model, UtcDatetime, unchecked
from errata_client.rule import Mode

Outcome = Literal["pass", "rewrite", "hint", "block", "require_call", "confirm", "replan", "retry"]
Arm = Literal["treated", "holdout"]


class Firing(Model):
    """One rule that fired on one call. `before` and `after` are the arguments, where it would change them."""

    rule_id: str
    rule_revision: int
    mode: Mode
    kind: str
    field: str
    reason: str
    before: dict[str, JsonValue] | None = None
    after: dict[str, JsonValue] | None = None


class Decision(Model):
    """What to do with a call. `arguments` are the ones to call with; `text` is for the model.

    With outcome "retry", `attempts` and `delay_ms` say how; `arguments` may then be other ones than before. `fired` holds shadow firings too: they never change
    the outcome. "pass" and "hint" let the call through, "rewrite" lets it through changed, the others stop it.
    """

    outcome: Outcome = "pass"
    arguments: dict[str, JsonValue]
    text: str | None = None
    require_tool: str | None = None
    attempts: int = 0
    delay_ms: int = 0
    fired: tuple[Firing, ...] = ()

    @classmethod
    def passing(cls, arguments: dict[str, JsonValue]) -> Decision:
        """Let the call through with the very same `arguments` object: the answer to nearly every call."""
        values = _PASS.copy()
        values["arguments"] = arguments
        return unchecked(cls, values)


_PASS: dict[str, object] = dict(Decision(arguments={}))


class DecisionReport(Model):
    """A firing, sent to the service. `report_id` is derived from its content: sending twice changes nothing."""

    report_id: str
    run_id: str
    step_id: str
    tool: str
    at: UtcDatetime
    bundle_revision: int
    arm: Arm
    firing: Firing
    agent: str | None = None
