"""Items to store, made short."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from errata_client.rule import Rule
from errata_client.view import CallView
from knowledge.cases import FailureCase, Problem, TriggerStep
from knowledge.causes import Attribution
from knowledge.runs import ReferenceCall
from knowledge.strategies import Evidence, Strategy, Transition

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def case(name: str, **changed: Any) -> FailureCase:
    """A failure case whose id is `name`."""
    values: dict[str, Any] = {
        "case_id": name,
        "run_id": "run-1",
        "occurred_at": NOW,
        "error_code": "tool.error",
        "error_message": "Order not found",
        "error_pattern": "order not found",
        "user_intent": "return an order",
        "trigger_step": TriggerStep(index=1, step_id="fetch_order", tool="get_order"),
        "fingerprint": "f1",
    }
    return FailureCase(**(values | changed))


def cases(count: int, **changed: Any) -> list[FailureCase]:
    """Cases c0000, c0001, …, one microsecond apart."""
    return [
        case(f"c{n:04}", **({"occurred_at": NOW + timedelta(microseconds=n)} | changed)) for n in range(count)
    ]


def problem(name: str, **changed: Any) -> Problem:
    """A problem whose fingerprint is `name`."""
    values: dict[str, Any] = {
        "fingerprint": name,
        "error_code": "tool.error",
        "error_kind": "not_found",
        "step_id": "fetch_order",
        "tool": "get_order",
        "error_pattern": "order not found",
        "error_message": "Order not found",
        "user_intent": "return an order",
        "context_text": "",
        "exemplar": "c0",
        "count": 1,
        "first_seen": NOW,
        "last_seen": NOW,
    }
    return Problem(**(values | changed))


def strategy(name: str, reasons: tuple[str, ...] = ()) -> Strategy:
    """A strategy whose history has one transition per reason."""
    history = tuple(
        Transition(at=NOW, actor="ann", source=None, target="in_review", reason=reason) for reason in reasons
    )
    evidence = Evidence(support=3, tasks=3, references=0, fired=3, right=3, wrong=0, harmed=0)
    return Strategy(
        strategy_id=name,
        draft_key=f"key-{name}",
        synthesiser="by hand",
        state="in_review",
        rule=Rule.model_validate(RULE | {"id": name}),
        evidence=evidence,
        history=history,
    )


RULE = {
    "id": "ST-0001",
    "revision": 1,
    "root_cause": "RC-001",
    "scope": {"step_id": "fetch_order", "tool": "get_order"},
    "trigger": {"field": "args.order_id", "pattern": "^(\\d{7})$"},
    "action": {"kind": "rewrite", "field": "args.order_id", "template": "#W{1}"},
    "mode": "active",
    "valid_until": "2026-12-31",
}


def reference(name: str, rank: int) -> ReferenceCall:
    """A successful call."""
    view = CallView(run_id="run-1", step_id="fetch_order", tool="get_order")
    return ReferenceCall(
        reference_id=name,
        run_id="run-1",
        step_id="fetch_order",
        tool="get_order",
        occurred_at=NOW,
        rank=rank,
        arguments={},
        view=view,
    )


def attribution(name: str, score: float | None) -> Attribution:
    """The attribution of the problem `name`."""
    return Attribution(
        fingerprint=name,
        verdict="unmatched",
        rung="none",
        score=score,
        threshold=0.85,
        margin=0.02,
        reason="made for a test",
        decided_at=NOW,
    )
