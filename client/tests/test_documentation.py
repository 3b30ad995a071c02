"""What the documentation shows is so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from pydantic import TypeAdapter

import errata_client
from client.tests.fake_service import TOKEN, FakeService
from client.tests.making import a_bundle, a_rule
from errata_client.actions import ACTIONS
from errata_client.bundle import read_bundle
from errata_client.conditions import CONDITIONS
from errata_client.rule import Action, Condition, Rule

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "client" / "README.md").read_text(encoding="utf-8")
RULES = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


SHOWN = [orjson.loads(block) for block in blocks(RULES, "json")]


@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: shown.get("kind") or shown.get("id") or "bundle")
def test_every_rule_condition_action_and_bundle_shown_is_valid(shown: dict[str, Any]) -> None:
    if "scope" in shown:
        Rule.model_validate(shown)
    elif "rules" in shown:
        read_bundle(orjson.dumps(shown))
    else:
        TypeAdapter(Condition | Action).validate_python(shown)


def test_every_kind_and_every_field_of_a_rule_is_shown() -> None:
    assert {shown["kind"] for shown in SHOWN if "kind" in shown} == set(CONDITIONS) | set(ACTIONS)
    assert set(SHOWN[0]) == set(Rule.model_fields)


@pytest.mark.parametrize(
    ("rules", "printed"),
    [
        ([], "{'order_id': '2378156', 'status': 'pending'}"),
        ([{}], "{'order_id': '#W2378156', 'status': 'pending'}"),
        ([{"action": {"kind": "block", "text": "ask first"}}], "ask first"),
    ],
)
def test_the_lines_of_the_readme_run(
    rules: list[dict[str, Any]], printed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (lines,) = blocks(README, "python")
    scope = {"step_id": "fetch_order", "tool": "get_order"}
    service = FakeService(a_bundle(*(a_rule(scope=scope, **rule) for rule in rules)))
    lines = lines.replace('"your-token", ', f'"{TOKEN}", transport=service, ')
    lines = lines.replace('".errata-rules"', "folder")
    exec(compile(lines, "README.md", "exec"), {"service": service, "folder": tmp_path})
    assert capsys.readouterr().out.strip() == printed
    assert len(service.reports) == len(rules)


def test_the_public_surface_is_this_and_changes_only_on_purpose() -> None:
    assert sorted(errata_client.__all__) == [
        "Bundle",
        "BundleError",
        "CallBlocked",
        "CallView",
        "ClientStatus",
        "Decision",
        "Engine",
        "Firing",
        "Rule",
        "RuleClient",
        "Run",
        "RunContext",
        "StepView",
        "current_run",
        "guarded",
        "read_bundle",
        "replay",
        "running",
    ]
    assert all(hasattr(errata_client, name) for name in errata_client.__all__)
