"""Deliveries: what was sent to Slack, GitLab or the folder, and what failed on the way."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from api import examples
from api.openapi import described
from api.paging import Listed, Paging, chosen, reply_page
from api.replies import reply
from api.strategies import Reviewer
from errata_client.model import Model
from knowledge import store
from knowledge.deliveries import Delivery, DeliveryState
from knowledge.kinds import DELIVERIES
from strategies.publish.port import Publisher, PublishError

router = APIRouter()


class DeliveryFilter(Paging):
    """Which deliveries: each parameter may come several times and then means any of its values."""

    target: tuple[str, ...] = ()
    state: tuple[DeliveryState, ...] = ()

    def query(self) -> store.Query:
        """The store's query, the newest first."""
        where = chosen({"target": self.target, "state": self.state})
        return store.Query(where, sort="at", descending=True)


class Tried(Model):
    """What became of a test of one target: its own word for the message, or the error."""

    target: str
    reference: str | None = None
    error: str | None = None


class TargetsTried(Model):
    """One entry a target that is set up; none where none is."""

    targets: tuple[Tried, ...]


@router.get(
    "/v1/projects/{project}/deliveries",
    **described(
        "List deliveries",
        answer=Listed[Delivery],
        example=examples.page(examples.DELIVERY),
        scope="review",
        errors=(400, 401, 403, 404, 422, 503),
    ),
)
def deliveries(request: Request, visit: Reviewer, asked: Annotated[DeliveryFilter, Query()]) -> Response:
    """The newest first, with the error of each that failed."""
    page = visit.collection(DELIVERIES).find(asked.query(), asked.limit, asked.cursor)
    return reply_page(request, [stored.item for stored in page.items], page.cursor)


@router.post(
    "/v1/projects/{project}/deliveries/test",
    **described(
        "Test the targets",
        answer=TargetsTried,
        example=examples.DELIVERY_TEST,
        scope="review",
        errors=(401, 403, 404, 503),
    ),
)
def try_targets(visit: Reviewer) -> Response:
    """A test message to Slack, a look at GitLab's project, a file in the folder; the error of each that fails."""
    return reply(TargetsTried(targets=tuple(map(_tried, visit.service.errata.publishers))))


def _tried(publisher: Publisher) -> Tried:
    try:
        sent = publisher.test()
    except PublishError as error:
        return Tried(target=publisher.name, error=str(error))
    return Tried(target=publisher.name, reference=sent.reference)
