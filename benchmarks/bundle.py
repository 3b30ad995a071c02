"""The 304 path of the bundle against an empty FastAPI route: requests a second of one over the other's, in one run.

Both are asked through ASGI in this process, in turns, so the network and the HTTP parser, which would weigh the same
on both, do not hide the difference.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from fastapi import FastAPI

from api.app import create_app
from wiring.build import build
from wiring.settings import Settings
from wiring.tokens import create_token

ROUNDS = 15
REQUESTS = 400
PROJECT = "bench"
Headers = list[tuple[bytes, bytes]]


async def asked(app: FastAPI, path: str, headers: Headers) -> tuple[int, dict[bytes, bytes]]:
    """One GET; the status and the headers of the answer."""
    found: dict[str, Any] = {}

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            found.update(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    await app(scope, receive, send)  # type: ignore[arg-type]
    return found["status"], dict(found["headers"])


async def rate(app: FastAPI, path: str, headers: Headers, status: int) -> float:
    """Requests a second; each has to answer `status`."""
    began = time.perf_counter()
    for _ in range(REQUESTS):
        answered, _ = await asked(app, path, headers)
        if answered != status:
            raise RuntimeError(f"{path} answered {answered} instead of {status}")
    return REQUESTS / (time.perf_counter() - began)


async def measure(service: FastAPI, empty: FastAPI, token: str) -> list[tuple[float, float]]:
    """The two rates, round after round."""
    path = f"/v1/projects/{PROJECT}/bundle"
    mine = [(b"authorization", f"Bearer {token}".encode())]
    _, answer = await asked(service, path, mine)
    mine.append((b"if-none-match", answer[b"etag"]))
    await rate(service, path, mine, 304)
    await rate(empty, "/empty", [], 200)
    return [
        (await rate(service, path, mine, 304), await rate(empty, "/empty", [], 200)) for _ in range(ROUNDS)
    ]


def main() -> None:
    """Print both rates and their ratio."""
    empty = FastAPI()

    @empty.get("/empty")
    async def nothing() -> None:
        return None

    with tempfile.TemporaryDirectory() as folder:
        errata = build(Settings(data_dir=Path(folder), encoders=("hash",)))
        errata.ensure_project(PROJECT)
        token, _ = create_token(errata, "bench", ["rules:read"])
        rounds = asyncio.run(measure(create_app(errata), empty, token))
        errata.close()
    ratios = sorted(mine / plain for mine, plain in rounds)
    print(f"bundle 304       {median(mine for mine, _ in rounds):9,.0f} requests/s")
    print(f"empty route      {median(plain for _, plain in rounds):9,.0f} requests/s")
    print(f"ratio            {median(ratios):9.2f}  (from {ratios[0]:.2f} to {ratios[-1]:.2f}; wanted: 0.8)")


if __name__ == "__main__":
    main()
