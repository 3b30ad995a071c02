"""The service as the client sees it: two requests over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

import httpx
import orjson

from errata_client.decision import DecisionReport
from errata_client.model import JsonValue

TIMEOUT_SECONDS = 10.0
CONNECT_SECONDS = 3.0


class ServiceError(Exception):
    """The service did not do what was asked; the text says what it answered, `status` its HTTP status if any."""

    def __init__(self, text: str, *, status: int | None = None) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Download:
    """The bytes of a bundle and the ETag under which they were served."""

    data: bytes
    etag: str | None


class Service:
    """Speaks to one project of an Errata service; `transport` is for tests and proxies."""

    def __init__(
        self, url: str, token: str, project: str, transport: httpx.BaseTransport | None = None
    ) -> None:
        self._path = f"/v1/projects/{quote(project, safe='')}"
        self._http = httpx.Client(
            base_url=url,
            transport=transport,
            timeout=_timeout(0.0),
            headers={"Authorization": f"Bearer {token}", "User-Agent": "errata-client"},
        )

    def bundle(self, etag: str | None, wait: float = 0.0) -> Download | None:
        """The current bundle, or None while it is still the one of `etag`; ServiceError otherwise.

        With `wait` the service may hold the answer back that many seconds until there is something new.
        """
        headers = {"If-None-Match": etag} if etag else {}
        query = {"wait": f"{wait:g}"} if wait and etag else {}
        answer = self._sent(
            self._http.build_request(
                "GET", f"{self._path}/bundle", headers=headers, params=query, timeout=_timeout(wait)
            )
        )
        if answer.status_code == httpx.codes.NOT_MODIFIED:
            return None
        return Download(answer.content, answer.headers.get("ETag"))

    def report(
        self, reports: Sequence[DecisionReport], active_revision: int | None, agent: str | None
    ) -> int:
        """Send reports (there may be none) and the revision in use; how many of them the service refused.

        ServiceError where the whole was not taken.
        """
        body = {
            "reports": [report.model_dump(mode="json") for report in reports],
            "active_revision": active_revision,
            "agent": agent,
        }
        answer = self._sent(
            self._http.build_request(
                "POST",
                f"{self._path}/decisions",
                content=orjson.dumps(body),
                headers={"Content-Type": "application/json"},
            )
        )
        refused = _object(answer).get("refused")
        return refused if isinstance(refused, int) else 0

    def close(self) -> None:
        """Give the connections back."""
        self._http.close()

    def _sent(self, request: httpx.Request) -> httpx.Response:
        try:
            answer = self._http.send(request)
        except (httpx.HTTPError, httpx.InvalidURL, RuntimeError) as error:  # RuntimeError: closed meanwhile
            raise ServiceError(
                f"{request.url.host or request.url}: {error or type(error).__name__}"
            ) from error
        if answer.status_code not in {200, 202, 304}:
            raise ServiceError(_said(answer), status=answer.status_code)
        return answer


def _timeout(wait: float) -> httpx.Timeout:
    return httpx.Timeout(TIMEOUT_SECONDS + wait, connect=CONNECT_SECONDS)


def _said(answer: httpx.Response) -> str:
    """What a problem answer says: its title and detail, or else its start."""
    problem = _object(answer)
    words = [str(problem[key]) for key in ("title", "detail") if problem.get(key)]
    return f"HTTP {answer.status_code}: {': '.join(words) or answer.text[:200] or answer.reason_phrase}"


def _object(answer: httpx.Response) -> dict[str, JsonValue]:
    """The JSON object that an answer holds; empty where it holds none."""
    try:
        found = orjson.loads(answer.content)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}
