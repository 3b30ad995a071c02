"""A server that speaks the API of OpenAI-compatible language models."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx

from wiring.chat_model import ChatModel

ADDRESS = "http://model/v1"


class Server:
    """Answers each chat completion with `content` (text, or what is written as JSON; or a function of the data that it was sent),
    and remembers what it was asked."""

    def __init__(self, content: object, status: int = 200, *, raw: bytes | None = None) -> None:
        self.content, self.status, self.raw = content, status, raw
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        if self.raw is not None:
            return httpx.Response(self.status, content=self.raw)
        return httpx.Response(self.status, json={"choices": [{"message": {"content": self._said(request)}}]})

    def model(self, seconds: Callable[[], float] = lambda: 0.0) -> ChatModel:
        http = httpx.Client(transport=httpx.MockTransport(self))
        return ChatModel(http, ADDRESS, "small", "secret-key", seconds)

    def shown(self) -> list[Any]:
        """The data of each question, read."""
        return [json.loads(json.loads(one.content)["messages"][1]["content"]) for one in self.asked]

    def _said(self, request: httpx.Request) -> str:
        content = self.content
        if callable(content):
            content = content(json.loads(json.loads(request.content)["messages"][1]["content"]))
        return content if isinstance(content, str) else json.dumps(content)
