"""The 304 path of the bundle against an empty FastAPI route: requests a second of one over the other's, in one run.

Asked in turns, once over HTTP from uvicorn on loopback, as agents ask, and once through ASGI alone, where the HTTP
parser and the network, which weigh the same on both, do not hide the difference.
"""

from __future__ import annotations

import asyncio
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import uvicorn
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


async def known_bundle(service: FastAPI, token: str) -> Headers:
    """The headers of a client that has the bundle already."""
    mine = [(b"authorization", f"Bearer {token}".encode())]
    _, answer = await asked(service, f"/v1/projects/{PROJECT}/bundle", mine)
    return [*mine, (b"if-none-match", answer[b"etag"])]


async def measure(service: FastAPI, empty: FastAPI, mine: Headers) -> list[tuple[float, float]]:
    """The two rates through ASGI, round after round."""
    path = f"/v1/projects/{PROJECT}/bundle"
    await rate(service, path, mine, 304)
    await rate(empty, "/empty", [], 204)
    return [
        (await rate(service, path, mine, 304), await rate(empty, "/empty", [], 204)) for _ in range(ROUNDS)
    ]


@contextmanager
def served(app: FastAPI) -> Iterator[socket.socket]:
    """A connection to the app, served by uvicorn in a thread."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    with socket.create_connection(listener.getsockname()) as connection:
        yield connection
    server.should_exit = True
    thread.join()
    listener.close()


def http_rate(connection: socket.socket, path: str, headers: Headers, status: int) -> float:
    """Requests a second over one connection; each has to answer `status`, and a body that comes with its headers."""
    lines = b"".join(name + b": " + value + b"\r\n" for name, value in headers)
    request = b"GET " + path.encode() + b" HTTP/1.1\r\nhost: bench\r\n" + lines + b"\r\n"
    began = time.perf_counter()
    for _ in range(REQUESTS):
        connection.sendall(request)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += connection.recv(4096)
        if not answer.startswith(f"HTTP/1.1 {status}".encode()):
            raise RuntimeError(f"{path} answered {answer[:60]!r} instead of {status}")
    return REQUESTS / (time.perf_counter() - began)


def measure_http(service: FastAPI, empty: FastAPI, headers: Headers) -> list[tuple[float, float]]:
    """The two rates over HTTP, round after round."""
    path = f"/v1/projects/{PROJECT}/bundle"
    with served(service) as mine, served(empty) as plain:
        http_rate(mine, path, headers, 304)
        http_rate(plain, "/empty", [], 204)
        return [
            (http_rate(mine, path, headers, 304), http_rate(plain, "/empty", [], 204)) for _ in range(ROUNDS)
        ]


def tell(how: str, rounds: list[tuple[float, float]]) -> None:
    """Print both rates and their ratio."""
    ratios = sorted(mine / plain for mine, plain in rounds)
    mine, plain = median(mine for mine, _ in rounds), median(plain for _, plain in rounds)
    print(
        f"{how}: bundle 304 {mine:,.0f} requests/s, empty route {plain:,.0f}, "
        f"ratio {median(ratios):.2f} (from {ratios[0]:.2f} to {ratios[-1]:.2f}; wanted: 0.8)"
    )


def main() -> None:
    """Print the ratio over HTTP and through ASGI."""
    empty = FastAPI()

    @empty.get("/empty", status_code=204)
    async def nothing() -> None:
        return None

    with tempfile.TemporaryDirectory() as folder:
        errata = build(Settings(data_dir=Path(folder), encoders=("hash",)))
        errata.ensure_project(PROJECT)
        token, _ = create_token(errata, "bench", ["rules:read"])
        headers = asyncio.run(known_bundle(create_app(errata), token))
        tell("over HTTP", measure_http(create_app(errata), empty, headers))
        tell("through ASGI", asyncio.run(measure(create_app(errata), empty, headers)))
        errata.close()


if __name__ == "__main__":
    main()
