"""A transport to Elasticsearch that a test can answer in place of the node."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from elastic_transport import HttpHeaders, Urllib3HttpNode

from knowledge.elastic import ElasticStore

Answer = Callable[[str, str, bytes], tuple[int, Any] | None]


def wired(answer: Answer) -> type[Urllib3HttpNode]:
    """A transport that asks `answer` first (method, target, body) and the real node where it says None."""

    class Wired(Urllib3HttpNode):
        def perform_request(self, method: str, target: str, body: bytes | None = None, **options: Any) -> Any:
            said = answer(method, target, body or b"")
            if said is None:
                return super().perform_request(method, target, body, **options)
            status, document = said
            real = super().perform_request("GET", "/", None, **options)
            headers = HttpHeaders(dict(real.meta.headers) | {"content-type": "application/json"})
            meta = type(real.meta)(
                status, real.meta.http_version, headers, real.meta.duration, real.meta.node
            )
            return type(real)(meta, json.dumps(document).encode())

    return Wired


class Wire:
    """Opens stores whose requests are recorded and may be answered by the test; waits are noted, not waited."""

    def __init__(self, url: str, prefix: str) -> None:
        self.url = url
        self.prefix = prefix
        self.requests: list[tuple[str, str, bytes]] = []
        self.slept: list[float] = []
        self.stores: list[ElasticStore] = []

    def open(self, answer: Answer = lambda *_: None) -> ElasticStore:
        def recorded(method: str, target: str, body: bytes) -> tuple[int, Any] | None:
            self.requests.append((method, target, body))
            return answer(method, target, body)

        self.stores.append(
            ElasticStore(self.url, prefix=self.prefix, sleep=self.slept.append, node_class=wired(recorded))
        )
        return self.stores[-1]

    def count(self, part: str) -> int:
        return sum(part in target for _, target, _ in self.requests)
