"""The loop over real processes: a service that is served, an engineer who approves, an agent that pulls."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from knowledge.kinds import DECISIONS, STRATEGIES
from knowledge.store import Query
from knowledge.strategies import Strategy
from strategies.bundles import current_bundle
from tests.api.parties import PROJECT
from tests.api.served import ROOT, SECRET, served
from wiring.build import build
from wiring.settings import Settings
from wiring.tokens import create_token

RULE = {
    "id": "ST-0001",
    "revision": 1,
    "root_cause": "RC-001",
    "scope": {"step_id": "get_order", "tool": "get_order"},
    "trigger": {"field": "args.order_id", "pattern": "^([0-9]{7})$"},
    "action": {"kind": "rewrite", "field": "args.order_id", "template": "#W{1}"},
    "valid_until": "2099-12-31",
}
TODAY, AFTER_THE_END = "2026-12-01", "2100-01-01"
STRATEGY_URL = f"/v1/projects/{PROJECT}/strategies/ST-0001"
Say = Callable[..., dict[str, Any]]


def in_review() -> Strategy:
    evidence = {"support": 3, "tasks": 3, "references": 30, "fired": 3, "right": 3, "wrong": 0, "harmed": 0}
    step = {
        "at": datetime(2026, 3, 1, tzinfo=UTC),
        "actor": "night",
        "source": "draft",
        "target": "in_review",
        "reason": "passed",
    }
    return Strategy.model_validate(
        {
            "strategy_id": "ST-0001",
            "draft_key": "by-hand",
            "synthesiser": "argument_rewrite",
            "state": "in_review",
            "rule": RULE,
            "evidence": evidence,
            "history": [step],
        }
    )


class Shop:
    """A data folder with one strategy in review, and the tokens of an engineer and of an agent."""

    def __init__(self, folder: Path) -> None:
        self.settings = Settings(data_dir=folder, encoders=("hash",), secret=SECRET)
        errata = build(self.settings)
        errata.ensure_project(PROJECT)
        errata.store.collection(PROJECT, STRATEGIES).add_many([in_review()])
        self.engineer, _ = create_token(errata, "mei", ["review"])
        self.agent, _ = create_token(errata, "desk", ["rules:read"])
        errata.close()

    def served(self) -> AbstractContextManager[tuple[str, subprocess.Popen[str]]]:
        """`errata serve` in a process of its own; its address."""
        return served(self.settings.data_dir)

    def approve(self, url: str, version: str, **more: str) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.engineer}", "If-Match": f'"{version}"', **more}
        return httpx.post(f"{url}{STRATEGY_URL}/approve", headers=headers, json={"reason": "right"})

    def version(self, url: str) -> str:
        seen = httpx.get(f"{url}{STRATEGY_URL}", headers={"Authorization": f"Bearer {self.engineer}"})
        return str(seen.json()["version"])


@contextmanager
def agent(url: str, token: str, cache: Path | str, day: str = TODAY) -> Iterator[Say]:
    """An agent in another process, and how to speak with it."""
    command = [sys.executable, "-m", "tests.api.agent_process", url, token, str(cache), day]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def say(do: str, **more: str) -> dict[str, Any]:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps({"do": do, **more}) + "\n")
            process.stdin.flush()
            answer: dict[str, Any] = json.loads(process.stdout.readline())
            return answer

        yield say
        process.kill()


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path / "data")


@contextmanager
def serving(body: bytes) -> Iterator[str]:
    """A service that answers every question with `body`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("ETag", '"9-damaged"')
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_agent_is_corrected_by_an_approved_rule_and_keeps_it_when_the_service_dies(
    shop: Shop, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    with shop.served() as (url, process), agent(url, shop.agent, cache) as say:
        assert say("refresh")["revision"] == 0
        assert say("call", run="r1", order_id="7654321")["outcome"] == "pass"
        seen = shop.version(url)
        assert shop.approve(url, "no such version").status_code == 412
        assert shop.approve(url, seen).status_code == 200
        assert shop.approve(url, seen).status_code == 412
        assert shop.approve(url, shop.version(url)).status_code == 409

        assert say("refresh") == {"new": True, "revision": 1}
        assert say("call", run="r2", order_id="7654321")["arguments"] == {"order_id": "#W7654321"}
        assert say("call", run="r1", order_id="7654321")["outcome"] == "pass", "r1 began without the rule"
        assert say("flush")["sent"] == 1

        process.kill()
        process.wait()
        assert say("refresh") == {"new": False, "revision": 1}
        assert say("call", run="r3", order_id="1234567")["outcome"] == "rewrite"
        damaged_agents_stay_with_what_they_have(shop, cache)
        with agent(url, shop.agent, cache) as restarted:
            restarted("refresh")
            assert restarted("call", run="r4", order_id="1234567")["outcome"] == "rewrite"
        with agent(url, shop.agent, cache, AFTER_THE_END) as late:
            late("refresh")
            assert late("call", run="r5", order_id="1234567")["outcome"] == "pass"
    assert reported(shop) == [("r2", "ST-0001")]


def damaged_agents_stay_with_what_they_have(shop: Shop, cache: Path) -> None:
    """A bundle with one character of a rule changed is refused whole; the one from the cache goes on."""
    errata = build(shop.settings)

    good = current_bundle(errata.store, PROJECT, errata.clock()).model_dump_json()
    errata.close()
    damaged = good.replace("#W{1}", "#V{1}")
    assert damaged != good
    with serving(damaged.encode()) as url, agent(url, shop.agent, cache) as say:
        assert say("refresh")["new"] is False
        assert say("call", run="r6", order_id="1234567")["arguments"] == {"order_id": "#W1234567"}
    with serving(damaged.encode()) as url, agent(url, shop.agent, "") as say:
        assert say("refresh") == {"new": False, "revision": None}


def reported(shop: Shop) -> list[tuple[str, str]]:
    errata = build(shop.settings)
    found = [stored.item for stored in errata.store.collection(PROJECT, DECISIONS).scan(Query())]
    errata.close()
    return [(decision.run_id, decision.firing.rule_id) for decision in found]


def test_an_agent_without_service_and_cache_lets_every_call_pass_and_says_so_once(shop: Shop) -> None:
    with agent("http://127.0.0.1:9", shop.agent, "") as say:
        say("refresh")
        answers = [say("call", run=f"r{index}", order_id="7654321") for index in range(3)]

    assert [answer["outcome"] for answer in answers] == ["pass"] * 3
    told = [line for line in answers[-1]["told"] if "every call passes unchanged" in line]
    assert len(told) == 1
