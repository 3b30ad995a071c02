"""A decision over HTTP, for agents in languages that have no client."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from api import examples
from api.bodies import body_of
from api.openapi import BODY_ERRORS, described
from api.replies import reply
from api.service import Visit, visiting
from errata_client.decision import Decision
from errata_client.pins import withheld_from
from errata_client.view import CallView

router = APIRouter()


@router.post(
    "/v1/projects/{project}/decide",
    **described(
        "Decide on one call",
        answer=Decision,
        example=examples.DECISION,
        scope="rules:read",
        errors=(*BODY_ERRORS, 401, 403, 404, 503),
        body=CallView,
        body_example=examples.VIEW,
    ),
)
async def decide(
    visit: Annotated[Visit, Depends(visiting("rules:read"))],
    given: Annotated[CallView, Depends(body_of(CallView))],
) -> Response:
    """By the newest rules, with the run's arm as every client computes it. Firings are in `fired`; report them."""
    errata = visit.service.errata
    edition = await visit.service.published.current(visit.project)
    withheld = withheld_from(given.run_id, edition.bundle)
    today = errata.clock().date()
    return reply(await run_in_threadpool(edition.engine.decide, given, today, withheld=withheld))
