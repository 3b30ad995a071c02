"""Level 1: the failure case, and the problem that cases with one fingerprint make."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from errata_client.model import JsonValue, Model, UtcDatetime
from errata_client.run import Agent
from errata_client.view import CallView
from knowledge.objects import Payload

ErrorCode = Literal[
    "output.invalid_json",
    "output.multiple_actions",
    "output.no_action",
    "output.premature_answer",
    "tool.unknown",
    "tool.not_permitted",
    "args.schema_violation",
    "args.fabricated",
    "args.unresolved_reference",
    "tool.error",
    "tool.timeout",
    "tool.unavailable",
    "result.shape_mismatch",
    "loop.repeated_call",
    "loop.oscillation",
    "loop.max_steps",
    "loop.no_information_gain",
    "plan.invalid",
    "plan.cycle",
    "plan.order",
    "plan.missing_prerequisite",
    "plan.contract_violation",
    "plan.stale_premise",
    "plan.replan_exhausted",
    "thought.executable_content",
    "thought.unverified_assumption",
    "thought.untagged",
    "reflection.regressed",
    "reflection.no_improvement",
    "reflection.off_target",
    "tree.exploded",
    "tree.dead_branch_kept",
    "outcome.user_complaint",
    "outcome.low_reward",
    "outcome.abandoned",
    "outcome.policy_violation",
    "outcome.missing_action",
    "outcome.extra_action",
    "outcome.divergent_arguments",
]
ERROR_CODES: tuple[str, ...] = get_args(ErrorCode)

ErrorKind = Literal[
    "not_found",
    "invalid_argument",
    "failed_precondition",
    "out_of_range",
    "already_exists",
    "permission_denied",
    "unauthenticated",
    "resource_exhausted",
    "aborted",
    "unavailable",
    "deadline_exceeded",
    "internal",
    "unimplemented",
    "unknown",
]

ProblemStatus = Literal["unresolved", "resolved", "archived"]
ProblemState = Literal["new", "ongoing", "escalating", "regressed"]


class TriggerStep(Model):
    """Where the failure showed: the step's place in the run, its name, its tool and arguments (masked)."""

    index: int
    step_id: str
    tool: str | None = None
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class StepContext(Model):
    """What stood around the step: the tools called before it (latest last, at most 8), where in the run it
    stood (0 to 1), the length of the person's last words, and the start of what the tool answered."""

    tools_before: tuple[str, ...] = ()
    position: float = 0.0
    input_length: int = 0
    observation_excerpt: str | None = None


class Repair(Model):
    """A later successful call of the same tool in the same run. `changed` maps argument pointers to
    [failing value, working value]; a value absent on one side is null there and named in `added`/`removed`."""

    index: int
    arguments: dict[str, JsonValue]
    changed: dict[str, tuple[JsonValue, JsonValue]] = Field(default_factory=dict)
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class FailureCase(Model):
    """One failure in one run. All text in it is masked. `case_id` derives from project, run, step and code.

    `error_pattern` is `error_message` with ids, numbers, dates, paths, URLs, versions and quoted values masked;
    `fingerprint` groups cases into a problem; `view` is what the agent's client would have known;
    `dated` false: the run has no times, and `occurred_at` is that of the ingest. `evidence` is what the detector saw; `payloads` are texts of the run that lie whole in the object store. `requestor` "user" marks a call that the person's side made.
    """

    case_id: str
    run_id: str
    task_id: str | None = None
    occurred_at: UtcDatetime
    dated: bool = True
    error_code: ErrorCode
    error_kind: ErrorKind = "unknown"
    error_message: str
    error_pattern: str
    user_intent: str
    trigger_step: TriggerStep
    step_context: StepContext = StepContext()
    agent: Agent = Agent()
    model_version: str | None = None
    requestor: Literal["agent", "user"] = "agent"
    evidence: dict[str, JsonValue] = Field(default_factory=dict)
    repair: Repair | None = None
    decisive: bool = False
    decisive_reason: str | None = None
    fingerprint: str
    view: CallView | None = None
    payloads: tuple[Payload, ...] = ()


class Problem(Model):
    """The cases that share a fingerprint. Counts and dates are read off the cases; `exemplar` is the case
    (the earliest, then by id) whose texts stand for all of them.

    `status` is a person's word, `state` the night's: `state_reason` gives the counts that it comes from. `resolved_at` is
    when a person last resolved it, `resolved_in` the agent version that holds the remedy, where they named one;
    `regressed_at` is when it came back since.
    """

    fingerprint: str
    error_code: ErrorCode
    error_kind: ErrorKind
    step_id: str
    tool: str | None
    error_pattern: str
    error_message: str
    user_intent: str
    context_text: str
    exemplar: str
    count: int
    first_seen: UtcDatetime
    last_seen: UtcDatetime
    model_versions: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    status: ProblemStatus = "unresolved"
    state: ProblemState = "new"
    state_reason: str = ""
    resolved_at: UtcDatetime | None = None
    resolved_in: str | None = None
    regressed_at: UtcDatetime | None = None
