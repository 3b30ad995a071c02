"""Work orders: root causes that the night proposes, and what an engineer makes of them."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from api import examples
from api.bodies import body_of
from api.openapi import BODY_ERRORS, IF_MATCH, described
from api.paging import Listed, Paging, chosen, reply_page
from api.replies import expected_version, reply, reply_versioned
from api.service import Visit, visiting
from attribution.order_preview import OrderPreview, preview_order
from attribution.orders import approve_order, merge_order, reject_order
from errata_client.model import Model
from knowledge import store
from knowledge.causes import RootCause, WorkOrder
from knowledge.kinds import WORK_ORDERS

router = APIRouter()
EDIT_ERRORS = (*BODY_ERRORS, 401, 403, 404, 409, 412, 428, 503)
Reviewer = Annotated[Visit, Depends(visiting("review"))]


class OrderView(WorkOrder):
    """A work order with its version, which a decision has to name in If-Match."""

    version: str


class OrderFilter(Paging):
    """Which orders, those with the most cases first."""

    state: tuple[Literal["open", "approved", "merged", "rejected"], ...] = ()

    def query(self) -> store.Query:
        """The store's query."""
        return store.Query(chosen({"state": self.state}), sort="cases", descending=True)


class Answer(Model):
    """Why. `actor` is the reviewer; the token's name where it is left out."""

    actor: str | None = Field(None, min_length=1, max_length=200)
    reason: str = Field(min_length=1, max_length=2000)


class Approve(Answer):
    """An approval; `draft` replaces the proposed root cause by an edited one."""

    draft: RootCause | None = None


class Merge(Answer):
    """The root cause that the order's problems belong to."""

    cause_id: str = Field(min_length=1, max_length=256)


@router.get(
    "/v1/projects/{project}/orders",
    **described(
        "List work orders",
        answer=Listed[OrderView],
        example=examples.page(examples.ORDER),
        scope="review",
        errors=(400, 401, 403, 404, 422, 503),
    ),
)
def orders(request: Request, visit: Reviewer, asked: Annotated[OrderFilter, Query()]) -> Response:
    """Those with the most cases first."""
    page = visit.collection(WORK_ORDERS).find(asked.query(), asked.limit, asked.cursor)
    found = [OrderView(**dict(stored.item), version=stored.version) for stored in page.items]
    return reply_page(request, found, page.cursor)


@router.get(
    "/v1/projects/{project}/orders/{order_id}",
    **described(
        "Show a work order",
        answer=OrderView,
        example=examples.ORDER,
        scope="review",
        errors=(401, 403, 404, 503),
    ),
)
def order(order_id: str, visit: Reviewer) -> Response:
    """With the root cause that it proposes. The ETag is the version for If-Match."""
    return _reply(visit, order_id)


@router.get(
    "/v1/projects/{project}/orders/{order_id}/preview",
    **described(
        "Preview a work order",
        answer=OrderPreview,
        example=examples.ORDER_PREVIEW,
        scope="review",
        errors=(401, 403, 404, 503),
    ),
)
def preview(order_id: str, visit: Reviewer) -> Response:
    """What its root cause would take from recent problems and from other causes, were it approved. Nothing is changed."""
    order = visit.require(WORK_ORDERS, order_id, "work order").item
    errata = visit.service.errata
    parameters = errata.parameters_of(visit.project)
    return reply(preview_order(visit.shift, errata.encoders_of(visit.project), parameters, order))


@router.post(
    "/v1/projects/{project}/orders/{order_id}/approve",
    **described(
        "Approve a work order",
        answer=OrderView,
        example=examples.ORDER,
        scope="review",
        errors=EDIT_ERRORS,
        body=Approve,
        body_example=examples.ORDER_ANSWER,
        parameters=(IF_MATCH,),
    ),
)
def approve(
    request: Request, order_id: str, visit: Reviewer, given: Annotated[Approve, Depends(body_of(Approve))]
) -> Response:
    """The proposed cause becomes a root cause, and the order's problems are confirmed for it."""
    version, actor = expected_version(request), visit.actor(given.actor)
    approve_order(visit.shift, order_id, actor, given.reason, draft=given.draft, version=version)
    return _reply(visit, order_id)


@router.post(
    "/v1/projects/{project}/orders/{order_id}/merge",
    **described(
        "Merge a work order into a root cause",
        answer=OrderView,
        example=examples.ORDER,
        scope="review",
        errors=EDIT_ERRORS,
        body=Merge,
        body_example=examples.ORDER_MERGE,
        parameters=(IF_MATCH,),
    ),
)
def merge(
    request: Request, order_id: str, visit: Reviewer, given: Annotated[Merge, Depends(body_of(Merge))]
) -> Response:
    """The order's exemplars and problems go to a root cause that is there."""
    version, actor = expected_version(request), visit.actor(given.actor)
    merge_order(visit.shift, order_id, given.cause_id, actor, given.reason, version=version)
    return _reply(visit, order_id)


@router.post(
    "/v1/projects/{project}/orders/{order_id}/reject",
    **described(
        "Reject a work order",
        answer=OrderView,
        example=examples.ORDER,
        scope="review",
        errors=EDIT_ERRORS,
        body=Answer,
        body_example=examples.ORDER_ANSWER,
        parameters=(IF_MATCH,),
    ),
)
def reject(
    request: Request, order_id: str, visit: Reviewer, given: Annotated[Answer, Depends(body_of(Answer))]
) -> Response:
    """It is no root cause, and is never proposed again."""
    version, actor = expected_version(request), visit.actor(given.actor)
    reject_order(visit.shift, order_id, actor, given.reason, version=version)
    return _reply(visit, order_id)


def _reply(visit: Visit, order_id: str) -> Response:
    stored = visit.require(WORK_ORDERS, order_id, "work order")
    return reply_versioned(OrderView(**dict(stored.item), version=stored.version), stored.version)
