"""Root causes made one, and made two."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field
from starlette.responses import Response

from api import examples
from api.bodies import body_of
from api.causes import Reviewer
from api.openapi import BODY_ERRORS, described
from api.replies import reply
from api.strategies import Verdict
from attribution.reshaping import merge_causes, split_cause
from knowledge.causes import RootCause

router = APIRouter()
ROOT = "/v1/projects/{project}/causes/{cause_id}"
ERRORS = (*BODY_ERRORS, 401, 403, 404, 409, 503)


class CauseMerge(Verdict):
    """Which cause takes over, and why."""

    into: str = Field(min_length=1, max_length=256)


class CauseSplit(Verdict):
    """Which problems the new cause is for, its name, and why."""

    fingerprints: tuple[str, ...] = Field(min_length=1, max_length=500)
    name: str = Field(min_length=1, max_length=200)


@router.post(
    f"{ROOT}/merge",
    **described(
        "Merge a root cause into another",
        answer=RootCause,
        example=examples.CAUSE,
        scope="review",
        errors=ERRORS,
        body=CauseMerge,
        body_example=examples.CAUSE_MERGE,
    ),
)
def merge(
    cause_id: str, visit: Reviewer, given: Annotated[CauseMerge, Depends(body_of(CauseMerge))]
) -> Response:
    """Its exemplars and confirmed problems go to the other; it is kept for the record, switched off."""
    actor = visit.actor(given.actor)
    return reply(merge_causes(visit.shift, cause_id, given.into, actor, given.reason))


@router.post(
    f"{ROOT}/split",
    **described(
        "Split a root cause",
        answer=RootCause,
        example=examples.CAUSE,
        status=201,
        scope="review",
        errors=ERRORS,
        body=CauseSplit,
        body_example=examples.CAUSE_SPLIT,
    ),
)
def split(
    cause_id: str, visit: Reviewer, given: Annotated[CauseSplit, Depends(body_of(CauseSplit))]
) -> Response:
    """A new cause of some of its problems; they are the new one's from then on."""
    actor = visit.actor(given.actor)
    made = split_cause(visit.shift, cause_id, given.fingerprints, given.name, actor, given.reason)
    return reply(made, 201)
