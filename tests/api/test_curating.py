"""Causes, work orders, the status of a problem, and decisions: what engineers and foreign agents do over HTTP."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from errata_client.rule import Rule
from knowledge.causes import Exemplar, RootCause, WorkOrder
from knowledge.kinds import AUDIT, PROBLEMS, PUBLICATIONS, ROOT_CAUSES, STRATEGIES, WORK_ORDERS
from knowledge.store import Query
from knowledge.strategies import Publication
from tests.api.parties import PROJECT, Bearer, MakeBearer
from tests.api.records import problem, strategy
from wiring.build import Errata

BASE = f"/v1/projects/{PROJECT}"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
WHY = {"reason": "nine of one kind"}


def cause(name: str = "RC-101") -> RootCause:
    return RootCause(
        cause_id=name,
        name="Coupon used twice",
        name_zh="优惠券重复使用",
        statement="The coupon was used before.",
        error_codes=("tool.error",),
        exemplars=(
            Exemplar(error_pattern="the coupon was used already"),
            Exemplar(error_pattern="优惠券已使用"),
        ),
    )


def order(errata: Errata) -> None:
    errata.store.collection(PROJECT, PROBLEMS).add_many([problem(1)])
    errata.store.collection(PROJECT, WORK_ORDERS).add_many(
        [
            WorkOrder(
                order_id="WO-0001",
                cluster_id="c1",
                draft=cause("WO-0001"),
                fingerprints=(problem(1).fingerprint,),
                cases=9,
                first_seen=NOW,
                last_seen=NOW,
            )
        ]
    )


@pytest.fixture
def reviewer(bearer: MakeBearer) -> Bearer:
    return bearer("review")


def test_a_root_cause_is_added_found_and_shown(reviewer: Bearer) -> None:
    body = {"cause": cause("").model_dump(mode="json"), **WHY}
    added = reviewer.post(f"{BASE}/causes", json=body)

    assert added.status_code == 201, added.text
    made = added.json()["cause_id"]
    assert reviewer.get(f"{BASE}/causes/{made}").json()["name_zh"] == "优惠券重复使用"
    found = reviewer.get(f"{BASE}/causes", params={"q": "优惠券"}).json()["items"]
    assert [item["cause_id"] for item in found] == [made]


def test_a_root_cause_with_a_taken_id_is_a_conflict(errata: Errata, reviewer: Bearer) -> None:
    errata.store.collection(PROJECT, ROOT_CAUSES).add_many([cause()])

    assert (
        reviewer.post(f"{BASE}/causes", json={"cause": cause().model_dump(mode="json"), **WHY}).status_code
        == 409
    )


def test_trying_a_root_cause_changes_nothing(errata: Errata, reviewer: Bearer) -> None:
    errata.store.collection(PROJECT, PROBLEMS).add_many([problem(1)])

    tried = reviewer.post(f"{BASE}/causes/check", json=cause().model_dump(mode="json"))

    assert tried.status_code == 200, tried.text
    assert errata.store.collection(PROJECT, ROOT_CAUSES).get("RC-101") is None


def test_an_approved_order_becomes_a_root_cause_once(errata: Errata, reviewer: Bearer) -> None:
    order(errata)
    version = reviewer.get(f"{BASE}/orders/WO-0001").headers["etag"]
    url, headers = f"{BASE}/orders/WO-0001/approve", {"If-Match": version}

    assert reviewer.post(url, json=WHY).status_code == 428
    assert reviewer.post(url, json=WHY, headers={"If-Match": '"old"'}).status_code == 412
    approved = reviewer.post(url, json=WHY, headers=headers)
    assert (approved.status_code, approved.json()["state"]) == (200, "approved")
    assert reviewer.post(url, json=WHY, headers=headers).status_code in {409, 412}
    causes = [stored.item for stored in errata.store.collection(PROJECT, ROOT_CAUSES).scan(Query())]
    assert [found.name for found in causes] == ["Coupon used twice"]


def test_an_order_is_merged_or_rejected(errata: Errata, reviewer: Bearer) -> None:
    order(errata)
    errata.store.collection(PROJECT, ROOT_CAUSES).add_many([cause()])
    headers = {"If-Match": reviewer.get(f"{BASE}/orders/WO-0001").headers["etag"]}

    missing = reviewer.post(
        f"{BASE}/orders/WO-0001/merge", json={"cause_id": "RC-999", **WHY}, headers=headers
    )
    merged = reviewer.post(
        f"{BASE}/orders/WO-0001/merge", json={"cause_id": "RC-101", **WHY}, headers=headers
    )

    assert (missing.status_code, merged.status_code) == (404, 200)
    assert merged.json()["state"] == "merged"
    assert [item["order_id"] for item in reviewer.get(f"{BASE}/orders?state=merged").json()["items"]] == [
        "WO-0001"
    ]
    assert reviewer.get(f"{BASE}/orders?state=open").json()["items"] == []


def test_a_problem_is_resolved_with_a_reason_in_the_audit_log(errata: Errata, reviewer: Bearer) -> None:
    errata.store.collection(PROJECT, PROBLEMS).add_many([problem(1)])
    url = f"{BASE}/problems/{problem(1).fingerprint}/status"

    changed = reviewer.post(url, json={"status": "resolved", "reason": "工具已修复"})

    assert (changed.status_code, changed.json()["status"]) == (200, "resolved")
    assert reviewer.post(url, json={"status": "gone", "reason": "x"}).status_code == 422
    entries = [stored.item for stored in errata.store.collection(PROJECT, AUDIT).scan(Query())]
    assert [(entry.action, entry.reason) for entry in entries] == [("problem.status", "工具已修复")]


def test_an_agent_without_a_client_gets_its_decision(errata: Errata, bearer: MakeBearer) -> None:
    rule = Rule.model_validate(
        {
            "id": "ST-0001",
            "revision": 1,
            "root_cause": "RC-101",
            "scope": {"step_id": "get_order", "tool": "get_order"},
            "trigger": {"field": "args.order_id", "pattern": "^([0-9]{7})$"},
            "action": {"kind": "rewrite", "field": "args.order_id", "template": "#W{1}"},
            "mode": "active",
            "valid_until": "2099-12-31",
        }
    )
    made = Publication(revision=1, at=NOW, rules=(rule,), actor="mei", reason="right")
    errata.store.collection(PROJECT, PUBLICATIONS).add_many([made])
    view = {"run_id": "r1", "step_id": "get_order", "tool": "get_order", "arguments": {"order_id": "7654321"}}

    answer = bearer("rules:read").post(f"{BASE}/decide", json=view)

    assert answer.status_code == 200, answer.text
    assert answer.json()["outcome"] == "rewrite"
    assert answer.json()["arguments"] == {"order_id": "#W7654321"}


def test_a_tainted_strategy_is_approved_only_with_its_flag_named(errata: Errata, reviewer: Bearer) -> None:
    made = strategy(7)
    evidence = made.evidence.model_copy(update={"flags": ("tainted",)})
    errata.store.collection(PROJECT, STRATEGIES).add_many([made.model_copy(update={"evidence": evidence})])
    url = f"{BASE}/strategies/{made.strategy_id}"
    headers = {"If-Match": reviewer.get(url).headers["etag"]}

    refused = reviewer.post(f"{url}/approve", json=WHY, headers=headers)
    approved = reviewer.post(f"{url}/approve", json={**WHY, "acknowledge": ["tainted"]}, headers=headers)

    assert (refused.status_code, approved.status_code) == (409, 200), approved.text
    assert "tainted" in refused.json()["detail"]


def test_what_an_order_would_take_is_told_before_it_is_approved(errata: Errata, reviewer: Bearer) -> None:
    order(errata)
    told = reviewer.get(f"{BASE}/orders/WO-0001/preview")

    assert told.status_code == 200, told.text
    assert {"own", "of", "asked", "changes", "from_causes"} <= told.json().keys()
    assert errata.store.collection(PROJECT, ROOT_CAUSES).get("RC-101") is None
    assert reviewer.get(f"{BASE}/orders/WO-9999/preview").status_code == 404
