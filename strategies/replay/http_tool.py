"""Tools behind HTTP: the call is posted, the answer read. Only tools that were marked safe are ever asked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict

import httpx

from errata_client.jsontext import as_text, read
from strategies.replay.function import MAX_TEXT, SaysFailed
from strategies.replay.port import Replayed, ReplayError, ReplayRequest

SECONDS = 30.0
MAX_BYTES = 1_000_000


class HttpReplayer:
    """Posts {tool, arguments, run_id, task_id, earlier} as JSON. A 2xx is the tool's answer, which `says_failed` may
    read as an error; a 4xx is the tool's error. `{tool}` in the address stands for the tool's name."""

    def __init__(self, http: httpx.Client, url: str, says_failed: SaysFailed, safe: Collection[str]) -> None:
        self._http, self._url, self._says_failed, self._safe = http, url, says_failed, frozenset(safe)

    def is_safe(self, tool: str) -> bool:
        """Whether the tool was marked safe."""
        return tool in self._safe

    def replay(self, request: ReplayRequest) -> Replayed:
        """Make the call. ReplayError where the service does not answer, fails itself, or says too much."""
        if not self.is_safe(request.tool):
            raise ReplayError(f"{request.tool} is not marked safe: name it with --safe-tool")
        url = self._url.replace("{tool}", request.tool)
        try:
            response = self._http.post(url, json=asdict(request), timeout=SECONDS)
        except httpx.HTTPError as error:
            raise ReplayError(f"{url}: {error}") from error
        if response.status_code >= 500 or len(response.content) > MAX_BYTES:
            raise ReplayError(f"{url}: status {response.status_code}, {len(response.content)} bytes")
        return self._answer(response)

    def _answer(self, response: httpx.Response) -> Replayed:
        value = read(response.text)
        answer = response.text if value is None else value
        ok = response.is_success and not self._says_failed(answer)
        return Replayed(ok=ok, text=as_text(answer)[:MAX_TEXT])
