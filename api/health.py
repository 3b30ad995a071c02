"""Whether the service lives, whether it can work, and its figures. All open: they tell counts and names of projects."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from api import examples
from api.metrics import CONTENT_TYPE
from api.openapi import described
from api.replies import reply
from api.service import service_of
from errata_client.model import Model

router = APIRouter()


class Alive(Model):
    """The process answers."""

    status: str


class Ready(Model):
    """The service can work; `store` is the engine that answered, with its version."""

    status: str
    store: str


@router.get("/healthz", **described("Say that the process lives", answer=Alive, example=examples.ALIVE))
async def healthz() -> Response:
    """Answers as long as the process does; touches nothing else."""
    return reply(Alive(status="ok"))


@router.get(
    "/readyz",
    **described("Say whether the store answers", answer=Ready, example=examples.READY, errors=(503,)),
)
def readyz(request: Request) -> Response:
    """Answers 503 while the store does not."""
    return reply(Ready(status="ok", store=service_of(request).errata.store.ping()))


@router.get(
    "/metrics",
    **described(
        "Show the metrics for Prometheus",
        example=examples.METRICS,
        media="text/plain",
    ),
)
def metrics(request: Request) -> Response:
    """Requests by route, cases, the age of the last good night, bundle revisions, what was not analysed. Figures from
    the store are up to ten seconds old; `errata_store_up` tells whether it answered."""
    service = service_of(request)
    return Response(service.metrics.exposition(service.errata.clock()), 200, media_type=CONTENT_TYPE)
