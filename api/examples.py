"""One example for each thing that the API reads or answers: a shop's orders, looked up with the wrong id.

They stand in the OpenAPI document; a test holds them against the models.
"""

from __future__ import annotations

from typing import Any

Example = dict[str, Any]


def page(item: Example) -> Example:
    """A page of one item, the last."""
    return {"items": [item], "next": None}


DAY = "2026-03-02"
FINGERPRINT = "q3v7k2mxw5"

ALIVE: Example = {"status": "ok"}
READY: Example = {"status": "ok", "store": "SQLite 3.46.1"}
METRICS = 'errata_bundle_revision{project="shop"} 12.0\nerrata_night_stale{project="shop"} 0.0\n'
PROJECT: Example = {"project_id": "shop", "created_at": "2026-01-05T08:00:00Z", "holdout": 0.1}

RUN: Example = {
    "run_id": "run-8812",
    "agent": {"name": "ticket-desk", "version": "2.4", "kind": "react"},
    "model_version": "gpt-4o-2024-08-06",
    "user_intent": "where is my order 4512377?",
    "steps": [
        {
            "index": 0,
            "step_id": "fetch_order_data",
            "user_input": "where is my order 4512377?",
            "tool_call": {"tool": "get_order_details", "arguments": {"order_id": "4512377"}},
            "error": {"message": "order 4512377 not found", "status": 404},
        }
    ],
    "outcome": {"status": "failure"},
}
INGEST_REPORT: Example = {
    "source": "native_jsonl",
    "why": "asked for by name",
    "runs": 1,
    "calls": 1,
    "cases": 1,
    "new_cases": 1,
    "by_error_code": {"tool.error": 1},
    "reference_calls": 0,
    "problems": 1,
    "masked": {},
    "not_analysed": [],
}

VIEW: Example = {
    "run_id": "run-8812",
    "step_id": "fetch_order_data",
    "tool": "get_order_details",
    "phase": "before",
    "arguments": {"order_id": "4512377"},
    "user_input": "where is my order 4512377?",
    "provenance": {"/order_id": "person"},
}
CASE: Example = {
    "case_id": "m2c4x6z8b0",
    "run_id": "run-8812",
    "occurred_at": f"{DAY}T09:14:03Z",
    "error_code": "tool.error",
    "error_kind": "not_found",
    "error_message": "order 4512377 not found",
    "error_pattern": "order <NUM> not found",
    "user_intent": "where is my order <NUM>?",
    "trigger_step": {
        "index": 0,
        "step_id": "fetch_order_data",
        "tool": "get_order_details",
        "arguments": {"order_id": "4512377"},
    },
    "agent": {"name": "ticket-desk", "version": "2.4", "kind": "react"},
    "model_version": "gpt-4o-2024-08-06",
    "repair": {
        "index": 2,
        "arguments": {"order_id": "#W4512377"},
        "changed": {"/order_id": ["4512377", "#W4512377"]},
    },
    "decisive": True,
    "fingerprint": FINGERPRINT,
    "view": VIEW,
}
CANDIDATE: Example = {
    "cause_id": "RC-042",
    "score": 0.93,
    "components": {"error_pattern": 0.93, "user_intent": None, "step_context": None},
    "exemplar": "order <NUM> not found",
    "by_encoder": {"minilm": 0.94, "use-multilingual": 0.92},
}
ATTRIBUTION: Example = {
    "fingerprint": FINGERPRINT,
    "verdict": "matched",
    "root_cause": "RC-042",
    "rung": "score",
    "score": 0.93,
    "winner": CANDIDATE,
    "weights": {"error_pattern": 1.0},
    "threshold": 0.85,
    "margin": 0.03,
    "encoders": ["minilm", "use-multilingual"],
    "gated_out": 31,
    "reason": "0.93 is over the threshold 0.85, and nothing else comes near",
    "decided_at": f"{DAY}T02:03:00Z",
}
PROBLEM: Example = {
    "fingerprint": FINGERPRINT,
    "error_code": "tool.error",
    "error_kind": "not_found",
    "step_id": "fetch_order_data",
    "tool": "get_order_details",
    "error_pattern": "order <NUM> not found",
    "error_message": "order 4512377 not found",
    "user_intent": "where is my order <NUM>?",
    "context_text": "fetch_order_data get_order_details",
    "exemplar": "m2c4x6z8b0",
    "count": 17,
    "first_seen": "2026-02-11T10:00:00Z",
    "last_seen": f"{DAY}T09:14:03Z",
    "model_versions": ["gpt-4o-2024-08-06"],
    "agents": ["ticket-desk"],
    "status": "unresolved",
    "version": "4",
    "attribution": ATTRIBUTION,
}
STATUS_CHANGE: Example = {"status": "resolved", "reason": "the tool accepts both forms since release 2.5"}
LABEL_GIVEN: Example = {"answer": "confirm", "root_cause": "RC-042", "reason": "the id lacks its prefix"}
LABEL: Example = {
    "label_id": "l5n7p9r1t3",
    "fingerprint": FINGERPRINT,
    "answer": "confirm",
    "root_cause": "RC-042",
    "error_code": "tool.error",
    "error_kind": "not_found",
    "error_pattern": "order <NUM> not found",
    "actor": "mei",
    "reason": "the id lacks its prefix",
    "at": f"{DAY}T10:20:00Z",
}

