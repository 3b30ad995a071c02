"""A language model behind an OpenAI-compatible address (`POST …/chat/completions`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import httpx

from knowledge.language_model import MAX_ANSWER, ModelError

TIMEOUT = 60.0
"""Seconds until the first byte, between two, and for the whole answer."""
MAX_TOKENS = 2_000
MAX_BODY = 4 * MAX_ANSWER


@dataclass(frozen=True)
class ChatModel:
    """Asks at temperature 0 for one JSON object. `key` is a secret: no error repeats it, nor the address."""

    http: httpx.Client
    url: str
    name: str
    key: str | None = None
    seconds: Callable[[], float] = time.monotonic

    def ask(self, system: str, data: str) -> str:
        """The text of the first choice; ModelError says what went wrong."""
        body = {
            "model": self.name,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": data}],
            "temperature": 0,
            "max_tokens": MAX_TOKENS,
            "response_format": {"type": "json_object"},
        }
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            with self.http.stream(
                "POST",
                f"{self.url.rstrip('/')}/chat/completions",
                json=body,
                headers=headers,
                timeout=TIMEOUT,
            ) as answer:
                return self._text(answer, self.seconds() + TIMEOUT)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ModelError(f"the model cannot be reached: {type(error).__name__}") from error

    def _text(self, answer: httpx.Response, until: float) -> str:
        if answer.is_error:
            raise ModelError(f"the model answered {answer.status_code}")
        read = bytearray()
        for part in answer.iter_bytes():
            read += part
            if self.seconds() > until:
                raise ModelError(f"the model took more than {TIMEOUT:.0f} s to answer")
            if len(read) > MAX_BODY:
                raise ModelError(f"the model answered more than {MAX_BODY:,} bytes")
        try:
            content = httpx.Response(200, content=bytes(read)).json()["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError) as error:
            raise ModelError("the model's answer is not that of a chat completion") from error
        if not isinstance(content, str):
            raise ModelError("the model answered without text")
        return content
