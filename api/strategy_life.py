"""What becomes of a strategy after its approval: rolled back, extended, given to more runs; and what it did."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from api import examples
from api.bodies import body_of
from api.openapi import IF_MATCH, described
from api.replies import expected_version, reply
from api.strategies import EDIT_ERRORS, Reviewer, StrategyView, Verdict, reply_changed
from errata_client.model import Model
from knowledge.effects import Effect
from knowledge.errors import NotFoundError
from knowledge.kinds import STRATEGIES
from strategies import review
from strategies.measuring import newest_effect

router = APIRouter()
ROOT = "/v1/projects/{project}/strategies/{strategy_id}"


class Extension(Verdict):
    """Until when a live rule is to hold; 90 days from today where it is left out."""

    until: date | None = None


class Share(Verdict):
    """Which share of runs gets a live rule from now on."""

    share: float = Field(gt=0.0, le=1.0)


def _step(summary: str, body: type[Model], example: dict[str, Any]) -> dict[str, Any]:
    return described(
        summary,
        answer=StrategyView,
        example=examples.STRATEGY,
        scope="review",
        errors=EDIT_ERRORS,
        body=body,
        body_example=example,
        parameters=(IF_MATCH,),
    )


@router.post(f"{ROOT}/rollback", **_step("Roll a live strategy back", Verdict, examples.REVIEW))
def rollback(
    request: Request, strategy_id: str, visit: Reviewer, given: Annotated[Verdict, Depends(body_of(Verdict))]
) -> Response:
    """It did harm, or no good: its rule leaves the bundle, and the idea is not drafted again."""
    version, actor = expected_version(request), visit.actor(given.actor)
    return reply_changed(
        visit, review.rollback(visit.shift, strategy_id, actor, given.reason, version=version)
    )


@router.post(f"{ROOT}/extend", **_step("Extend a live strategy", Extension, examples.EXTENSION))
def extend(
    request: Request,
    strategy_id: str,
    visit: Reviewer,
    given: Annotated[Extension, Depends(body_of(Extension))],
) -> Response:
    """It holds until `until`, at most 366 days from today; what was expiring is active again."""
    version, actor = expected_version(request), visit.actor(given.actor)
    changed = review.extend(visit.shift, strategy_id, actor, given.reason, version=version, until=given.until)
    return reply_changed(visit, changed)


@router.post(f"{ROOT}/share", **_step("Give a live strategy to a share of runs", Share, examples.SHARE))
def share(
    request: Request, strategy_id: str, visit: Reviewer, given: Annotated[Share, Depends(body_of(Share))]
) -> Response:
    """From a canary to all runs. Which runs those are follows from their ids; the effect is measured anew."""
    version, actor = expected_version(request), visit.actor(given.actor)
    changed = review.give_share(visit.shift, strategy_id, given.share, actor, given.reason, version=version)
    return reply_changed(visit, changed)


@router.get(
    f"{ROOT}/effect",
    **described(
        "Show what a live strategy did",
        answer=Effect,
        example=examples.EFFECT,
        scope="review",
        errors=(401, 403, 404, 503),
    ),
)
def effect(strategy_id: str, visit: Reviewer) -> Response:
    """Runs with its rule against runs without, with intervals and alarms, as the last night measured it."""
    known = visit.require(STRATEGIES, strategy_id, "strategy").item.strategy_id
    found = newest_effect(visit.shift, known)
    if found is None:
        raise NotFoundError(f"{known} was not measured yet: a night measures each rule that agents have")
    return reply(found)