CAUSE: Example = {
    "cause_id": "RC-042",
    "name": "Id without its prefix",
    "name_zh": "编号缺少前缀",
    "statement": "The tool wants the id as it stands in the catalogue, with its prefix; the agent passes the digits.",
    "statement_zh": "工具要求带前缀的完整编号，而智能体只传了数字。",
    "error_codes": ["tool.error"],
    "error_kinds": ["not_found"],
    "tools": [],
    "exemplars": [{"error_pattern": "order <NUM> not found"}, {"error_pattern": "未找到订单 <NUM>"}],
    "playbook": "Write order ids as #W followed by seven digits.",
    "playbook_zh": "订单号写成 #W 加七位数字。",
    "threshold": None,
    "enabled": True,
    "created_by": "mei",
}
CAUSE_VIEW: Example = {**CAUSE, "version": "2"}
CAUSE_GIVEN: Example = {"cause": {**CAUSE, "cause_id": ""}, "reason": "nine problems of one kind"}
_SCHEMA: Example = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}},
    "required": ["order_id"],
}
DECLARED_TOOL: Example = {
    "tool": "get_order_details",
    "description": "Status and items of an order",
    "parameters": _SCHEMA,
    "output_schema": None,
    "changes_state": False,
    "source": "mcp",
    "actor": "ada",
    "declared_at": f"{DAY}T08:30:00Z",
}
TOOLS_GIVEN: Example = {
    "document": {"tools": [{"name": "get_order_details", "inputSchema": _SCHEMA}]},
    "changes_state": False,
    "actor": "ada",
}
TOOLS_DECLARED: Example = {"tools": ["get_order_details"], "created": 1}
TAKEN: Example = {"cause": CAUSE, "attributions": [ATTRIBUTION]}
ORDER: Example = {
    "order_id": "WO-0003",
    "cluster_id": "c8d6e4",
    "state": "open",
    "draft": {**CAUSE, "cause_id": "RC-051", "name": "Coupon used twice", "created_by": "errata"},
    "key_terms": ["coupon", "already used"],
    "features": [
        {"kind": "provenance", "value": "args.coupon: person", "inside": 1.0, "outside": 0.04},
        {"kind": "word", "value": "coupon", "inside": 1.0, "outside": 0.02},
    ],
    "nearest": ["RC-042"],
    "fingerprints": [FINGERPRINT],
    "cases": 9,
    "first_seen": "2026-02-20T08:00:00Z",
    "last_seen": f"{DAY}T08:30:00Z",
    "version": "1",
}
ORDER_PREVIEW: Example = {
    "order_id": "WO-0003",
    "draft": ORDER["draft"],
    "own": 1,
    "of": 1,
    "asked": 40,
    "changes": [
        {
            "fingerprint": "p7q9r2",
            "effect": "takes_from",
            "cases": 4,
            "error_code": "tool.error",
            "tool": "apply_coupon",
            "error_pattern": "coupon <id> was redeemed before",
            "was": "RC-042",
            "score": 0.91,
            "reason": "WO-0003 scores 0.9100, at or over 0.85, ahead of RC-042 with 0.7600",
        }
    ],
    "from_causes": {"RC-042": 1},
}
ORDER_ANSWER: Example = {"reason": "nine of nine are the same coupon fault"}
CAUSE_MERGE: Example = {"into": "RC-042", "reason": "two names for one mistake"}
CAUSE_SPLIT: Example = {
    "fingerprints": ["w7k3j5h7g2f4"],
    "name": "The coupon is of another shop",
    "reason": "not expired, but foreign",
}
ORDER_MERGE: Example = {"cause_id": "RC-042", "reason": "another wording of the missing prefix"}

