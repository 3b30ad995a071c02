"""Every kind of thing a store keeps: its model, its id, and the fields it can be found by.

A store is written once against this table; a new kind is a new entry here, and both stores, their contract
suite and the Elasticsearch mappings have it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from errata_client.model import Model
from knowledge.cases import FailureCase, Problem
from knowledge.causes import Attribution, CauseProposal, Label, RootCause, WorkOrder
from knowledge.deliveries import Delivery
from knowledge.effects import Effect
from knowledge.fits import Fit
from knowledge.health import HealthInterval
from knowledge.nights import ApiToken, AuditEntry, Night, Project, StageRecord
from knowledge.runs import ReferenceCall, RunRecord
from knowledge.spans import KeptSpan, KeptTrace
from knowledge.strategies import Candidate, Publication, ReportedDecision, Strategy
from knowledge.tools import DeclaredTool

M = TypeVar("M", bound=Model)
FieldType = Literal["keyword", "text", "date", "integer", "number", "boolean"]


@dataclass(frozen=True)
class Kind(Generic[M]):
    """`fields` maps a dotted path into the model to how it is indexed; only those can be queried or sorted by.

    `text` fields are searched together, by phrase, Chinese by character; all others are exact. A field whose
    value is a tuple holds if any of its values does. Fields in `append_only` may only grow at their end.
    """

    name: str
    model: type[M]
    key: str
    fields: Mapping[str, FieldType] = field(default_factory=dict)
    append_only: tuple[str, ...] = ()


CASES = Kind(
    "cases",
    FailureCase,
    "case_id",
    {
        "fingerprint": "keyword",
        "run_id": "keyword",
        "task_id": "keyword",
        "occurred_at": "date",
        "error_code": "keyword",
        "error_kind": "keyword",
        "trigger_step.step_id": "keyword",
        "trigger_step.tool": "keyword",
        "agent.name": "keyword",
        "model_version": "keyword",
        "requestor": "keyword",
        "decisive": "boolean",
        "error_message": "text",
        "error_pattern": "text",
        "user_intent": "text",
    },
)
PROBLEMS = Kind(
    "problems",
    Problem,
    "fingerprint",
    {
        "error_code": "keyword",
        "error_kind": "keyword",
        "step_id": "keyword",
        "tool": "keyword",
        "status": "keyword",
        "state": "keyword",
        "agents": "keyword",
        "model_versions": "keyword",
        "count": "integer",
        "first_seen": "date",
        "last_seen": "date",
        "error_message": "text",
        "error_pattern": "text",
        "user_intent": "text",
    },
)
RUN_RECORDS = Kind(
    "run_records",
    RunRecord,
    "run_id",
    {
        "task_id": "keyword",
        "agent.name": "keyword",
        "agent.version": "keyword",
        "model_version": "keyword",
        "outcome.status": "keyword",
        "occurred_at": "date",
        "arm": "keyword",
        "active_revision": "integer",
        "cases": "integer",
    },
)
REFERENCE_CALLS = Kind(
    "reference_calls",
    ReferenceCall,
    "reference_id",
    {
        "step_id": "keyword",
        "tool": "keyword",
        "run_id": "keyword",
        "task_id": "keyword",
        "rank": "integer",
        "occurred_at": "date",
    },
)
TOOLS = Kind("tools", DeclaredTool, "tool", {"changes_state": "boolean", "source": "keyword"})
SPANS = Kind("spans", KeptSpan, "span_key", {"trace_id": "keyword", "arrived_at": "date"})
TRACES = Kind("traces", KeptTrace, "trace_id", {"state": "keyword", "last_at": "date"})
ROOT_CAUSES = Kind(
    "root_causes",
    RootCause,
    "cause_id",
    {"error_codes": "keyword", "enabled": "boolean", "name": "text", "name_zh": "text", "statement": "text"},
)
ATTRIBUTIONS = Kind(
    "attributions",
    Attribution,
    "fingerprint",
    {
        "verdict": "keyword",
        "root_cause": "keyword",
        "rung": "keyword",
        "score": "number",
        "decided_at": "date",
    },
)
CAUSE_PROPOSALS = Kind(
    "cause_proposals", CauseProposal, "fingerprint", {"root_cause": "keyword", "at": "date"}
)
LABELS = Kind(
    "labels",
    Label,
    "label_id",
    {"fingerprint": "keyword", "root_cause": "keyword", "answer": "keyword", "at": "date"},
)
WORK_ORDERS = Kind(
    "work_orders", WorkOrder, "order_id", {"state": "keyword", "cluster_id": "keyword", "cases": "integer"}
)
FITS = Kind("fits", Fit, "fit_id", {"state": "keyword", "at": "date"})
STRATEGIES = Kind(
    "strategies",
    Strategy,
    "strategy_id",
    {
        "state": "keyword",
        "draft_key": "keyword",
        "synthesiser": "keyword",
        "rule.root_cause": "keyword",
        "rule.scope.step_id": "keyword",
        "rule.scope.tool": "keyword",
    },
    append_only=("history",),
)
CANDIDATES = Kind("candidates", Candidate, "draft_key", {"night_id": "keyword", "verdict": "keyword"})
PUBLICATIONS = Kind("publications", Publication, "revision", {"at": "date", "revision": "integer"})
DECISIONS = Kind(
    "decisions",
    ReportedDecision,
    "report_id",
    {
        "run_id": "keyword",
        "firing.rule_id": "keyword",
        "firing.mode": "keyword",
        "arm": "keyword",
        "tool": "keyword",
        "at": "date",
        "bundle_revision": "integer",
    },
)
EFFECTS = Kind("effects", Effect, "effect_id", {"strategy_id": "keyword", "at": "date"})
DELIVERIES = Kind(
    "deliveries",
    Delivery,
    "delivery_id",
    {"target": "keyword", "state": "keyword", "night_id": "keyword", "at": "date"},
)
NIGHTS = Kind("nights", Night, "night_id", {"as_of": "date", "started_at": "date", "status": "keyword"})
STAGES = Kind(
    "stages",
    StageRecord,
    "night_id,stage",
    {"night_id": "keyword", "position": "integer", "status": "keyword"},
)
HEALTH = Kind(
    "health",
    HealthInterval,
    "interval_id",
    {"tool": "keyword", "probe": "keyword", "state": "keyword", "since": "date", "until": "date"},
)
PROJECTS = Kind("projects", Project, "project_id", {"created_at": "date"})
TOKENS = Kind("tokens", ApiToken, "token_id", {"secret_hash": "keyword", "created_at": "date"})
AUDIT = Kind(
    "audit",
    AuditEntry,
    "entry_id",
    {"at": "date", "actor": "keyword", "action": "keyword", "target": "keyword"},
)

KINDS: tuple[Kind[Model], ...] = (  # type: ignore[assignment]
    CASES,
    PROBLEMS,
    RUN_RECORDS,
    REFERENCE_CALLS,
    SPANS,
    TRACES,
    TOOLS,
    ROOT_CAUSES,
    ATTRIBUTIONS,
    CAUSE_PROPOSALS,
    LABELS,
    WORK_ORDERS,
    FITS,
    STRATEGIES,
    CANDIDATES,
    PUBLICATIONS,
    DECISIONS,
    EFFECTS,
    DELIVERIES,
    NIGHTS,
    STAGES,
    HEALTH,
    PROJECTS,
    TOKENS,
    AUDIT,
)

SYSTEM = "_system"
"""The project under which things live that belong to no project: projects and tokens."""


def key_of(kind: Kind[M], item: M) -> str:
    """The item's id within its project: the fields of `kind.key`, joined by a colon."""
    return ":".join(str(getattr(item, name)) for name in kind.key.split(","))
