"""Level 2: root causes, attributions, work orders, and people's answers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from errata_client.model import Model, UtcDatetime
from knowledge.cases import ErrorCode, ErrorKind

Verdict = Literal["matched", "abstained", "unmatched"]
Rung = Literal["confirmed", "same_text", "near_text", "score", "same_sense", "person", "none"]
FeatureKind = Literal["word", "error_kind", "tool", "step_id", "tool_before", "agent", "model", "provenance"]


class Exemplar(Model):
    """One way the cause shows. Empty fields are absent, not empty strings to be compared."""

    error_pattern: str
    user_intent: str = ""
    step_context: str = ""
    origin: str = "template"


class RootCause(Model):
    """An audited template. `error_codes` and `error_kinds` are its gates; `tools` gates only where it names any.

    `threshold` None means the global one. `playbook` is the text for a hint or a block; `zh` texts are the
    same in Chinese. `enabled` false keeps it for the record without matching. `merged_into` names the cause that took
    over its exemplars and answers, `note` says why.
    """

    cause_id: str
    name: str
    name_zh: str = ""
    statement: str
    statement_zh: str = ""
    error_codes: tuple[ErrorCode, ...]
    error_kinds: tuple[ErrorKind, ...] = ()
    tools: tuple[str, ...] = ()
    exemplars: tuple[Exemplar, ...] = ()
    playbook: str = ""
    playbook_zh: str = ""
    threshold: float | None = Field(default=None, ge=0.5, le=1.0)
    enabled: bool = True
    created_by: str = "errata"
    note: str = ""
    merged_into: str | None = None


class Components(Model):
    """The three calibrated similarities (0 to 1); None where the field was absent or does not inform."""

    user_intent: float | None = None
    error_pattern: float | None = None
    step_context: float | None = None


class Candidate(Model):
    """One cause as it scored, with the exemplar that won."""

    cause_id: str
    score: float
    components: Components
    exemplar: str
    by_encoder: dict[str, float] = Field(default_factory=dict)


class Attribution(Model):
    """The decision that binds a problem to a root cause, and everything that explains it."""

    fingerprint: str
    verdict: Verdict
    root_cause: str | None = None
    rung: Rung
    score: float | None = None
    winner: Candidate | None = None
    runner_up: Candidate | None = None
    weights: dict[str, float] = Field(default_factory=dict)
    threshold: float
    margin: float
    encoders: tuple[str, ...] = ()
    gated_out: int = 0
    reason: str
    decided_at: UtcDatetime


class CauseProposal(Model):
    """What a language model would answer for an abstained problem: one of the `candidates`, or None: none of them. It is
    never an answer: a person confirms, rejects or reassigns. `asked` is the digest of the question and of who was asked."""

    fingerprint: str
    root_cause: str | None
    candidates: tuple[str, ...]
    proposed_by_model: str
    asked: str
    at: UtcDatetime


class Label(Model):
    """A person's answer for a problem; permanent. "confirm" and "reassign" name the right cause (None: no
    template fits); "reject" says that `root_cause` is wrong here. The newest answer of a pair counts."""

    label_id: str
    fingerprint: str
    answer: Literal["confirm", "reject", "reassign"]
    root_cause: str | None
    error_code: ErrorCode
    error_kind: ErrorKind
    error_pattern: str
    user_intent: str = ""
    step_context: str = ""
    actor: str
    reason: Annotated[str, Field(min_length=1, max_length=2000)]
    at: UtcDatetime


class Feature(Model):
    """What most cases of a work order have and most of what is near them has not: a word of the error, its kind, the tool,
    the step, the tool called before, the agent and its version, or where an argument's value came from.

    `inside` and `outside` are the shares (0 to 1) of those with it, in the order and in what it is compared with.
    """

    kind: FeatureKind
    value: str
    inside: float
    outside: float


class WorkOrder(Model):
    """A proposed new root cause, drafted from a cluster of unmatched problems. `nearest` are the root causes that came
    nearest to its problems; `features` tell it from them and from the other unmatched problems."""

    order_id: str
    cluster_id: str
    state: Literal["open", "approved", "merged", "rejected"] = "open"
    draft: RootCause
    key_terms: tuple[str, ...] = ()
    features: tuple[Feature, ...] = ()
    nearest: tuple[str, ...] = ()
    fingerprints: tuple[str, ...]
    cases: int
    first_seen: UtcDatetime
    last_seen: UtcDatetime
    actor: str | None = None
    reason: str | None = None