RULE: Example = {
    "id": "ST-0007",
    "revision": 1,
    "root_cause": "RC-042",
    "scope": {"step_id": "fetch_order_data", "tool": "get_order_details"},
    "trigger": {"field": "args.order_id", "pattern": r"^#?W?(\d{7})$", "conditions": []},
    "action": {"kind": "rewrite", "field": "args.order_id", "template": "#W{1}"},
    "mode": "active",
    "valid_until": "2026-05-31",
    "share": 1.0,
}
EVIDENCE: Example = {
    "support": 12,
    "tasks": 9,
    "references": 140,
    "fired": 12,
    "right": 12,
    "wrong": 0,
    "harmed": 0,
    "held_out": 4,
    "held_out_fired": 4,
    "held_out_right": 4,
    "precision": 1.0,
    "cases": ["m2c4x6z8b0"],
    "rows": [
        {
            "source": "held_out",
            "origin_id": "m2c4x6z8b0",
            "run_id": "run-8812",
            "before": {"order_id": "4512377"},
            "outcome": "rewrite",
            "after": {"order_id": "#W4512377"},
            "expected": {"order_id": "#W4512377"},
            "judgement": "right",
            "why": "the call that then worked",
        }
    ],
    "explanation": "In 12 of 12 pairs the working id is #W and the seven digits.",
    "reach": {
        "days": 30,
        "calls": 4210,
        "failed": 61,
        "tried_failed": 61,
        "fired_failed": 38,
        "tried_worked": 500,
        "fired_worked": 0,
        "touched": 38.0,
        "low": 38.0,
        "high": 69.7,
    },
    "resembles": [{"strategy_id": "ST-0003", "state": "rejected", "reason": "the tool will take both forms"}],
}
STRATEGY: Example = {
    "strategy_id": "ST-0007",
    "draft_key": "k1j3h5g7",
    "synthesiser": "argument_repair",
    "state": "in_review",
    "rule": RULE,
    "evidence": EVIDENCE,
    "history": [
        {
            "at": f"{DAY}T02:05:00Z",
            "actor": "errata",
            "source": "draft",
            "target": "in_review",
            "reason": "support 12, precision 1.00, no reference harmed",
        }
    ],
    "version": "1",
}
STRATEGY_ROW: Example = {**STRATEGY, "evidence": {**EVIDENCE, "rows": []}}
REVIEW: Example = {"reason": "the rows are right, and no reference is touched"}
APPROVAL: Example = {**REVIEW, "shadow": False, "share": 1.0, "supersedes": None, "acknowledge": []}
EXTENSION: Example = {"reason": "the tool has not changed", "until": "2027-03-31"}
SHARE: Example = {"reason": "a week at one run in ten, no alarm", "share": 1.0}
_RATE: Example = {"count": 2, "of": 400, "rate": 0.005, "low": 0.0014, "high": 0.018}
_CONTROL: Example = {"count": 20, "of": 100, "rate": 0.2, "low": 0.1334, "high": 0.2888}
DELIVERY: Example = {
    "delivery_id": "d1f2a3b4",
    "target": "gitlab",
    "night_id": "n1",
    "strategies": {"ST-0007": 1},
    "state": "sent",
    "at": f"{DAY}T02:06:00Z",
    "attempts": 1,
    "error": None,
    "reference": "42",
    "url": "https://gitlab.example.com/agents/rules/-/merge_requests/42",
}
DELIVERY_TEST: Example = {
    "targets": [{"target": "slack", "reference": None, "error": "Slack answered 404: no_service"}]
}
EFFECT: Example = {
    "effect_id": "ST-0007:2026-03-09",
    "strategy_id": "ST-0007",
    "at": "2026-03-09T02:00:00Z",
    "since": f"{DAY}T10:31:00Z",
    "revision": 12,
    "control": "holdout",
    "treated_group": {"runs": 400, "recurred": 2, "failed": 4, "judged": 400, "unsuccessful": 80},
    "control_group": {"runs": 100, "recurred": 20, "failed": 21, "judged": 100, "unsuccessful": 31},
    "recurrence": {
        "treated": _RATE,
        "control": _CONTROL,
        "difference": -0.195,
        "difference_low": -0.284,
        "difference_high": -0.128,
        "change": -0.975,
        "change_low": -0.993,
        "change_high": -0.904,
    },
    "scope_failures": None,
    "unsuccessful": None,
    "spared": {"count": 0, "of": 20, "rate": 0.0, "low": 0.0, "high": 0.2491},
    "fired": 91,
    "fired_runs": 80,
    "uncounted": 0,
    "alarms": [],
}
EDIT: Example = {"rule": RULE, "reason": "the pattern took eight digits too"}

