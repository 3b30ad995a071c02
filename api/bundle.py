"""The rules that agents pull: one bundle per project, with its entity tag, and a long poll for the next one."""

from __future__ import annotations

import math

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from api import examples
from api.auth import admit, demand_project, demand_scope
from api.openapi import described, parameter
from api.published import Edition
from api.service import Service, service_of
from errata_client.bundle import Bundle
from knowledge.errors import BadInputError
from knowledge.nights import Scope
from strategies.bundles import bundle_at

router = APIRouter()
MAX_DIGITS = 9
READERS: tuple[Scope, ...] = ("rules:read", "review")
WAIT = parameter(
    "query",
    "wait",
    {"type": "number", "minimum": 0},
    "seconds to wait for a bundle other than If-None-Match names",
)
KNOWN = parameter("header", "If-None-Match", {"type": "string"}, "the ETag of the bundle that the client has")
REVISION = parameter(
    "query",
    "revision",
    {"type": "integer", "minimum": 1},
    "an earlier revision, as it was made; answered at once",
)
PROJECT = parameter("path", "project", {"type": "string"}, "the project's id")


@router.get(
    "/v1/projects/{project}/bundle",
    **described(
        "Pull the active rules",
        answer=Bundle,
        example=examples.BUNDLE,
        scope="rules:read or review",
        errors=(400, 401, 403, 404, 503),
        parameters=(PROJECT, WAIT, KNOWN, REVISION),
        also={304: "the client has this bundle already"},
    ),
)
async def bundle(request: Request) -> Response:
    """Answers the sealed bundle, or 304 if `If-None-Match` has its tag. With `wait`, the answer comes as soon as the
    bundle is another one, at the latest after that many seconds (at most ERRATA_MAX_WAIT_SECONDS)."""
    service = service_of(request)
    project: str = request.path_params["project"]
    known = request.headers.get("if-none-match", "")
    if b"revision=" in request.scope["query_string"]:
        return await _earlier(service, request, project)
    edition = _at_hand(service, request, project)
    if edition is None:
        await admit(service.gate, request, project, READERS, service.errata.clock())
        edition = await service.published.current(project)
    if names(known, edition.etag):
        seconds = _wait_of(request, service.errata.settings.max_wait_seconds)
        if seconds:
            edition = await service.published.differing(project, edition.etag, seconds)
    return _answer(edition, known)


async def _earlier(service: Service, request: Request, project: str) -> Response:
    """The bundle of a revision: read from its publication, for whoever looks back; agents never ask for it."""
    await admit(service.gate, request, project, READERS, service.errata.clock())
    text = request.query_params.get("revision", "")
    if not (text.isascii() and text.isdigit()) or len(text) > MAX_DIGITS or int(text) < 1:
        raise BadInputError(f"revision={text!r} is no revision: write a number from 1")
    made = await run_in_threadpool(bundle_at, service.errata.store, project, int(text))
    return Response(made.model_dump_json(), 200, {"Cache-Control": "no-cache"}, "application/json")


def _at_hand(service: Service, request: Request, project: str) -> Edition | None:
    """The edition if all that it takes to serve it is in memory: the hot path, without a thread or the store."""
    now = service.errata.clock()
    token = service.gate.known(request.headers.get("authorization", ""), now)
    if token is None or service.gate.known_project(project, now) is None:
        return None
    demand_scope(token, READERS)
    demand_project(token, project)
    return service.published.fresh(project, now)


def _answer(edition: Edition, known: str) -> Response:
    headers = {"ETag": edition.etag, "Cache-Control": "no-cache"}
    if names(known, edition.etag):
        return Response(None, 304, headers)
    return Response(edition.body, 200, headers, "application/json")


def names(header: str, etag: str) -> bool:
    """Whether an If-None-Match names the tag: exactly, among several, weakly, or with `*`."""
    if header in {etag, "*"}:
        return True
    return any(part.strip().removeprefix("W/") == etag for part in header.split(","))


def _wait_of(request: Request, most: float) -> float:
    text = request.query_params.get("wait", "0")
    try:
        seconds = float(text)
    except ValueError as error:
        raise BadInputError(f"wait={text!r} is no number of seconds") from error
    if not math.isfinite(seconds) or seconds < 0:
        raise BadInputError(f"wait={text!r} is no number of seconds: write 0 to {most:g}")
    return min(seconds, most)
