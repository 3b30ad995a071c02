"""Strategies: the remedies in review and in force, with their evidence, and what an engineer does with them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from api import examples
from api.bodies import body_of
from api.openapi import BODY_ERRORS, IF_MATCH, described
from api.paging import Listed, Paging, chosen, reply_page
from api.replies import expected_version, reply_versioned
from api.service import Visit, visiting
from errata_client.model import Model
from errata_client.rule import Rule
from knowledge import store
from knowledge.kinds import STRATEGIES
from knowledge.store import Stored
from knowledge.strategies import State, Strategy
from strategies import review
from strategies.conflicts import Conflict
from strategies.neighbours import conflicts_ahead

router = APIRouter()
EDIT_ERRORS = (*BODY_ERRORS, 401, 403, 404, 409, 412, 428, 503)
Reviewer = Annotated[Visit, Depends(visiting("review"))]


class StrategyView(Strategy):
    """A strategy with its version, which an edit has to name in If-Match."""

    version: str
    conflicts: tuple[Conflict, ...] = Field(
        (), description="with rules that are live; only of a single strategy that waits to go live"
    )


class StrategyFilter(Paging):
    """Which strategies: each parameter may come several times and then means any of its values; all of them hold."""

    state: tuple[State, ...] = ()
    root_cause: tuple[str, ...] = ()
    step_id: tuple[str, ...] = ()
    tool: tuple[str, ...] = ()
    synthesiser: tuple[str, ...] = ()

    def query(self) -> store.Query:
        """The store's query, by id."""
        where: dict[str, tuple[str, ...]] = {
            "state": self.state,
            "rule.root_cause": self.root_cause,
            "rule.scope.step_id": self.step_id,
            "rule.scope.tool": self.tool,
            "synthesiser": self.synthesiser,
        }
        return store.Query(chosen(where))


class Verdict(Model):
    """Why a strategy is rejected or retired. `actor` is the reviewer; the token's name where it is left out."""

    actor: str | None = Field(None, min_length=1, max_length=200)
    reason: str = Field(min_length=1, max_length=2000)


class Approval(Verdict):
    """Why a strategy is approved; with `shadow` it is only watched at first.

    `acknowledge` names flags of its evidence, such as "tainted", and harmless conflicts, such as "hides:ST-0003", that were
    looked into; `share` is the share of runs
    that get it at first; the live strategy `supersedes` retires in its favour.
    """

    shadow: bool = False
    share: float = Field(1.0, gt=0.0, le=1.0)
    supersedes: str | None = Field(None, min_length=1, max_length=64)
    acknowledge: tuple[str, ...] = Field((), max_length=20)


class Edit(Verdict):
    """The rule as it should be, and why."""

    rule: Rule


@router.get(
    "/v1/projects/{project}/strategies",
    **described(
        "List strategies",
        answer=Listed[StrategyView],
        example=examples.page(examples.STRATEGY_ROW),
        scope="review",
        errors=(400, 401, 403, 404, 422, 503),
    ),
)
def strategies(request: Request, visit: Reviewer, asked: Annotated[StrategyFilter, Query()]) -> Response:
    """By id, with the evidence's figures; its before and after rows come with the single strategy."""
    page = visit.collection(STRATEGIES).find(asked.query(), asked.limit, asked.cursor)
    return reply_page(request, [_without_rows(viewed(stored)) for stored in page.items], page.cursor)


@router.get(
    "/v1/projects/{project}/strategies/{strategy_id}",
    **described(
        "Show a strategy with its evidence",
        answer=StrategyView,
        example=examples.STRATEGY,
        scope="review",
        errors=(401, 403, 404, 503),
    ),
)
def strategy(strategy_id: str, visit: Reviewer) -> Response:
    """With every before and after row, and its history. The ETag is the version for If-Match."""
    stored = visit.require(STRATEGIES, strategy_id, "strategy")
    found = conflicts_ahead(visit.shift, stored.item)
    return reply_versioned(viewed(stored).model_copy(update={"conflicts": tuple(found)}), stored.version)


