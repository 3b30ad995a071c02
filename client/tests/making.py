"""Makers of rules, views and bundles for the client's tests."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from errata_client.bundle import Bundle
from errata_client.rule import Rule
from errata_client.view import CallView

TODAY = date(2026, 6, 1)
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
REWRITE = {"kind": "rewrite", "field": "args.order_id", "template": "#W{1}"}
PATTERN = r"^#?W?(\d{7})$"


def a_rule(rule_id: str = "ST-0001", action: dict[str, Any] | None = None, **changes: Any) -> Rule:
    """A live rule on step `fetch`, tool `get_order`; by default it repairs order ids."""
    trigger = {
        "field": changes.pop("field", "args.order_id"),
        "pattern": changes.pop("pattern", PATTERN),
        "conditions": changes.pop("conditions", ()),
    }
    fields = {
        "id": rule_id,
        "revision": 1,
        "root_cause": "RC-001",
        "scope": {"step_id": "fetch", "tool": "get_order"},
        "trigger": trigger,
        "action": action or REWRITE,
        "mode": "active",
        "valid_until": "2026-12-31",
    }
    return Rule.model_validate(fields | changes)


def a_view(arguments: dict[str, Any] | None = None, **changes: Any) -> CallView:
    """A call of `get_order` at step `fetch` for order 2378156."""
    fields = {"run_id": "run-1", "step_id": "fetch", "tool": "get_order"}
    return CallView(
        arguments={"order_id": "2378156"} if arguments is None else arguments, **(fields | changes)
    )


def a_bundle(*rules: Rule, revision: int = 1, holdout: float = 0.0, project: str = "shop") -> Bundle:
    """A sealed bundle."""
    return Bundle(project=project, revision=revision, created_at=NOW, holdout=holdout, rules=rules).sealed()
