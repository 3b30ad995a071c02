"""Root causes: the templates, what a new one would take, and adding one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from api import examples
from api.bodies import body_of
from api.openapi import BODY_ERRORS, described
from api.paging import Listed, Paging, chosen, reply_page
from api.replies import reply, reply_versioned
from api.service import Visit, visiting
from attribution.causes import add_cause, preview
from errata_client.model import Model
from knowledge import store
from knowledge.cases import ErrorCode
from knowledge.causes import Attribution, RootCause
from knowledge.kinds import ROOT_CAUSES

router = APIRouter()
Reviewer = Annotated[Visit, Depends(visiting("review"))]


class CauseView(RootCause):
    """A root cause with its version."""

    version: str


class CauseFilter(Paging):
    """Which causes: each parameter may come several times and then means any of its values; all of them hold."""

    q: str | None = Field(None, max_length=500, description="words or phrases of its name and statement")
    error_code: tuple[ErrorCode, ...] = ()

    def query(self) -> store.Query:
        """The store's query, by id."""
        return store.Query(chosen({"error_codes": self.error_code}), text=self.q)


class CauseGiven(Model):
    """A new root cause, and why. An empty `cause_id` gets the project's next number."""

    cause: RootCause
    actor: str | None = Field(None, min_length=1, max_length=200)
    reason: str = Field(min_length=1, max_length=2000)


class Taken(Model):
    """What a root cause would take, or put in doubt, of the project's problems."""

    cause: RootCause
    attributions: tuple[Attribution, ...]


@router.get(
    "/v1/projects/{project}/causes",
    **described(
        "List root causes",
        answer=Listed[CauseView],
        example=examples.page(examples.CAUSE_VIEW),
        scope="review",
        errors=(400, 401, 403, 404, 422, 503),
    ),
)
def causes(request: Request, visit: Reviewer, asked: Annotated[CauseFilter, Query()]) -> Response:
    """By id, the starter set and the project's own."""
    page = visit.collection(ROOT_CAUSES).find(asked.query(), asked.limit, asked.cursor)
    found = [CauseView(**dict(stored.item), version=stored.version) for stored in page.items]
    return reply_page(request, found, page.cursor)


@router.get(
    "/v1/projects/{project}/causes/{cause_id}",
    **described(
        "Show a root cause",
        answer=CauseView,
        example=examples.CAUSE_VIEW,
        scope="review",
        errors=(401, 403, 404, 503),
    ),
)
def cause(cause_id: str, visit: Reviewer) -> Response:
    """With its exemplars and its playbook."""
    stored = visit.require(ROOT_CAUSES, cause_id, "root cause")
    return reply_versioned(CauseView(**dict(stored.item), version=stored.version), stored.version)


@router.post(
    "/v1/projects/{project}/causes",
    **described(
        "Add a root cause",
        answer=RootCause,
        example=examples.CAUSE,
        status=201,
        scope="review",
        errors=(*BODY_ERRORS, 401, 403, 404, 409, 503),
        body=CauseGiven,
        body_example=examples.CAUSE_GIVEN,
    ),
)
def add(visit: Reviewer, given: Annotated[CauseGiven, Depends(body_of(CauseGiven))]) -> Response:
    """The next night attributes by it."""
    return reply(add_cause(visit.shift, given.cause, visit.actor(given.actor), given.reason), 201)


@router.post(
    "/v1/projects/{project}/causes/check",
    **described(
        "Try a root cause without saving it",
        answer=Taken,
        example=examples.TAKEN,
        scope="review",
        errors=(*BODY_ERRORS, 401, 403, 404, 503),
        body=RootCause,
        body_example=examples.CAUSE,
    ),
)
def check(visit: Reviewer, given: Annotated[RootCause, Depends(body_of(RootCause))]) -> Response:
    """What it would take, or put in doubt, of the problems that its gates let through. Nothing is changed."""
    errata = visit.service.errata
    found = preview(
        visit.shift, errata.encoders_of(visit.shift.project), errata.parameters_of(visit.shift.project), given
    )
    return reply(Taken(cause=given, attributions=tuple(found)))
