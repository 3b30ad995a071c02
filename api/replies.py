"""Answers as JSON bytes, encoded once, and the versions of things as entity tags."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response

from api.errors import PreconditionRequiredError
from knowledge.errors import BadInputError


def reply(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Models, and whatever is made of them, as JSON."""
    body = to_json(content, inf_nan_mode="null")
    return Response(body, status, dict(headers or {}), "application/json")


def reply_versioned(content: object, version: str, status: int = 200) -> Response:
    """The same, with the version as entity tag: what If-Match of an edit has to name."""
    return reply(content, status, {"ETag": f'"{version}"'})


def expected_version(request: Request) -> str:
    """The version that the caller saw, from If-Match. PreconditionRequiredError where it names none.

    A weak tag counts too: proxies that compress make tags weak on the way.
    """
    header = request.headers.get("if-match", "").strip()
    if not header:
        raise PreconditionRequiredError(
            'send If-Match: "VERSION" with the `version` that you looked at, so that nobody changes what they did not see'
        )
    tag = header.removeprefix("W/")
    if len(tag) < 3 or tag[0] != '"' or tag[-1] != '"' or '"' in tag[1:-1]:
        raise BadInputError(f'If-Match {header!r}: name one version in double quotes, such as "7"')
    return tag[1:-1]
