"""Who asks, and whether they may: bearer tokens with scopes, each for some projects or for all.

A check that went well is remembered for `TOKEN_SECONDS`, so a revoked token may still be good for as long.
"""

from __future__ import annotations

import hashlib
from datetime import datetime

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from api.errors import UnauthenticatedError
from api.recent import Recent
from knowledge.errors import NotAllowedError
from knowledge.kinds import SYSTEM, TOKENS
from knowledge.nights import ApiToken, Project, Scope
from knowledge.store import Query
from wiring.build import Errata
from wiring.tokens import check_token

TOKEN_SECONDS = 5.0
REMEMBERED = 1024
SCHEME = "bearer "


class Gate:
    """Checks tokens and projects against the store, and remembers the good ones for a few seconds."""

    def __init__(self, errata: Errata) -> None:
        self._errata = errata
        self._tokens: Recent[ApiToken] = Recent(TOKEN_SECONDS, REMEMBERED)
        self._projects: Recent[Project] = Recent(TOKEN_SECONDS, REMEMBERED)

    def known(self, header: str, now: datetime) -> ApiToken | None:
        """The token of this Authorization header if it was checked a moment ago; never reads the store."""
        return self._tokens.get(_key(header), now)

    def check(self, header: str | None, now: datetime) -> ApiToken:
        """The token of this Authorization header; UnauthenticatedError says what is wrong with it. Reads the store."""
        if header is None:
            raise UnauthenticatedError(self._advice("this needs a token"))
        if header[: len(SCHEME)].lower() != SCHEME or not header[len(SCHEME) :].strip():
            raise UnauthenticatedError("write the header as `Authorization: Bearer TOKEN`")
        try:
            token = check_token(self._errata.store, header[len(SCHEME) :].strip())
        except NotAllowedError as error:
            raise UnauthenticatedError(self._advice(str(error))) from error
        self._tokens.put(_key(header), token, now)
        return token

    def known_project(self, project: str, now: datetime) -> Project | None:
        """The project if it was seen a moment ago; never reads the store."""
        return self._projects.get(project, now)

    def project(self, project: str, now: datetime) -> Project:
        """The project; NotFoundError where there is none. Reads the store."""
        found = self._errata.require_project(project)
        self._projects.put(project, found, now)
        return found

    def _advice(self, told: str) -> str:
        tokens = self._errata.store.collection(SYSTEM, TOKENS)
        if tokens.find(Query(), limit=1).items:
            return f"{told}; send it as `Authorization: Bearer TOKEN`"
        return (
            "no token exists yet, so nothing but /healthz, /readyz and /metrics is answered: make one with "
            "`errata tokens create NAME --scope admin`, or set ERRATA_TOKEN and start again"
        )


def _key(header: str) -> str:
    """Secrets are looked up by digest: the time that takes says nothing about any secret."""
    return hashlib.sha256(header.encode("utf-8", "surrogatepass")).hexdigest()


def demand_scope(token: ApiToken, scopes: tuple[Scope, ...]) -> None:
    """NotAllowedError unless the token has one of the scopes; `admin` has all."""
    if "admin" not in token.scopes and not set(scopes) & set(token.scopes):
        told = " or ".join(scopes)
        raise NotAllowedError(
            f"this needs the scope {told}; the token {token.name!r} has {', '.join(token.scopes)}"
        )


def demand_project(token: ApiToken, project: str) -> None:
    """NotAllowedError for a project that is not the token's, whether or not there is such a project."""
    if token.projects and project not in token.projects:
        raise NotAllowedError(f"the token {token.name!r} is not for the project {project!r}")


def demand_all_projects(token: ApiToken) -> None:
    """NotAllowedError for a token that is for some projects only."""
    if token.projects:
        raise NotAllowedError(f"this needs a token for all projects; {token.name!r} is for some only")


async def authenticate(gate: Gate, request: Request, now: datetime) -> ApiToken:
    """The caller's token; the store is asked in a worker thread, and only where memory has no answer."""
    header = request.headers.get("authorization")
    known = gate.known(header, now) if header is not None else None
    if known is not None:
        return known
    return await run_in_threadpool(gate.check, header, now)


async def admit(
    gate: Gate, request: Request, project: str, scopes: tuple[Scope, ...], now: datetime
) -> ApiToken:
    """The caller's token, good for one of the scopes and for the project, which exists."""
    token = await authenticate(gate, request, now)
    demand_scope(token, scopes)
    demand_project(token, project)
    if gate.known_project(project, now) is None:
        await run_in_threadpool(gate.project, project, now)
    return token
