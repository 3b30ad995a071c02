"""One HTTP request to a target, with its errors in words and its secrets left out."""

from __future__ import annotations

from typing import Any

import httpx

from strategies.publish.port import PublishError

TIMEOUT = 20.0


def send(http: httpx.Client, method: str, url: str, target: str, **options: Any) -> httpx.Response:
    """The answer, whose status is good. PublishError names the target, its status and what it said, never the URL."""
    answer = ask(http, method, url, target, **options)
    if answer.is_error:
        raise PublishError(f"{target} answered {answer.status_code}{_said(answer)}")
    return answer


def ask(http: httpx.Client, method: str, url: str, target: str, **options: Any) -> httpx.Response:
    """The answer, whatever its status; PublishError where there is none."""
    try:
        return http.request(method, url, timeout=TIMEOUT, **options)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise PublishError(f"{target} cannot be reached: {type(error).__name__}") from error


def _said(answer: httpx.Response) -> str:
    wait = answer.headers.get("retry-after")
    later = f", try again in {wait} s" if answer.status_code == 429 and wait else ""
    text = " ".join(answer.text[:300].split())
    return f": {text}{later}" if text else later
