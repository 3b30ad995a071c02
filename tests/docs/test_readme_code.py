"""The README's rule and its ten lines, run as they stand: the rule mends the call of the ten lines."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from pathlib import Path

import httpx
import pytest

from errata_client.bundle import Bundle
from errata_client.rule import Rule

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 12, 1, tzinfo=UTC)


def block(name: str, language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return found.group(1)


def serving(rule: Rule) -> httpx.MockTransport:
    bundle = Bundle(project="shop", revision=1, created_at=NOW, rules=(rule,)).sealed()

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            return httpx.Response(202, json={"accepted": 1, "known": 0})
        headers = {"ETag": f'"{bundle.revision}-{bundle.digest[:16]}"'}
        return httpx.Response(200, content=bundle.model_dump_json().encode(), headers=headers)

    return httpx.MockTransport(answer)


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_rule_of_the_readme_mends_the_call_of_the_readme(name: str, tmp_path: Path) -> None:
    rule = Rule.model_validate_json(block(name, "json"))
    assert rule.valid_until == date(2027, 2, 28)
    code = block(name, "python")
    code = code.replace('cache_dir=".errata-rules"', "cache_dir=cache, transport=transport, clock=clock")
    code = code.replace("client.start()", "client.refresh()")
    called, told = [], []
    names = {
        "token": "secret",
        "run_id": "r1",
        "cache": tmp_path,
        "transport": serving(rule),
        "clock": lambda: NOW,
        "get_order": lambda order_id: called.append(order_id) or "{}",
        "tell_the_model": told.append,
    }
    exec(code, names)
    names["client"].close()
    assert called == ["ORD-48213"]
    assert not told
