"""Nights: when the nightly run worked, and what each of its stages did."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from api import examples
from api.openapi import described
from api.paging import Listed, Paging, chosen, reply_page
from api.replies import reply
from api.service import Visit, visiting
from knowledge import store
from knowledge.kinds import NIGHTS, STAGES
from knowledge.nights import Night, StageRecord

router = APIRouter()


class NightFilter(Paging):
    """Which nights."""

    status: tuple[Literal["running", "done", "failed"], ...] = ()


class NightView(Night):
    """A night with its stages, in order."""

    stages: tuple[StageRecord, ...]


@router.get(
    "/v1/projects/{project}/nights",
    **described(
        "List nights",
        answer=Listed[Night],
        example=examples.page(examples.NIGHT),
        scope="review",
        errors=(400, 401, 403, 404, 422, 503),
    ),
)
def nights(
    request: Request,
    visit: Annotated[Visit, Depends(visiting("review"))],
    asked: Annotated[NightFilter, Query()],
) -> Response:
    """The latest first."""
    query = store.Query(chosen({"status": asked.status}), sort="started_at", descending=True)
    page = visit.collection(NIGHTS).find(query, asked.limit, asked.cursor)
    return reply_page(request, [stored.item for stored in page.items], page.cursor)


@router.get(
    "/v1/projects/{project}/nights/{night_id}",
    **described(
        "Show a night and its stages",
        answer=NightView,
        example=examples.NIGHT_WITH_STAGES,
        scope="review",
        errors=(401, 403, 404, 503),
    ),
)
def night(night_id: str, visit: Annotated[Visit, Depends(visiting("review"))]) -> Response:
    """What each stage did, what it did not look at and why, and what failed."""
    found = visit.require(NIGHTS, night_id, "night").item
    stages = visit.collection(STAGES).scan(store.Query(where={"night_id": night_id}, sort="position"))
    return reply(NightView(**dict(found), stages=tuple(stored.item for stored in stages)))
