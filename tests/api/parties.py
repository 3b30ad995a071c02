"""Who takes part: two projects, a clock that the tests move, and callers with tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi.testclient import TestClient
from httpx2 import Response

PROJECT = "shop"
OTHER = "bank"


@dataclass
class HandClock:
    """A clock that stands still until it is moved."""

    now: datetime = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> None:
        self.now += timedelta(**span)


@dataclass(frozen=True)
class Bearer:
    """A client of the service that sends one token."""

    client: TestClient
    secret: str | None

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.secret}"} if self.secret else {}

    def request(self, method: str, url: str, headers: dict[str, str] | None = None, **more: Any) -> Response:
        return self.client.request(method, url, headers={**self.headers, **(headers or {})}, **more)

    def get(self, url: str, **more: Any) -> Response:
        return self.request("GET", url, **more)

    def post(self, url: str, **more: Any) -> Response:
        return self.request("POST", url, **more)

    def put(self, url: str, **more: Any) -> Response:
        return self.request("PUT", url, **more)


MakeBearer = Callable[..., Bearer]