@router.post(
    "/v1/projects/{project}/strategies/{strategy_id}/approve",
    **described(
        "Approve a strategy",
        answer=StrategyView,
        example=examples.STRATEGY,
        scope="review",
        errors=EDIT_ERRORS,
        body=Approval,
        body_example=examples.APPROVAL,
        parameters=(IF_MATCH,),
    ),
)
def approve(
    request: Request,
    strategy_id: str,
    visit: Reviewer,
    given: Annotated[Approval, Depends(body_of(Approval))],
) -> Response:
    """From in_review to active, or to shadow. Agents get the rule with the next revision of the bundle."""
    version, actor = expected_version(request), visit.actor(given.actor)
    changed = review.approve(
        visit.shift,
        strategy_id,
        actor,
        given.reason,
        version=version,
        shadow=given.shadow,
        acknowledge=given.acknowledge,
        share=given.share,
        supersedes=given.supersedes,
    )
    return reply_changed(visit, changed)


@router.post(
    "/v1/projects/{project}/strategies/{strategy_id}/reject",
    **described(
        "Reject a strategy",
        answer=StrategyView,
        example=examples.STRATEGY,
        scope="review",
        errors=EDIT_ERRORS,
        body=Verdict,
        body_example=examples.REVIEW,
        parameters=(IF_MATCH,),
    ),
)
def reject(
    request: Request, strategy_id: str, visit: Reviewer, given: Annotated[Verdict, Depends(body_of(Verdict))]
) -> Response:
    """The idea is remembered and not proposed again."""
    version, actor = expected_version(request), visit.actor(given.actor)
    return reply_changed(visit, review.reject(visit.shift, strategy_id, actor, given.reason, version=version))


@router.post(
    "/v1/projects/{project}/strategies/{strategy_id}/retire",
    **described(
        "Retire a strategy",
        answer=StrategyView,
        example=examples.STRATEGY,
        scope="review",
        errors=EDIT_ERRORS,
        body=Verdict,
        body_example=examples.REVIEW,
        parameters=(IF_MATCH,),
    ),
)
def retire(
    request: Request, strategy_id: str, visit: Reviewer, given: Annotated[Verdict, Depends(body_of(Verdict))]
) -> Response:
    """Its rule leaves the bundle."""
    version, actor = expected_version(request), visit.actor(given.actor)
    return reply_changed(visit, review.retire(visit.shift, strategy_id, actor, given.reason, version=version))


@router.post(
    "/v1/projects/{project}/strategies/{strategy_id}/activate",
    **described(
        "Activate a strategy that was in shadow",
        answer=StrategyView,
        example=examples.STRATEGY,
        scope="review",
        errors=EDIT_ERRORS,
        body=Verdict,
        body_example=examples.REVIEW,
        parameters=(IF_MATCH,),
    ),
)
def activate(
    request: Request, strategy_id: str, visit: Reviewer, given: Annotated[Verdict, Depends(body_of(Verdict))]
) -> Response:
    """From shadow to active: from the next revision on, its firings change calls."""
    version, actor = expected_version(request), visit.actor(given.actor)
    return reply_changed(
        visit, review.activate(visit.shift, strategy_id, actor, given.reason, version=version)
    )


@router.put(
    "/v1/projects/{project}/strategies/{strategy_id}/rule",
    **described(
        "Edit a strategy's rule",
        answer=StrategyView,
        example=examples.STRATEGY,
        scope="review",
        errors=EDIT_ERRORS,
        body=Edit,
        body_example=examples.EDIT,
        parameters=(IF_MATCH,),
    ),
)
def edit(
    request: Request, strategy_id: str, visit: Reviewer, given: Annotated[Edit, Depends(body_of(Edit))]
) -> Response:
    """The rule as a whole; its id cannot change."""
    version, actor = expected_version(request), visit.actor(given.actor)
    changed = review.edit(visit.shift, strategy_id, given.rule, actor, given.reason, version=version)
    return reply_changed(visit, changed)


def viewed(stored: Stored[Strategy]) -> StrategyView:
    """The strategy with its version."""
    return StrategyView(**dict(stored.item), version=stored.version)


def _without_rows(view: StrategyView) -> StrategyView:
    return view.model_copy(update={"evidence": view.evidence.model_copy(update={"rows": ()})})


def reply_changed(visit: Visit, stored: Stored[Strategy]) -> Response:
    """Answer a strategy that was just changed; waiting agents are told of the new bundle at once."""
    visit.service.published.forget(visit.project)
    return _reply(stored)


def _reply(stored: Stored[Strategy]) -> Response:
    return reply_versioned(viewed(stored), stored.version)
