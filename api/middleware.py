"""What happens around every request: it gets an id, and it is counted."""

from __future__ import annotations

import re
import secrets
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.metrics import Metrics

GIVEN_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}", re.ASCII)
HEADER = b"x-request-id"


class Observed:
    """Gives each request an id (the caller's X-Request-Id, if that is one) and counts it by its route's path."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        status = 500
        began = time.perf_counter()

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (HEADER, request_id.encode())]
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            route = getattr(scope.get("route"), "path", "none")
            self._metrics.answered(route, scope["method"], status, time.perf_counter() - began)


def _request_id(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == HEADER and GIVEN_ID.fullmatch(value):
            return str(value, "ascii")
    return secrets.token_hex(8)
