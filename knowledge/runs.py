"""What is kept of every run, and the successful calls kept as negatives."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from errata_client.model import JsonValue, Model, UtcDatetime
from errata_client.run import Agent, Outcome
from errata_client.view import CallView
from knowledge.ids import digest


class RecordedCall(Model):
    """One call of a run: its tool, how it ended, the shape of its arguments and a digest of each value. `answer` is a
    digest of what a successful call returned: the same question with another answer tells that something changed."""

    index: int
    step_id: str
    tool: str
    ok: bool
    error_kind: str | None = None
    shapes: dict[str, str] = Field(default_factory=dict)
    digests: dict[str, str] = Field(default_factory=dict)
    answer: str | None = None


class DecisiveStep(Model):
    """The step of a failed run whose repair would have changed the outcome, as the run itself tells: its index, the name
    of the rule that found it, and why. It may hold no failure case."""

    index: int
    rule: str
    reason: str


class RunRecord(Model):
    """A run, failed or not, without its texts: sibling for contrast, denominator for recurrence and effect.

    `last_step` is the index of the step that it ended with, whoever made it; -1 where it had none.
    """

    run_id: str
    agent: Agent
    model_version: str | None = None
    task_id: str | None = None
    user_intent: str
    outcome: Outcome
    occurred_at: UtcDatetime
    calls: tuple[RecordedCall, ...] = ()
    last_step: int = -1
    decisive: DecisiveStep | None = None
    active_revision: int | None = None
    arm: Literal["treated", "holdout"] | None = None
    cases: int = 0


FINAL_ANSWER = "final_answer"
"""The step that ends a run, and the tool of it: what the agent says last."""


def reference_id(project: str, run_id: str, index: int, step_id: str, tool: str) -> str:
    """The id of the reference call that the call at step `index` of the run is, where it worked and was kept."""
    return digest("reference", project, run_id, index, step_id, tool)


class ReferenceCall(Model):
    """A successful call of one scope (step_id, tool), masked, with its view: a rule must not harm it.

    `rank` is a hash of its content, uniform over [0, 2^62): the reservoir of a scope keeps the lowest ranks, so
    it is a uniform sample whatever the order of arrival. `result_excerpt` is the start of what it answered.
    """

    reference_id: str
    run_id: str
    task_id: str | None = None
    step_id: str
    tool: str
    occurred_at: UtcDatetime
    rank: int
    arguments: dict[str, JsonValue]
    view: CallView
    result_excerpt: str | None = None
    succeeded_run: bool | None = None
