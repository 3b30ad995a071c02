"""People's answers on attributions: permanent, each with its reason."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from api import examples
from api.bodies import body_of
from api.openapi import BODY_ERRORS, described
from api.paging import Listed, Paging, chosen, reply_page
from api.replies import reply
from api.service import Visit, visiting
from attribution.corrections import record_label
from errata_client.model import Model
from knowledge import store
from knowledge.causes import Label
from knowledge.kinds import LABELS

router = APIRouter()
Reviewer = Annotated[Visit, Depends(visiting("review"))]


class LabelGiven(Model):
    """An answer. "confirm" and "reassign" name the right cause (null: no template fits), "reject" the wrong one."""

    answer: Literal["confirm", "reject", "reassign"]
    root_cause: str | None = Field(None, max_length=256)
    actor: str | None = Field(None, min_length=1, max_length=200)
    reason: str = Field(min_length=1, max_length=2000)


class LabelFilter(Paging):
    """Which labels: each parameter may come several times and then means any of its values; all of them hold."""

    fingerprint: tuple[str, ...] = ()
    root_cause: tuple[str, ...] = ()
    answer: tuple[Literal["confirm", "reject", "reassign"], ...] = ()

    def query(self) -> store.Query:
        """The store's query, newest labels first."""
        where = {"fingerprint": self.fingerprint, "root_cause": self.root_cause, "answer": self.answer}
        return store.Query(chosen(where), sort="at", descending=True)


@router.post(
    "/v1/projects/{project}/problems/{fingerprint}/labels",
    **described(
        "Confirm, reject or reassign an attribution",
        answer=Label,
        example=examples.LABEL,
        status=201,
        scope="review",
        errors=(*BODY_ERRORS, 401, 403, 404, 409, 503),
        body=LabelGiven,
        body_example=examples.LABEL_GIVEN,
    ),
)
def label(
    fingerprint: str, visit: Reviewer, given: Annotated[LabelGiven, Depends(body_of(LabelGiven))]
) -> Response:
    """A rejected pair never matches again; the newest answer of a pair counts."""
    actor = visit.actor(given.actor)
    made = record_label(visit.shift, fingerprint, given.answer, given.root_cause, actor, given.reason)
    return reply(made, 201)


@router.get(
    "/v1/projects/{project}/labels",
    **described(
        "List people's answers",
        answer=Listed[Label],
        example=examples.page(examples.LABEL),
        scope="review",
        errors=(400, 401, 403, 404, 422, 503),
    ),
)
def labels(request: Request, visit: Reviewer, asked: Annotated[LabelFilter, Query()]) -> Response:
    """The newest first."""
    page = visit.collection(LABELS).find(asked.query(), asked.limit, asked.cursor)
    return reply_page(request, [stored.item for stored in page.items], page.cursor)
