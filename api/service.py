"""What the routes share while the app runs, and the visit: who asks, for which project."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Path
from starlette.requests import Request

from api.auth import Gate, admit
from api.metrics import Metrics
from api.published import Published
from api.underway import Underway
from knowledge.errors import NotFoundError
from knowledge.kinds import Kind, M
from knowledge.nights import ApiToken, Scope
from knowledge.stage import Shift
from knowledge.store import Collection, Stored
from wiring.build import Errata


@dataclass(frozen=True)
class Service:
    """One per app: the assembled parts, and what is remembered between requests."""

    errata: Errata
    gate: Gate
    published: Published
    metrics: Metrics
    underway: Underway


@dataclass(frozen=True)
class Visit:
    """A request that was let in: its token has the scope, and its project exists."""

    service: Service
    token: ApiToken
    project: str

    @property
    def shift(self) -> Shift:
        """Where and when this request works."""
        return self.service.errata.shift(self.project)

    def collection(self, kind: Kind[M]) -> Collection[M]:
        """The project's items of one kind."""
        return self.service.errata.store.collection(self.project, kind)

    def require(self, kind: Kind[M], key: str, noun: str) -> Stored[M]:
        """The item; NotFoundError names what is missing."""
        found = self.collection(kind).get(key)
        if found is None:
            raise NotFoundError(f"no {noun} {key!r} in the project {self.project!r}")
        return found

    def actor(self, given: str | None) -> str:
        """Who acts: whom the request names, else the token's name."""
        return given or self.token.name


def service_of(request: Request) -> Service:
    """The service of the app that answers this request."""
    service = request.app.state.service
    assert isinstance(service, Service)
    return service


ProjectId = Annotated[str, Path(description="the project's id", examples=["shop"])]


def visiting(*scopes: Scope) -> Callable[..., Awaitable[Visit]]:
    """A dependency that lets in whoever has one of the scopes, and answers the visit."""

    async def visit(request: Request, project: ProjectId) -> Visit:
        service = service_of(request)
        token = await admit(service.gate, request, project, scopes, service.errata.clock())
        return Visit(service, token, project)

    return visit
