"""An agent in a process of its own: reads commands as JSON lines, answers each with one JSON line.

`{"do": "refresh"}`, `{"do": "call", "order_id": …, "run": …}`, `{"do": "flush"}`. Arguments: URL, token, cache folder,
and the day on which it believes to live.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

from errata_client.client import RuleClient
from errata_client.context import RunContext
from tests.api.parties import PROJECT


class Told(logging.Handler):
    """Keeps what the client says."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def answered(client: RuleClient, command: dict[str, Any], told: Told) -> dict[str, Any]:
    if command["do"] == "refresh":
        return {"new": client.refresh(), "revision": client.active_revision}
    if command["do"] == "flush":
        return {"sent": client.flush()}
    context = RunContext(command["run"])
    context.hear(f"where is {command['order_id']}?")
    view = context.view("get_order", {"order_id": command["order_id"]})
    decision = client.decide(view)
    return {"outcome": decision.outcome, "arguments": decision.arguments, "told": told.lines}


def main(url: str, token: str, cache: str, day: str) -> None:
    told = Told()
    logging.getLogger("errata_client").addHandler(told)
    now = datetime.fromisoformat(day).replace(tzinfo=UTC)
    client = RuleClient(url, token, project=PROJECT, cache_dir=cache or None, clock=lambda: now)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answered(client, json.loads(line), told)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
