"""A service for the client's tests, behind an httpx transport, and a clock that is set by hand."""

from __future__ import annotations

from datetime import datetime, timedelta

import httpx
import orjson

from client.tests.making import NOW
from errata_client.bundle import Bundle

TOKEN = "secret"


class FakeService(httpx.BaseTransport):
    """Serves one bundle as the real service does, and keeps what it is told."""

    def __init__(self, bundle: Bundle | None = None) -> None:
        self.up = True
        self.data = b""
        self.etag = '"none"'
        self.asked: list[httpx.Request] = []
        self.told: list[dict[str, object]] = []
        self.refuse_reports: int | None = None
        self.refused = 0
        if bundle is not None:
            self.publish(bundle)

    def publish(self, bundle: Bundle, data: bytes | None = None) -> None:
        """Serve `bundle` from now on; or other `data` under its ETag."""
        self.data = bundle.model_dump_json().encode() if data is None else data
        self.etag = f'"{bundle.revision}-{bundle.digest[:16]}"'

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        if not self.up:
            raise httpx.ConnectError("connection refused", request=request)
        if request.headers["Authorization"] != f"Bearer {TOKEN}":
            return httpx.Response(401, json={"title": "Unauthorized", "detail": "unknown token"})
        if request.method == "POST":
            return self._take(request)
        if request.headers.get("If-None-Match") == self.etag:
            return httpx.Response(304, headers={"ETag": self.etag})
        return httpx.Response(200, content=self.data, headers={"ETag": self.etag})

    def _take(self, request: httpx.Request) -> httpx.Response:
        if self.refuse_reports is not None:
            return httpx.Response(self.refuse_reports, json={"title": "no"})
        body = orjson.loads(request.content)
        self.told.append(body)
        return httpx.Response(
            202, json={"accepted": len(body["reports"]), "known": 0, "refused": self.refused}
        )

    @property
    def reports(self) -> list[dict[str, object]]:
        """Every report taken, in order."""
        return [report for body in self.told for report in body["reports"]]


class Clock:
    """The time, moved by hand."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **amount: int) -> None:
        """Let time pass."""
        self.now += timedelta(**amount)