BUNDLE: Example = {
    "format": 1,
    "project": "shop",
    "revision": 12,
    "created_at": f"{DAY}T10:31:00Z",
    "holdout": 0.1,
    "rules": [RULE],
    "digest": "9f0c4b0e5a1d7c33e8b2a6f4d1905c7be2f8a3d6c4b1e0f97a5d3c2b1a0f9e8d",
}
FIRING: Example = {
    "rule_id": "ST-0007",
    "rule_revision": 1,
    "mode": "active",
    "kind": "rewrite",
    "field": "args.order_id",
    "reason": "args.order_id matches",
    "before": {"order_id": "4512377"},
    "after": {"order_id": "#W4512377"},
}
DECISION: Example = {
    "outcome": "rewrite",
    "arguments": {"order_id": "#W4512377"},
    "text": None,
    "require_tool": None,
    "attempts": 0,
    "delay_ms": 0,
    "fired": [FIRING],
}
REPORTS: Example = {
    "reports": [
        {
            "report_id": "d4f6h8",
            "run_id": "run-9001",
            "step_id": "fetch_order_data",
            "tool": "get_order_details",
            "at": f"{DAY}T11:00:00Z",
            "bundle_revision": 12,
            "arm": "treated",
            "firing": FIRING,
            "agent": "ticket-desk",
        }
    ],
    "active_revision": 12,
    "agent": "ticket-desk",
}
REPORTS_TAKEN: Example = {
    "accepted": 1,
    "known": 0,
    "refused": 0,
    "results": [{"position": 0, "report_id": "d4f6h8", "status": "accepted", "reason": None}],
}

NIGHT: Example = {
    "night_id": "n2p4r6",
    "as_of": f"{DAY}T00:00:00Z",
    "started_at": f"{DAY}T02:00:00Z",
    "ended_at": f"{DAY}T02:06:10Z",
    "status": "done",
    "fencing_token": 41,
}
STAGE: Example = {
    "night_id": "n2p4r6",
    "position": 3,
    "stage": "attribute",
    "status": "done",
    "started_at": f"{DAY}T02:02:30Z",
    "ended_at": f"{DAY}T02:03:00Z",
    "fencing_token": 41,
    "counts": {"matched": 17, "abstained": 2, "unmatched": 5},
    "skipped": [],
    "error": None,
}
NIGHT_WITH_STAGES: Example = {**NIGHT, "stages": [STAGE]}
AUDIT_ENTRY: Example = {
    "entry_id": "a1c3e5",
    "at": f"{DAY}T10:30:00Z",
    "actor": "mei",
    "action": "strategy.approved",
    "target": "ST-0007",
    "reason": "the rows are right, and no reference is touched",
    "details": {"revision": 12},
}

TRACES: Example = {
    "resourceSpans": [
        {
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "traceId": "5b8efff798038103d269b633813fc60c",
                            "spanId": "eee19b7ec3c1b174",
                            "name": "execute_tool lend",
                            "startTimeUnixNano": "1772000000000000000",
                            "endTimeUnixNano": "1772000001000000000",
                            "attributes": [
                                {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
                                {"key": "gen_ai.tool.name", "value": {"stringValue": "lend"}},
                            ],
                        }
                    ]
                }
            ]
        }
    ]
}
TRACES_TAKEN: Example = {
    "partialSuccess": {"rejectedSpans": "1", "errorMessage": "a span without a trace id"}
}
TRACES_REFUSED: Example = {
    "code": 3,
    "message": "the body is not JSON: unexpected end of data",
    "details": [],
}
PROBES: dict[str, object] = {
    "results": [
        {
            "probe": "order-api",
            "tools": ["get_order_details", "cancel_order"],
            "up": False,
            "at": "2026-03-01T10:00:20Z",
            "detail": "status 503, expected 200",
        }
    ]
}
PROBES_TAKEN: dict[str, object] = {"taken": 2, "tools": {"cancel_order": False, "get_order_details": False}}
