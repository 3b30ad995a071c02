"""Slack as its API speaks: an incoming webhook and chat.postMessage, with its limits and its errors."""

from __future__ import annotations

import json
from typing import Any

import httpx

TOKEN = "xoxb-of-the-test"
HOOK = "https://hooks.slack.com/services/T0/B0/secret-of-the-test"


class FakeSlack:
    """Keeps what it was told in `messages`; `down` makes it answer 503."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.members = {"C024BE91L"}
        self.down = False

    def client(self) -> httpx.Client:
        """A client that reaches it."""
        return httpx.Client(transport=httpx.MockTransport(self.answer))

    def answer(self, request: httpx.Request) -> httpx.Response:
        """What Slack says."""
        if self.down:
            return httpx.Response(503, text="upstream connect error")
        if request.url.host == "hooks.slack.com":
            return self._webhook(request)
        assert request.url.path == "/api/chat.postMessage"
        return httpx.Response(200, json=self._post(request))

    def _webhook(self, request: httpx.Request) -> httpx.Response:
        if str(request.url) != HOOK:
            return httpx.Response(404, text="no_service")
        wrong = self._wrong(json.loads(request.content))
        return httpx.Response(400, text=wrong) if wrong else httpx.Response(200, text="ok")

    def _post(self, request: httpx.Request) -> dict[str, Any]:
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return {"ok": False, "error": "invalid_auth"}
        body = json.loads(request.content)
        if body.get("channel") not in self.members:
            return {"ok": False, "error": "not_in_channel"}
        wrong = self._wrong(body)
        if wrong:
            return {"ok": False, "error": wrong}
        return {"ok": True, "channel": body["channel"], "ts": f"17000000{len(self.messages)}.000100"}

    def _wrong(self, body: dict[str, Any]) -> str | None:
        blocks = body.get("blocks", [])
        if len(blocks) > 50:
            return "invalid_blocks"
        for block in blocks:
            text = block.get("text", {})
            limit = 150 if block["type"] == "header" else 3_000
            if text and not 0 < len(text["text"]) <= limit:
                return "invalid_blocks"
        self.messages.append(body)
        return None
